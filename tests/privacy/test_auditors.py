"""What each auditor sees at least, and what it does not."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from holdfast.foundation.randomness import seeded
from holdfast.noise.discrete_laplace import DiscreteLaplace
from tests.plain.audit import battery, exact_loss, forking, frequencies, lattice, replay
from tests.plain.audit import shared_noise as sharing
from tests.plain.audit.claim import Audited, Claim
from tests.plain.audit.frequencies import draws_to_see
from tests.plain.audit.interval import chance_above, chance_below, least_seen, most_seen
from tests.plain.audit.mutants import (
    CLAIM,
    MUTANTS,
    TWO_CELLS,
    UNIT,
    at_scale,
    marked,
    one_cell,
    with_noise,
)
from tests.plain.audit.replay import Run

BY_NAME = {mutant.name: mutant for mutant in MUTANTS}


def binomial(trials, chance):
    return [
        math.comb(trials, k) * chance**k * (1 - chance) ** (trials - k) for k in range(trials + 1)
    ]


def worst_miss(bound, misses, trials, alarm):
    """Return the largest chance, over true chances, that a bound misses; sums in fractions."""
    bounds = [bound(seen, trials, alarm) for seen in range(trials + 1)]
    truths = [Fraction(n, 97) for n in range(98)]
    return max(
        sum(mass for mass, edge in zip(binomial(trials, p), bounds, strict=True) if misses(edge, p))
        for p in truths
    )


@pytest.mark.parametrize("trials", [1, 7, 40])
@pytest.mark.parametrize("alarm", [0.05, 1e-3, 1e-6])
def test_bounds_on_a_chance_miss_it_as_seldom_as_they_say(trials, alarm):
    """Exact: the binomial law in fractions."""
    assert worst_miss(chance_below, lambda edge, p: edge > p, trials, alarm) <= alarm
    assert worst_miss(chance_above, lambda edge, p: edge < p, trials, alarm) <= alarm


def test_the_test_of_bounds_barks():
    def normal(seen, trials, alarm):
        share = seen / trials
        return share - 1.64 * math.sqrt(share * (1 - share) / trials)

    assert worst_miss(normal, lambda edge, p: edge > p, 40, 0.05) > 0.05


@pytest.mark.parametrize("chance", [Fraction(1, 10), Fraction(2, 3)])
def test_counts_stray_as_seldom_as_they_say(chance):
    law = binomial(40, chance)
    least, most = least_seen(float(chance), 40, 0.01), most_seen(float(chance), 40, 0.01)
    assert sum(law[:least]) <= Fraction(1, 100)
    assert sum(law[most + 1 :]) <= Fraction(1, 100)


def half_line(epsilon):
    """The chances of "at least 1" at counts 1 and 0, of noise with this epsilon."""
    q = math.exp(-epsilon)
    return 1 / (1 + q), q / (1 + q)


def test_how_many_draws_each_fault_needs():
    """False alarm 5e-10 a run, miss 1e-3."""
    assert 7e10 > draws_to_see(*half_line(1.0001), CLAIM) > 5e10
    assert MUTANT_DRAWS >= draws_to_see(*half_line(1 / 0.99), CLAIM) > 5_000_000
    assert 11_000 > draws_to_see(*half_line(1.25), CLAIM) > 5000
    assert 1000 > draws_to_see(*half_line(2), CLAIM) > 300
    for odds in (100, 1000, 10_000):
        assert 180 * odds < draws_to_see(1 / odds, 0, CLAIM) < 250 * odds
    assert FULL_DRAWS >= draws_to_see(1e-5, 0, CLAIM) > MUTANT_DRAWS


MUTANT_DRAWS, FULL_DRAWS = battery.MUTANT.draws, battery.MUTANT_IN_FULL.draws


@pytest.mark.parametrize(("name", "epsilon"), [("half the noise", 2), ("scale 0.8", 1.25)])
def test_so_many_draws_do_see_it(name, epsilon):
    """Twice as many for the choice of the event; a twentieth does not do."""
    enough = 2 * draws_to_see(*half_line(epsilon), CLAIM)
    for seed in range(20):
        assert frequencies.examine(BY_NAME[name], seeded(seed), enough).alarm
    assert not frequencies.examine(BY_NAME[name], seeded(0), max(300, enough // 40)).alarm


@pytest.mark.parametrize("odds", [100, 1000])
def test_a_marker_is_seen_as_rare_as_stated(odds):
    marker = one_cell("marker", marked(odds), math.inf)
    enough = 2 * draws_to_see(1 / odds, 0, CLAIM)
    assert frequencies.examine(marker, seeded(1), enough).alarm
    assert not frequencies.examine(marker, seeded(1), enough // 40).alarm


def test_tapes_see_what_is_more_than_they_leave_open():
    """A marker is seen once its chance is above e times what is open; the rest cannot break e."""
    marker = BY_NAME["marker 0.001 %"]
    for tapes, seen in [(2000, False), (battery.MUTANT.tapes, True)]:
        _, left = exact_loss.law_of(marker, (0,), tapes)
        assert (math.e * left < Fraction(1, 100_000)) is seen
        assert bool(exact_loss.examine(marker, tapes).alarm) is seen


def test_tapes_see_the_smallest_excess_of_scale():
    """A millionth less noise; exactly the right scale passes."""
    less = one_cell("less", at_scale("0.999999"), 1.000001)
    assert exact_loss.examine(less, 9000).alarm
    assert exact_loss.examine(one_cell("right", at_scale("1"), 1.0), 9000).alarm is False


def test_tapes_say_where_they_cannot_judge():
    for name in ("repeated after a fork", "noise in floats"):
        assert exact_loss.examine(BY_NAME[name], 1000).alarm is None


def test_replay_sees_the_smallest_excess_of_distance_over_scale():
    assert replay.examine(one_cell("less", at_scale("0.999999999999"), 1.0), 1).alarm
    assert replay.examine(one_cell("right", at_scale("1"), 1.0), 50).alarm is False


ONE = Fraction(1)
STEADY = Run((Fraction(3),), ((ONE,),), (3,))
TWO_RUNS = [
    (Run((Fraction(5),), ((ONE,),), (5,)), Run((Fraction(6),), ((ONE,),), (5,)), None),
    (Run((Fraction(5),), ((ONE,),), (5,)), Run((Fraction(7),), ((ONE,),), (5,)), "distance"),
    (Run((Fraction(5),), ((ONE,),), (5,)), Run((Fraction(6),), ((2 * ONE,),), (5,)), "calls"),
    (Run((Fraction(5),), ((ONE,),) * 2, (-7, 5)), Run((Fraction(6),), ((ONE,),), (5,)), "calls"),
    (Run((Fraction(5),), ((ONE,),), (5,)), Run((Fraction(6),), ((ONE,),) * 2, (-7, 5)), "calls"),
    (Run((Fraction(0),), (), ()), Run((Fraction(1),), (), ()), "fewer"),
    (Run((Fraction(8),), ((ONE,),), (5,)), Run((Fraction(9),), ((ONE,),), (5,)), "true value"),
]


@pytest.mark.parametrize(("one", "other", "wrong"), TWO_RUNS)
def test_replay_names_what_is_wrong(one, other, wrong):
    """More calls on the neighbour, and fewer; noise that is missing; a value that is not true."""
    found = replay.fault(CLAIM, one, other, STEADY)
    assert (wrong is None and found is None) or wrong in found


def test_replay_counts_all_cells_and_rows():
    """Two rows of one person need twice the scale, and a table's cells add up."""
    two_rows = replace(CLAIM, rows=2)
    tables = ((0, 0), (1, 1))
    right = Audited("two rows", two_rows, at_scale("2"), tables)
    wrong = Audited("two rows", two_rows, at_scale("1.9"), tables)
    assert replay.examine(right, 3).alarm is False
    assert replay.examine(wrong, 3).alarm


