"""Numbers known to lie between two fractions, and the functions that yield them.

`decimal` rounds `exp` and `ln` correctly, so the next number down and the next number up enclose
the true value; quotients are rounded to a named side.

Claim.      Each function returns bounds that contain the true value.
Reason.     docs/theory/numbers.md#bounds
Checked by. tests/foundation/test_bounds.py
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction

from holdfast.foundation.errors import BadParameter, Fault, shown

DIGITS = 50
SHORT_BITS = 200
FARTHEST = 1 << 16  # an exponent beyond it would fill a fraction with thousands of digits


@dataclass(frozen=True, slots=True)
class Bounds:
    """Two fractions with the true number between them, ends included."""

    below: Fraction
    above: Fraction

    def __post_init__(self) -> None:
        if self.below > self.above:
            raise BadParameter(
                Fault("bounds", "below <= above", "the reverse", "Exchange the two ends.")
            )

    def __contains__(self, number: Fraction | int | float) -> bool:
        return self.below <= number <= self.above

    def __float__(self) -> float:
        return float((self.below + self.above) / 2)

    @property
    def width(self) -> Fraction:
        """Return the distance between the two ends."""
        return self.above - self.below

    def meets(self, other: "Bounds") -> bool:
        """Return whether one number can lie within both."""
        return self.below <= other.above and other.below <= self.above

    @staticmethod
    def exactly(number: Fraction | int) -> "Bounds":
        """Return bounds of width 0."""
        return Bounds(Fraction(number), Fraction(number))


@contextmanager
def _digits(digits: int) -> Iterator[Context]:
    """Compute with so many decimal digits, and exponents as long as they come."""
    with localcontext(Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN)) as context:
        yield context


def _quotients(number: Fraction, context: Context) -> tuple[Decimal, Decimal]:
    """Return the fraction as two decimals, rounded down and rounded up."""
    numerator, denominator = Decimal(number.numerator), Decimal(number.denominator)
    context.rounding = ROUND_FLOOR
    down = numerator / denominator
    context.rounding = ROUND_CEILING
    return down, numerator / denominator


def exp_bounds(exponent: Fraction, digits: int = DIGITS) -> Bounds:
    """Return bounds on e to a rational power, relative width about 10**-digits.

    Below e**-65536 the lower bound is 0; above e**65536 the power is refused.

    >>> float(exp_bounds(Fraction(-1))) == math.exp(-1)
    True
    """
    if exponent < -FARTHEST:
        return Bounds(Fraction(0), exp_bounds(Fraction(-FARTHEST)).above)
    if exponent > FARTHEST:
        raise BadParameter(
            Fault("exponent", f"at most {FARTHEST}", "a larger one", "Use smaller numbers.")
        )
    extra = len(str(math.ceil(abs(exponent)))) + 2  # an error in a large exponent counts in full
    with _digits(digits + extra) as context:
        down, up = _quotients(exponent, context)
        return Bounds(Fraction(down.exp().next_minus()), Fraction(up.exp().next_plus()))


def ln_bounds(number: Fraction, digits: int = DIGITS) -> Bounds:
    """Return bounds on the natural logarithm of a fraction above 0.

    Where rounding gives 1, the bounds are 1 - 1/x <= ln x <= x - 1: they keep the sign.
    """
    if number <= 0:
        raise BadParameter(
            Fault("logarithm", "a number above 0", shown(number), "Logarithms start above 0.")
        )
    if number == 1:
        return Bounds.exactly(0)
    with _digits(digits) as context:
        down, up = _quotients(number, context)
        below = 1 - 1 / number if down == 1 else Fraction(down.ln().next_minus())
        return Bounds(below, number - 1 if up == 1 else Fraction(up.ln().next_plus()))


def sqrt_bounds(number: Fraction, digits: int = DIGITS) -> Bounds:
    """Return bounds on the square root of a fraction of at least 0.

    >>> sqrt_bounds(Fraction(9, 4))
    Bounds(below=Fraction(3, 2), above=Fraction(3, 2))
    """
    product = number.numerator * number.denominator
    scale = 10 ** (2 * digits)
    root = math.isqrt(product * scale)
    unit = number.denominator * 10**digits
    over = 0 if root * root == product * scale else 1
    return Bounds(Fraction(root, unit), Fraction(root + over, unit))


def float_below(number: Fraction) -> float:
    """Return the largest float that is at most the number."""
    nearest = _nearest(number)
    return nearest if nearest <= number else math.nextafter(nearest, -math.inf)


def float_above(number: Fraction) -> float:
    """Return the smallest float that is at least the number."""
    return -float_below(-number)


def shown_above(number: Fraction, digits: int = 3) -> str:
    """Return the number in three digits or so many, rounded up.

    >>> shown_above(Fraction(1, 3)), shown_above(Fraction(1, 2**65)), shown_above(Fraction(0))
    ('0.334', '2.72e-20', '0')
    """
    with _digits(digits) as context:
        _, up = _quotients(number, context)
        return f"{up.normalize(context):g}"


def short_above(number: Fraction, digits: int = DIGITS) -> Fraction:
    """Return the number itself where it is short, else one of so many digits that is not less.

    >>> short_above(Fraction(1, 3)), short_above(Fraction(2 * 10**80 + 1, 10**80), 3)
    (Fraction(1, 3), Fraction(201, 100))
    """
    if max(number.numerator.bit_length(), number.denominator.bit_length()) <= SHORT_BITS:
        return number
    with _digits(digits) as context:
        return Fraction(_quotients(number, context)[1])


def _nearest(number: Fraction) -> float:
    """Return the float nearest to the number, infinite where it is out of range."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf
