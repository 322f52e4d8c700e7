"""The Gaussian's sigma: reference values, the safe side, and where the paper's formula fails."""

from fractions import Fraction

import pytest

from holdfast.foundation.bounds import ln_bounds, sqrt_bounds
from holdfast.foundation.errors import BadParameter
from holdfast.noise.gaussian_scale import largest_shift, paper_sigma, sigma_above
from holdfast.noise.normal import gaussian_delta

REFERENCE = {
    ("0.5", 5): 7.0318267,
    ("0.5", 6): 8.0576185,
    ("0.5", 9): 10.673897,
    ("1", 5): 3.7306316,
    ("1", 6): 4.2246789,
    ("1", 9): 5.4952662,
    ("2", 5): 1.9938124,
    ("2", 6): 2.2304763,
    ("2", 9): 2.8445471,
    ("8", 5): 0.60022907,
    ("8", 6): 0.65293538,
    ("8", 9): 0.79223705,
}

EPSILONS = ["0.1", "0.5", "1", "2", "4", "8", "16"]
# exact delta over claimed delta of the paper's sigma; above 1 the claim is false
FALSE_CLAIMS = {
    1: ["2.7e-4", ".0016", ".0042", ".013", ".061", ".474", "4.4"],
    3: ["4.5e-4", ".0027", ".0069", ".022", ".111", "1.13", "28"],
    5: [".0013", ".0082", ".021", ".068", ".344", "3.88", "145"],
    6: [".0026", ".016", ".040", ".131", ".669", "7.79", "329"],
    8: [".011", ".066", ".169", ".552", "2.86", "34.8", "1750"],
    10: [".052", ".315", ".806", "2.63", "13.7", "172", "9770"],
    12: [".267", "1.63", "4.17", "13.6", "71.5", "917", "5.7e4"],
    15: ["3.52", "21.5", "55", "180", "950", "1.3e4", "8.4e5"],
}
FIRST_FAILURE = {
    1: "9.998",
    2: "8.83",
    3: "7.77",
    5: "5.64",
    6: "4.59",
    8: "2.65",
    10: "1.15",
    12: "0.334",
    15: "0.0295",
    20: "3.3e-4",
}


def delta_of(digits: int) -> Fraction:
    return Fraction(1, 10**digits)


@pytest.mark.parametrize(("epsilon", "digits"), REFERENCE)
def test_reference_values_to_every_digit_given(epsilon, digits):
    found = sigma_above(epsilon, delta_of(digits))
    assert f"{found:.8g}" == f"{REFERENCE[epsilon, digits]:.8g}"


@pytest.mark.parametrize(("epsilon", "digits"), REFERENCE)
@pytest.mark.parametrize("formula", ["analytic", "closed"])
def test_the_sigma_keeps_its_promise(epsilon, digits, formula):
    """The exact delta, bounded above, is at most the one asked for."""
    sigma = Fraction(sigma_above(epsilon, delta_of(digits), formula))
    assert gaussian_delta(1 / sigma, Fraction(epsilon)).above <= delta_of(digits)


@pytest.mark.parametrize(("epsilon", "digits"), REFERENCE)
def test_a_slightly_smaller_sigma_does_not(epsilon, digits):
    """The analytic sigma is the smallest to twelve digits: the test above has teeth."""
    sigma = Fraction(sigma_above(epsilon, delta_of(digits))) * (1 - Fraction(1, 10**12))
    assert gaussian_delta(1 / sigma, Fraction(epsilon)).below > delta_of(digits)


def ratio(epsilon: Fraction, digits: int) -> float:
    """Return exact delta over claimed delta at the paper's sigma."""
    shift = 1 / paper_sigma(epsilon, delta_of(digits)).above
    return float(gaussian_delta(shift, epsilon)) * 10**digits


@pytest.mark.parametrize("digits", FALSE_CLAIMS)
def test_the_table_of_false_claims(digits):
    """Theory note, section 2.1: each number to the digits given there."""
    for epsilon, printed in zip(EPSILONS, FALSE_CLAIMS[digits], strict=True):
        given = printed.lower().replace("e", " ").split()[0].strip("0").replace(".", "").strip("0")
        tolerance = 0.6 * 10.0 ** -(len(given) - 1) / (int(given[0]) if len(given) == 1 else 1)
        assert ratio(Fraction(epsilon), digits) == pytest.approx(float(printed), rel=tolerance)


@pytest.mark.parametrize("digits", FIRST_FAILURE)
def test_the_first_failing_epsilon(digits):
    """Just below it the paper's sigma suffices, just above it does not."""
    epsilon = Fraction(FIRST_FAILURE[digits])
    width = Fraction(1, 60)
    assert ratio(epsilon * (1 - width), digits) < 1 < ratio(epsilon * (1 + width), digits)


def test_the_papers_formula_is_refused_with_the_reason():
    with pytest.raises(BadParameter, match=r"gives delta 3\.88e-05 where 1e-05 is claimed"):
        sigma_above(8, "0.00001", "paper")
    with pytest.raises(BadParameter, match="happens to suffice here"):
        sigma_above(1, "0.00001", "paper")
    with pytest.raises(BadParameter, match='asked for "analytic" or "closed"'):
        sigma_above(1, "0.00001", "classic")


def test_the_third_formula_holds_only_where_the_note_says():
    """(1 + sqrt(2 L)) / epsilon is enough up to epsilon = 2 (1 + sqrt(2 L)), not far beyond."""
    log = ln_bounds(Fraction(10**5)).above
    root = sqrt_bounds(2 * log).above
    for epsilon in (Fraction(1, 2), Fraction(4), 2 * (1 + root)):
        shift = epsilon / (1 + root)
        assert gaussian_delta(shift, epsilon).above <= delta_of(5)
    shift = 40 / (1 + root)
    assert gaussian_delta(shift, Fraction(40)).below > delta_of(5)


def test_the_classical_formula_holds_up_to_one_and_fails_later():
    """sqrt(2 ln(1.25 / delta)) / epsilon."""
    root = sqrt_bounds(2 * ln_bounds(Fraction(5, 4) * 10**5).above).above
    for epsilon in (Fraction(1, 10), Fraction(1)):
        assert gaussian_delta(epsilon / root, epsilon).above <= delta_of(5)
    assert gaussian_delta(10 / root, Fraction(10)).below > delta_of(5)


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(0, "0.1"), (-1, "0.1"), (1, 0), (1, 1), (501, "0.1"), (True, "0.1")]
)
def test_useless_budgets_are_refused(epsilon, delta):
    with pytest.raises(BadParameter):
        sigma_above(epsilon, delta)


def test_the_shift_is_a_float_and_the_largest_one():
    shift = largest_shift(Fraction(1), delta_of(6))
    assert Fraction(float(shift)) == shift


@pytest.mark.parametrize(("epsilon", "delta"), [(5e-324, "0.1"), ("0.0000000001", "0.1")])
def test_an_epsilon_too_small_to_bound_is_refused(epsilon, delta):
    with pytest.raises(BadParameter, match="10\\*\\*-9"):
        sigma_above(epsilon, delta)


@pytest.mark.parametrize("delta", [Fraction(1, 10**60), 1 - Fraction(1, 2**200), Fraction(99, 100)])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10**9), Fraction(1)])
def test_extreme_deltas_are_safe_and_tight(epsilon, delta):
    """Small deltas are a difference of nearly equal chances; more digits are taken."""
    shift = largest_shift(epsilon, delta)
    assert gaussian_delta(shift, epsilon, 300).above <= delta
    assert gaussian_delta(shift * (1 + Fraction(1, 10**12)), epsilon, 300).below > delta
