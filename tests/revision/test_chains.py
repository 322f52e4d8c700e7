"""How chains run, and what a chain's distance from its law would cost. Nothing here is random."""

from fractions import Fraction

import numpy as np
import pytest

from holdfast.foundation.errors import BadChance, BadParameter
from holdfast.foundation.randomness import seeded
from holdfast.revision.chains import states as chains
from holdfast.revision.chains.gibbs import Gibbs
from holdfast.revision.chains.states import Runs
from tests.plain import gamma_statistic as gamma


class Counting:
    """A kernel whose noise is the number of its chain and of the steps it took."""

    cells = 2

    def start(self, chance, count):
        return np.stack([np.arange(count), np.zeros(count, dtype=np.int64)], axis=1)

    def step(self, state, chance):
        return state + np.array([0, 1])

    def noise_of(self, state):
        return state


def test_each_noise_vector_is_the_last_state_of_a_chain_of_its_own():
    found = Runs(warm_up=5, chains=1, thin=3).last(Counting(), seeded(1), 4)
    assert found.tolist() == [[0, 5], [1, 5], [2, 5], [3, 5]]


def test_many_chains_run_in_parts(monkeypatch):
    monkeypatch.setattr(chains, "CELLS", 4)
    found = Runs(warm_up=5, chains=1, thin=3).last(Counting(), seeded(1), 5)
    assert found.tolist() == [[0, 5], [1, 5], [0, 5], [1, 5], [0, 5]]


def test_states_come_by_chain_draw_and_cell():
    found = Runs(warm_up=5, chains=2, thin=3).states(Counting(), seeded(1), 3)
    assert found.tolist() == [[[0, 5], [0, 8], [0, 11]], [[1, 5], [1, 8], [1, 11]]]


@pytest.mark.parametrize("ask", [Runs.last, Runs.states])
def test_what_is_no_chance_is_refused(ask):
    with pytest.raises(BadChance):
        ask(Runs(1, 1, 1), Counting(), np.random.default_rng(1), 1)


def test_states_without_a_draw_are_refused():
    with pytest.raises(BadParameter, match="count"):
        Runs(1, 1, 1).states(Counting(), seeded(1), 0)


def test_the_mean_of_a_chain_is_nearly_no_noise():
    """Why a chain or its mean must not be released: 4,000 states hide a hundredth of one."""
    states = Gibbs(gamma.tree(), chains=4).states(seeded(2), 1_000)
    one = np.abs(states).mean(axis=(0, 1))
    assert (np.abs(states.mean(axis=(0, 1))) < one / 20).all()


# The price of a distance: delta' <= delta + (1 + e**epsilon) tv

Law = list[Fraction]


def delta(law: Law, other: Law, factor: Fraction) -> Fraction:
    """The smallest delta: the most that P(S) exceeds factor Q(S)."""
    return sum((max(p - factor * q, Fraction(0)) for p, q in zip(law, other, strict=True)), 0)


def moved(law: Law, low: int, high: int, share: Fraction) -> Law:
    """The law with so much chance moved from one world to another."""
    answer = list(law)
    answer[low] -= share
    answer[high] += share
    return answer


def worst(price) -> Fraction:
    """The most by which a priced delta is exceeded, over moves of chance on either side."""
    rng = np.random.default_rng(7)
    excess = []
    for _ in range(60):
        p, q = ([Fraction(int(w), 60) for w in rng.multinomial(48, [0.25] * 4) + 3] for _ in "pq")
        factor, tv = Fraction(int(rng.integers(2, 8)), 2), Fraction(1, 20)
        claimed = delta(p, q, factor) + price(factor, tv)
        worlds = [(low, high) for low in range(4) for high in range(4) if low != high]
        found = max(
            delta(moved(p, *one, tv), moved(q, *two, tv), factor)
            for one in worlds
            for two in worlds
        )
        excess.append(found - claimed)
    return max(excess)


def test_the_price_of_a_distance_holds_and_is_reached():
    assert worst(lambda factor, tv: (1 + factor) * tv) == 0


@pytest.mark.parametrize("forgets", [lambda factor, tv: tv, lambda factor, tv: factor * tv])
def test_the_price_test_barks(forgets):
    assert worst(forgets) > 0
