"""The enumerator of losses against closed formulas and printed tables of the theory note."""

from fractions import Fraction
from math import exp, isclose, log

import pytest

from tests.plain.exact_loss import Case, normaliser, worst_ratio
from tests.plain.update_loss import revised_weight

HALF = Fraction(1, 2)
STAR, ROW = (("a",), ("b",)), (("a",), ("b",), ("c",))
GROUPS = (("a", "a"), ("a", "b"), ("b", "a"))
ROOT = ((),)


def test_one_cell():
    """c(1)/c(0) = 1 + q - q**2, the whole loss that over q; so the table of the theory note."""
    for q in (Fraction(1, 7), HALF, Fraction(9, 10)):
        for most in (1, 3):
            case = Case(((),), (q,), "add-remove", 1, (), "revise-nonnegative", most)
            assert worst_ratio(case) == ((1 + q - q * q) / q,) * 2


TOTALS = {".1": 0.182599, ".25": 0.408942, ".5": 0.714023, "1": 1.209080, "2": 2.110664}


@pytest.mark.parametrize("epsilon", TOTALS)
def test_the_table_of_resampling(epsilon):
    """The loss falls in q, so its values at two fractions about e**-epsilon enclose the true."""
    near = Fraction(exp(-float(epsilon)))
    ends = [near * (1 + sign * Fraction(1, 10**12)) for sign in (1, -1)]
    losses = [
        worst_ratio(Case(((),), (q,), "add-remove", 1, (), "revise-nonnegative", 1)).below
        for q in ends
    ]
    low, high = (log(loss) for loss in losses)
    assert low <= high <= low + 1e-9
    assert abs(low - TOTALS[epsilon]) < 6e-7


def test_two_cells_with_a_fixed_total():
    """(0, 3) and (1, 2), calibrated for epsilon 1, so q**2 = 1/e: 1.1863; smaller totals less."""
    near = Fraction(exp(-0.5))
    found = []
    for most in (1, 2, 3):
        case = Case(STAR, (HALF, near), "replace-one", 1, ROOT, "revise-nonnegative", most)
        found.append(worst_ratio(case).below)
    r = near**2
    assert found[2] == (1 + r) / (r * (1 + r**2))  # falls in r
    assert found[0] == 1 / r
    assert abs(log(found[1]) - 1.1441) < 1e-3
    assert abs(log(found[2]) - 1.1863) < 5e-5


def borough(zones, others):
    """Return the formula for c(e_j)/c(0), all levels alike, zones in the leaf's borough."""

    def formula(q):
        alone, empty = (1 - q**3) ** (zones - 1), (1 - q**3) ** others
        inner = (1 - alone) / q**2 + alone * ((1 - empty) + empty * q**2)
        return 1 + (1 - q**3) * q * inner

    return formula


@pytest.mark.parametrize(("zones", "others"), [(1, 1), (1, 2), (2, 1), (2, 2), (3, 2), (1, 4)])
def test_the_closed_form_for_three_levels(zones, others):
    """Exactly, for any fraction q; the other zones may lie in one borough or in several."""
    first = tuple(("a", f"{n}") for n in range(zones))
    for rest in (
        tuple(("b", f"{n}") for n in range(others)),
        tuple((f"b{n}", "a") for n in range(others)),
    ):
        for q in (HALF, Fraction(5, 7)):
            case = Case(first + rest, (q,) * 3, "add-remove", 1, (), "revise-nonnegative", 1)
            one = (1,) + (0,) * (zones + others - 1)
            quotient = normaliser(case, one) / normaliser(case, tuple(0 for _ in one))
            assert quotient == borough(zones, others)(q)


PRICES = {(0.1, 69): 0.938438, (1, 69): 0.632439, (1, 20): 0.632401, (1, 1): 0.373585}


@pytest.mark.parametrize(("epsilon", "zones"), PRICES)
def test_the_closed_form_gives_the_printed_prices(epsilon, zones):
    price = log(borough(zones, 263 - zones)(exp(-epsilon / 3))) / epsilon
    assert isclose(price, PRICES[epsilon, zones], abs_tol=6e-7)


ALL_ZERO = {GROUPS: 0.2816431097, STAR: 3 / 11, ROW: 27 / 245}


@pytest.mark.parametrize("paths", ALL_ZERO)
def test_printed_chances_of_no_noise(paths):
    case = Case(paths, (HALF,) * 3, "add-remove", 1, (), "revise", 1)
    assert isclose(1 / revised_weight(case), ALL_ZERO[paths], abs_tol=1e-10)
