"""The measures of mixing agree with plain twins, with ArviZ, and with chains whose truth is known.

False alarms: none where twins are compared; the chains of known truth are seeded.
"""

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.foundation.errors import BadParameter
from holdfast.revision.chains import mixing

Chains = list[list[float]]


def plain_split(chains: Chains) -> Chains:
    half = len(chains[0]) // 2
    return [chain[:half] for chain in chains] + [chain[-half:] for chain in chains]


def plain_scores(chains: Chains) -> Chains:
    """A value's rank is the mean place of its equals among all values, by counting."""
    everything = [value for chain in chains for value in chain]

    def score(value: float) -> float:
        lower = sum(other < value for other in everything)
        equal = sum(other == value for other in everything)
        rank = lower + (equal + 1) / 2
        return NormalDist().inv_cdf((rank - 3 / 8) / (len(everything) + 1 / 4))

    return [[score(value) for value in chain] for chain in chains]


def mean(numbers):
    numbers = list(numbers)
    return math.fsum(numbers) / len(numbers)


def variance(numbers):
    numbers = list(numbers)
    middle = mean(numbers)
    return math.fsum((x - middle) ** 2 for x in numbers) / (len(numbers) - 1)


def plain_r_hat(chains: Chains) -> float:
    draws = len(chains[0])
    within = mean(variance(chain) for chain in chains)
    between = draws * variance(mean(chain) for chain in chains)
    if not within:
        return math.inf if between else math.nan
    return math.sqrt(((draws - 1) / draws * within + between / draws) / within)


def plain_rank_r_hat(chains: Chains) -> float:
    halves = plain_split(chains)
    middle = float(np.median(halves))
    folded = [[abs(value - middle) for value in half] for half in halves]
    return max(plain_r_hat(plain_scores(halves)), plain_r_hat(plain_scores(folded)))


def plain_covariance(chain: list[float], lag: int) -> float:
    middle = mean(chain)
    pairs = zip(chain, chain[lag:], strict=False)
    return math.fsum((x - middle) * (y - middle) for x, y in pairs) / len(chain)


def plain_effective(chains: Chains) -> float:
    """Geyer's sums as the paper writes them, lag by lag."""
    draws, count = len(chains[0]), len(chains) * len(chains[0])
    if len({value for chain in chains for value in chain}) == 1:
        return count
    zero = mean(plain_covariance(chain, 0) for chain in chains)
    within = zero * draws / (draws - 1)
    total = zero + variance(mean(chain) for chain in chains)

    def rho(lag: int) -> float:
        if not lag:
            return 1.0
        return 1 - (within - mean(plain_covariance(chain, lag) for chain in chains)) / total

    pairs = [rho(0) + rho(1)]
    while pairs[-1] > 0 and 2 * len(pairs) - 1 < draws - 3:
        lag = 2 * len(pairs)
        pairs.append(rho(lag) + rho(lag + 1))
    last = len(pairs) - 1
    even = rho(2 * last) if pairs[-1] >= 0 else max(rho(2 * last), 0)
    time = -1 + 2 * sum(min(pairs[: k + 1]) for k in range(last)) + even
    return count / max(time, 1 / math.log10(count))


def plain_bulk(chains: Chains) -> float:
    return plain_effective(plain_scores(plain_split(chains)))


def plain_tail(chains: Chains) -> float:
    def of(share: float) -> float:
        cut = float(np.quantile(chains, share))
        return plain_effective(plain_split([[float(x <= cut) for x in c] for c in chains]))

    return min(of(0.05), of(0.95))


PAIRS = [
    (mixing.r_hat, plain_rank_r_hat),
    (mixing.effective_draws_bulk, plain_bulk),
    (mixing.effective_draws_tail, plain_tail),
]


def autoregressive(seed: int, shape: tuple[int, int], memory: float) -> np.ndarray:
    rng = np.random.default_rng(seed)
    values = rng.standard_t(4, size=shape)
    for draw in range(1, shape[1]):
        values[:, draw] += memory * values[:, draw - 1]
    return values


def agree(measures, plain) -> bool:
    """Whether a measure is its plain twin's on chains long and short, sticky and tied."""
    cases = [
        autoregressive(1, (4, 40), 0.0),
        autoregressive(2, (2, 41), 0.9),
        autoregressive(3, (3, 30), -0.6),
        np.round(autoregressive(4, (2, 36), 0.5)),
        autoregressive(5, (3, 24), 0.3) * np.array([[1.0], [4.0], [1.0]]),
        autoregressive(6, (2, 5), 0.0),
        autoregressive(24, (2, 16), 0.3),  # ends by length, the last even member below 0
        autoregressive(25, (2, 12), -0.3),
    ]
    return all(
        np.allclose(measures(case[:, :, None]), plain(case.tolist()), rtol=1e-9) for case in cases
    )


@pytest.mark.parametrize(("measures", "plain"), PAIRS)
def test_the_measures_are_their_plain_twins(measures, plain):
    assert agree(measures, plain)


def without_splitting(values):
    return values


def without_ranks(values):
    return values


def with_ranks_of_each_chain(values):
    return np.concatenate([plain_scores_of(one[None, :]) for one in values])


def plain_scores_of(values):
    return np.array(plain_scores(values.tolist()))


def divided_by_its_pairs(values):
    draws = values.shape[1]
    return MENDED_COVARIANCE(values) * draws / (draws - np.arange(draws))


def up_to_the_first_negative(correlation):
    return float(2 * correlation[: int(np.argmax(correlation < 0)) or None].sum() - 1)


def never_below_nothing_at_the_end(correlation):
    """A last even member below 0 counts as 0, even where the draws end by length."""
    sums = correlation[: correlation.size // 2 * 2].reshape(-1, 2).sum(axis=1)
    ends = np.flatnonzero(sums <= 0)
    last = min(ends[0] if ends.size else sums.size, max((correlation.size - 3) // 2, 0))
    falling = np.minimum.accumulate(sums[:last])
    return float(2 * falling.sum() - 1 + max(correlation[2 * last], 0.0))


MENDED_COVARIANCE = mixing._autocovariance
SABOTEURS = [
    ("_split", without_splitting, (0, 1, 2)),
    ("_scores", without_ranks, (0, 1)),
    ("_scores", with_ranks_of_each_chain, (0, 1)),
    ("_autocovariance", divided_by_its_pairs, (1, 2)),
    ("_integrated", up_to_the_first_negative, (1, 2)),
    ("_integrated", never_below_nothing_at_the_end, (1,)),
    ("TAILS", (0.05,), (2,)),
    ("TAILS", (0.1, 0.9), (2,)),
]


@pytest.mark.parametrize(
    ("name", "sabotage", "number"),
    [(name, sabotage, number) for name, sabotage, numbers in SABOTEURS for number in numbers],
)
def test_the_comparison_barks(monkeypatch, name, sabotage, number):
    monkeypatch.setattr(mixing, name, sabotage)
    assert not agree(*PAIRS[number])


@given(st.lists(st.lists(st.integers(-3, 3), min_size=6, max_size=6), min_size=1, max_size=3))
def test_small_whole_states_with_many_ties(chains):
    states = np.array(chains)[:, :, None]
    for measures, plain in PAIRS:
        expected = plain([[float(x) for x in chain] for chain in chains])
        assert np.allclose(measures(states), expected, rtol=1e-9, equal_nan=True)


def formula() -> np.ndarray:
    """Three cells by a formula: quick chains, tied ones, and chains that wander apart."""
    n = np.arange(4 * 60).reshape(4, 60)
    quick = np.sin(n * n * 0.37) + 0.3 * np.sin(n / 9.0)
    tied = np.floor(5 * np.sin(n * n * 0.11))
    return np.stack([quick, tied, np.cumsum(np.sin(n * n * 1.7), axis=1)], axis=2)


def test_the_measures_are_arvizs():
    """What ArviZ 0.23.4 answers: rhat(method="rank"), ess(method="bulk"), ess(method="tail")."""
    states = formula()
    assert mixing.r_hat(states) == pytest.approx(
        [1.046932822719691, 0.997520959096027, 2.386798631437357], rel=1e-9
    )
    assert mixing.effective_draws_bulk(states) == pytest.approx(
        [66.51322598728417, 280.3914493918061, 5.606153692701875], rel=1e-9
    )
    assert mixing.effective_draws_tail(states) == pytest.approx(
        [99.4712841186966, 240.0, 12.562269872211386], rel=1e-9
    )


@pytest.mark.parametrize("memory", [0.0, 0.5, 0.9])
def test_the_effective_draws_of_an_autoregressive_chain(memory):
    """Of n draws with correlations m**lag, n (1 - m) / (1 + m) count; here to a fifth."""
    rng = np.random.default_rng(8)
    values = rng.normal(size=(4, 20_000, 1))
    for draw in range(1, values.shape[1]):
        values[:, draw] += memory * values[:, draw - 1]
    truth = 80_000 * (1 - memory) / (1 + memory)
    assert mixing.effective_draws_bulk(values)[0] == pytest.approx(truth, rel=0.2)
    assert mixing.r_hat(values)[0] < 1.01
    lags = mixing.autocorrelation(values).mean(axis=0)[:4, 0]
    assert lags == pytest.approx([1, memory, memory**2, memory**3], abs=0.03)


@pytest.mark.parametrize("spoil", [lambda c: c + 1.5, lambda c: 3 * c])
def test_a_chain_elsewhere_or_wider_raises_r_hat(spoil):
    """The folded ranks see the wider chain, whose middle is where the others' is."""
    values = autoregressive(9, (4, 500), 0.0)
    values[0] = spoil(values[0])
    assert mixing.r_hat(values[:, :, None])[0] > 1.1


def test_autocorrelations_by_hand():
    states = autoregressive(10, (2, 33), 0.7)[:, :, None]
    found = mixing.autocorrelation(states)
    for chain in range(2):
        values = states[chain, :, 0].tolist()
        plain = [plain_covariance(values, lag) / plain_covariance(values, 0) for lag in range(33)]
        assert np.allclose(found[chain, :, 0], plain, atol=1e-12)


def test_a_cell_that_never_changes_is_told_as_it_is():
    """A pinned cell has no R-hat; chains stuck apart have an infinite one."""
    still = np.zeros((4, 10, 2))
    still[0, :, 1] = 1.0
    assert math.isnan(mixing.r_hat(still)[0])
    assert mixing.r_hat(still)[1] == math.inf
    assert mixing.effective_draws_bulk(still)[0] == 40
    assert np.isnan(mixing.autocorrelation(still)).all()


def test_the_layout_is_arvizs():
    """ArviZ reads {name: (chain, draw, ...)}."""
    states = autoregressive(11, (2, 9), 0.0)[:, :, None]
    named = mixing.as_arviz_dict(states)
    assert list(named) == ["noise"]
    assert named["noise"] is states


@pytest.mark.parametrize(
    "states",
    [
        np.zeros((4, 10)),
        np.zeros((4, 3, 1)),
        np.zeros((0, 10, 1)),
        np.full((2, 10, 1), np.nan),
        np.zeros((2, 10, 1), dtype=complex),
        [[[0.0]]],
    ],
)
@pytest.mark.parametrize(
    "measures", [*(measures for measures, _ in PAIRS), mixing.autocorrelation, mixing.as_arviz_dict]
)
def test_what_is_no_chain_is_refused(measures, states):
    with pytest.raises(BadParameter, match="chain, draw, cell"):
        measures(states)