def shared_by_chance(often):
    """Both cells have one noise in this share of the draws."""

    def draw(table, chance, count):
        noise = UNIT.draw(chance, (count, 2))
        same = chance.words(count) < np.uint64(int(often * 2**64))
        noise[same, 1] = noise[same, 0]
        return np.array(table) + noise

    return Audited("shared at times", CLAIM, lambda: draw, TWO_CELLS)


def test_shared_noise_is_seen_from_the_stated_share_on():
    """Two runs in a row must share; 18 in 100 more agreements than by chance are seen."""
    assert sharing.smallest_visible_fault(2000, pairs=1) < 0.18
    agree = math.tanh(0.5) ** 2  # at least so often two independent numbers are equal: 0 and 0
    assert 0.7**2 * (1 - agree) - 0.18 > 0.18
    for seed in range(20):
        assert sharing.examine(shared_by_chance(0.7), seeded(seed), 2000).alarm
        assert not sharing.examine(shared_by_chance(0.1), seeded(seed), 2000).alarm


def rows(seed):
    return UNIT.draw(seeded(seed), (forking.ROWS, 1)).tolist()


def test_forking_tells_repetition_from_chance():
    """A child that repeats half is not seen, nor a mechanism that hardly varies."""
    before, parent = rows(1), rows(2)
    assert forking.judge(before, parent, parent).alarm
    assert forking.judge(before, parent, rows(3)).alarm is False
    assert forking.judge(before, parent, parent[:-1] + [[99]]).alarm is False
    assert forking.judge(*[[[0]] * forking.ROWS] * 3).alarm is None
    assert forking.judge(before, parent, []).alarm is False


