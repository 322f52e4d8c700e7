"""The sigma that Gaussian noise needs for (epsilon, delta), rounded to the safe side.

Claim.      The exact delta at the returned sigma is at most the one asked for.
Reason.     docs/theory/gaussian.md#the-sigma-that-is-needed
Checked by. tests/noise/test_gaussian_scale.py
"""

from fractions import Fraction
from functools import lru_cache

from holdfast.foundation.bounds import Bounds, float_above, float_below, ln_bounds, sqrt_bounds
from holdfast.foundation.errors import BadParameter, Fault, shown
from holdfast.foundation.exact import between, positive
from holdfast.noise.normal import gaussian_delta

LARGEST_EPSILON = 500
SMALLEST_EPSILON = Fraction(1, 10**9)
SMALLEST_DELTA = Fraction(1, 10**100)


def sigma_above(epsilon: object, delta: object, formula: str = "analytic") -> float:
    """Return a sigma, for a squared L2 distance of 1, that is private enough.

    `formula` is "analytic" (the smallest sigma, Balle and Wang 2018) or "closed" (by zCDP,
    valid for every epsilon). The paper's formula is refused: it is too small.
    """
    epsilon, delta = _checked(epsilon, delta)
    match formula:
        case "analytic":
            return float_above(1 / largest_shift(epsilon, delta))
        case "closed":
            return float_above(_closed(epsilon, delta).above)
        case "paper":
            raise _paper_is_wrong(epsilon, delta)
        case _:
            raise BadParameter(
                Fault("formula", '"analytic" or "closed"', shown(formula), "Use one of these.")
            )


def largest_shift(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return the largest distance in sigmas, to a float's precision, that keeps the delta."""
    return _largest_shift(*_checked(epsilon, delta))


def paper_sigma(epsilon: Fraction, delta: Fraction) -> Bounds:
    """Return the paper's (1 + sqrt(1 + ln(1/delta))) / epsilon, for the record of its failure."""
    log = ln_bounds(1 / delta)
    low, high = sqrt_bounds(1 + log.below).below, sqrt_bounds(1 + log.above).above
    return Bounds((1 + low) / epsilon, (1 + high) / epsilon)


def _checked(epsilon: object, delta: object) -> tuple[Fraction, Fraction]:
    """Return both as fractions within what the formulas here can bound."""
    budget, chance = positive(epsilon, "epsilon"), between(delta, "delta", 0, 1)
    if not SMALLEST_EPSILON <= budget <= LARGEST_EPSILON or chance < SMALLEST_DELTA:
        raise BadParameter(
            Fault(
                "epsilon and delta",
                f"epsilon from 10**-9 to {LARGEST_EPSILON} and delta from 10**-100",
                "numbers beyond",
                "No useful privacy lies there.",
            )
        )
    return budget, chance


def _closed(epsilon: Fraction, delta: Fraction) -> Bounds:
    """Return (sqrt(L + epsilon) + sqrt(L)) / (sqrt(2) epsilon) with L = ln(1/delta)."""
    log = ln_bounds(1 / delta)
    root = sqrt_bounds(Fraction(2))
    low = sqrt_bounds(log.below + epsilon).below + sqrt_bounds(log.below).below
    high = sqrt_bounds(log.above + epsilon).above + sqrt_bounds(log.above).above
    return Bounds(low / (root.above * epsilon), high / (root.below * epsilon))


@lru_cache(maxsize=256)
def _largest_shift(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return the shift by halving between floats; the lower end always keeps the delta."""
    good = float_below(1 / _closed(epsilon, delta).above)
    bad = 2 * good
    digits = 40 + len(str(round(1 / delta)))  # delta is a small difference of two chances
    while gaussian_delta(Fraction(bad), epsilon, digits).above <= delta:
        good, bad = bad, 2 * bad
    while (middle := (good + bad) / 2) not in (good, bad):
        keeps = gaussian_delta(Fraction(middle), epsilon, digits).above <= delta
        good, bad = (middle, bad) if keeps else (good, middle)
    return Fraction(good)


def _paper_is_wrong(epsilon: Fraction, delta: Fraction) -> BadParameter:
    """Return the refusal of the paper's formula, with what it would really give here."""
    sigma = paper_sigma(epsilon, delta).above
    really = gaussian_delta(1 / sigma, epsilon).above
    here = "which happens to suffice here"
    if really > delta:
        here = f"whose sigma gives delta {float(really):.3g} where {float(delta):.3g} is claimed"
    return BadParameter(
        Fault(
            "formula",
            '"analytic" or "closed"',
            f'"paper", {here}; it fails for large epsilon at every delta',
            "See docs/theory/gaussian.md#the-papers-sigma.",
        )
    )
