"""The normal cumulative, and the exact delta of the Gaussian mechanism, between bounds.

Claim.      The bounds contain the true value.
Reason.     docs/theory/gaussian.md#the-normal-cumulative-between-bounds
Checked by. tests/noise/test_normal.py
"""

import math
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

from holdfast.foundation.bounds import Bounds, exp_bounds, sqrt_bounds

MARGIN_DIGITS = 7  # a sum of n terms is off by at most 9 n units in the last digit; n < 10**6


@lru_cache(maxsize=64)
def pi_bounds(digits: int) -> Bounds:
    """Return bounds on pi: 16 arctan(1/5) - 4 arctan(1/239), term by term (Machin 1706)."""
    unit = 10 ** (digits + 10)
    total = 0
    for factor, inverse in ((16, 5), (-4, 239)):
        power, odd = factor * unit // inverse, 1
        while power not in (0, -1):
            total += power // odd if odd % 4 == 1 else -(power // odd)
            power //= inverse**2
            odd += 2
    slack = 10 * (digits + 20)  # two roundings a term, fewer than three terms a digit
    return Bounds(Fraction(total - slack, unit), Fraction(total + slack, unit))


def normal_cumulative(x: Fraction, digits: int = 40) -> Bounds:
    """Return the chance that a standard normal value is at most x.

    To so many digits *relative* to the chance, also far out on the left.
    """
    if x > 0:
        upper = normal_cumulative(-x, digits)
        return Bounds(1 - upper.above, 1 - upper.below)
    lost = math.ceil(x * x / 2 * Fraction(4343, 10000)) + 5  # the chance is that much below 1/2
    middle = _between_zero_and(-x, digits + lost + MARGIN_DIGITS)
    half = Fraction(1, 2)
    return Bounds(max(Fraction(0), half - middle.above), half - middle.below)


def _between_zero_and(x: Fraction, digits: int) -> Bounds:
    """Return the chance of a value between 0 and x >= 0.

    It is the density at x times x + x**3 / 3 + x**5 / (3 * 5) + ..., all terms positive.
    """
    if x == 0:
        return Bounds.exactly(0)
    total = Fraction(_odd_series(x, digits))
    slack = total / 10 ** (digits - MARGIN_DIGITS)
    kernel = exp_bounds(-x * x / 2, digits)
    circle = pi_bounds(digits)
    low = sqrt_bounds(2 * circle.below, digits).below
    high = sqrt_bounds(2 * circle.above, digits).above
    return Bounds((total - slack) * kernel.below / high, (total + slack) * kernel.above / low)


def _odd_series(x: Fraction, digits: int) -> Decimal:
    """Return x + x**3 / 3 + x**5 / (3 * 5) + ... until a term no longer counts."""
    with localcontext(Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN)):
        term = total = Decimal(x.numerator) / Decimal(x.denominator)
        square, odd = term * term, 1
        while 2 * square > odd + 2 or term > total.scaleb(-digits):
            odd += 2
            term = term * square / odd
            total += term
        return total


def gaussian_delta(shift: Fraction, epsilon: Fraction, digits: int = 40) -> Bounds:
    """Return the smallest delta of Gaussian noise whose neighbours lie `shift` sigmas apart.

    Balle and Wang 2018, theorem 8.
    """
    extra = digits + math.ceil(epsilon / 2)
    near = normal_cumulative(shift / 2 - epsilon / shift, extra)
    far = normal_cumulative(-shift / 2 - epsilon / shift, extra)
    factor = exp_bounds(epsilon, extra)
    return Bounds(
        max(Fraction(0), near.below - factor.above * far.above),
        near.above - factor.below * far.below,
    )