def test_forking_is_as_seldom_wrong_as_it_says():
    """Exact: the weight of a triple, over laws of a coin and of three outcomes, is at most 1."""
    for n in range(21):
        for m in range(21 - n):
            masses = [Fraction(n, 20), Fraction(m, 20), Fraction(20 - n - m, 20)]
            assert sum(p**2 * (p + 2 * (1 - p)) for p in masses) <= 1
    assert forking.ALARM < 1e-12


def half_once(table, chance, count):
    noisy = with_noise(UNIT)(table, chance, count).astype(float)
    noisy[-1] += 0.5
    return noisy


def test_one_output_off_the_whole_numbers_is_seen():
    assert lattice.examine(one_cell("half", lambda: half_once, 1.0), seeded(1), 100).alarm
    right = one_cell("right", lambda: with_noise(UNIT), 1.0)
    assert lattice.examine(right, seeded(1), 100).alarm is False


def test_fine_floats_prove_a_loss():
    """A third of NumPy's outputs for a count of 0 are impossible for a count of 1."""
    assert lattice.examine(BY_NAME["noise in floats"], seeded(1), 20_000).proven > 4


def test_coarse_floats_lose_nothing_by_their_fineness():
    halves = DiscreteLaplace.with_scale(2)
    coarse = one_cell("halves", lambda: lambda *given: with_noise(halves)(*given) / 2, 1.0)
    found = lattice.examine(coarse, seeded(1), 20_000)
    assert found.alarm
    assert found.proven == 0.0


@pytest.mark.parametrize(
    ("claim", "one", "other", "near"),
    [
        (Claim(ONE), (0, 0), (0, 1), True),
        (Claim(ONE), (0, 1), (1, 0), False),
        (Claim(ONE), (0, 0), (0, 0), False),
        (Claim(ONE), (0, 0), (1, 1), False),
        (Claim(ONE, rows=2), (0, 0), (1, 1), True),
        (Claim(ONE, "replace-one"), (0, 1), (1, 0), True),
        (Claim(ONE, "replace-one"), (0, 0), (0, 1), False),
        (Claim(ONE, "replace-one", rows=2), (0, 0), (0, 1), True),
        (Claim(ONE, "replace-one", rows=2), (0, 3), (1, 0), False),
    ],
)
def test_who_is_a_neighbour(claim, one, other, near):
    assert claim.neighbours(one, other) is claim.neighbours(other, one) is near
