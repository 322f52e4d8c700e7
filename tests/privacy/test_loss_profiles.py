"""Exact deltas of plain and of revised mechanisms: windows, printed values, saboteurs."""

from dataclasses import replace
from fractions import Fraction
from math import exp, isclose

import pytest

from tests.plain import exact_loss, loss_cases
from tests.plain.exact_loss import Case, Pair, worst_delta, worst_ratio
from tests.plain.loss_windows import beyond, difference, noises, weight, within

HALF, THIRD, MIXED = (
    Fraction(1, 2),
    Fraction(1, 3),
    (Fraction(3, 5), Fraction(1, 3), Fraction(1, 2)),
)
STAR, ROW, GROUPS = (("a",), ("b",)), (("a",), ("b",), ("c",)), (("a", "a"), ("a", "b"), ("b",))
ROOT = ((),)
SMALL = (THIRD, Fraction(1, 4), Fraction(1, 5))


def plain_delta(epsilon):
    """Return delta of two Laplace noises of scale 1, tables (0, 0) and (1, -1)."""
    a = 2 - epsilon
    return 1 - (1 + a / 4) * exp(-a / 2)


def conditioned_delta(epsilon):
    return 1 - exp((epsilon - 2) / 2)


PROFILES = {0: (0.448181, 0.632121), 0.5: (0.350496, 0.527633), 1: (0.241837, 0.393469)}


def excess(chances, factor) -> float:
    assert sum(chances.values()) == 1
    return float(sum(p * (1 - factor / r) for r, p in chances.items() if r > factor))


def agrees_with_print(epsilon) -> bool:
    """Steps of 1/16: noise of ratio e**(-1/16), tables 16 apart; theory 2.5 has scale 1, tables 1.

    The revised profile has no error at these epsilons, multiples of 2/16; the plain one's falls
    with the square of the step and is below 6e-5.
    """
    case = Case(STAR, (HALF, Fraction(exp(-1 / 16))), "replace-one", 1, ROOT, "revise", 16)
    plain = excess(exact_loss.plain_profile(case, (16, -16)), Fraction(exp(epsilon)))
    revised = excess(exact_loss.revised_profile(case, (16, -16)), Fraction(exp(epsilon)))
    printed = PROFILES[epsilon]
    return abs(plain - printed[0]) < 1e-4 and abs(revised - printed[1]) < 1e-6


@pytest.mark.parametrize("epsilon", PROFILES)
def test_profiles_of_fine_noise_come_near_the_printed_ones(epsilon):
    printed = PROFILES[epsilon]
    assert isclose(plain_delta(epsilon), printed[0], abs_tol=6e-7)
    assert isclose(conditioned_delta(epsilon), printed[1], abs_tol=6e-7)
    assert agrees_with_print(epsilon)


def delta_window(case, move, factor, reach) -> Pair:
    """Return bounds on the revised mechanism's delta for one move, from a window."""
    whole = found = Fraction(0)
    for leaves, nodes in noises(case, reach):
        own = weight(case, nodes)
        whole += own
        found += max(Fraction(0), own - factor * weight(case, difference(case, leaves, move)))
    tail = beyond(case, reach)
    return Pair(found / (whole + tail), (found + tail) / whole)


PROFILE_CASES = [
    Case(paths, ratios, relation, rows, pinned, "revise", 4)
    for paths, ratios in ((STAR, (HALF, THIRD)), (GROUPS, SMALL))
    for relation, rows in loss_cases.RELATIONS
    for pinned in ((), ROOT)
    if not (pinned and relation == "add-remove")
]


def agrees_with_delta_windows(case, factor) -> bool:
    reach = 12 if len(case.paths) == 2 else 6  # tails of 2e-5 and 2e-4
    moves = exact_loss.differences(case)
    ends = [delta_window(case, move, factor, reach) for move in moves]
    found = Pair(max(e.below for e in ends), max(e.above for e in ends))
    return within(worst_delta(case, factor).below, found)


@pytest.mark.parametrize("case", [c for c in PROFILE_CASES if c.rows == 1 or len(c.paths) == 2])
@pytest.mark.parametrize("factor", [Fraction(1), Fraction(3, 2), Fraction(5)])
def test_deltas_lie_in_their_windows(case, factor):
    assert agrees_with_delta_windows(case, factor)


def forgets_the_middle(series, size, path, case):
    parts = list(RIGHT_SPLIT(series, size, path, case))
    yield from (parts if len(parts) < 3 else [parts[0], parts[-1]])


def forgets_a_side(series, size, path, case):
    yield from list(RIGHT_SPLIT(series, size, path, case))[:1]


RIGHT_SPLIT = exact_loss.split


@pytest.mark.parametrize("sabotage", [forgets_the_middle, forgets_a_side])
def test_a_broken_split_is_seen(sabotage, monkeypatch):
    monkeypatch.setattr(exact_loss, "split", sabotage)
    two = [case for case in PROFILE_CASES if case.paths == STAR]
    assert not all(agrees_with_delta_windows(case, Fraction(3, 2)) for case in two)


def test_a_revised_profile_that_is_the_plain_one_is_seen(monkeypatch):
    monkeypatch.setattr(exact_loss, "revised_profile", exact_loss.plain_profile)
    assert not agrees_with_print(1)
    assert not all(agrees_with_delta_windows(case, Fraction(1)) for case in PROFILE_CASES)


@pytest.mark.parametrize("case", PROFILE_CASES)
def test_a_profile_ends_at_the_worst_loss(case):
    """Delta is above 0 just below the worst ratio and 0 from there on, plain and revised."""
    for street in ("plain", "revise"):
        other = replace(case, street=street)
        end = worst_ratio(other).below
        assert worst_delta(other, end) == (0, 0)
        assert worst_delta(other, end * Fraction(999, 1000)).below > 0


@pytest.mark.parametrize("case", PROFILE_CASES)
def test_the_plain_profile_is_no_bound_for_the_revised_one_where_a_total_is_pinned(case):
    """Theory 2.5: never reuse the curve of the plain mechanism after conditioning."""
    plain = worst_delta(replace(case, street="plain"), Fraction(1)).below
    if case.pinned:
        assert worst_delta(case, Fraction(1)).below > plain
