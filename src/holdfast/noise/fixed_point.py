"""Numbers between two whole multiples of 2**-precision, rounded outwards in every product."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from holdfast.foundation.bounds import Bounds, exp_bounds


@dataclass(frozen=True, slots=True)
class Fixed:
    """A number of at least 0, between `below` and `above` units of 2**-precision."""

    below: int
    above: int
    precision: int

    def __mul__(self, other: "Fixed") -> "Fixed":
        low = self.below * other.below >> self.precision
        high = -(-self.above * other.above >> self.precision)
        return Fixed(low, high, self.precision)


def fixed(bounds: Bounds, precision: int) -> Fixed:
    """Return the bounds rounded outwards to the grid."""
    low, high = bounds.below, bounds.above
    return Fixed(
        (low.numerator << precision) // low.denominator,
        -((-high.numerator << precision) // high.denominator),
        precision,
    )


def fixed_exp(exponent: Fraction, precision: int) -> Fixed:
    """Return e to a rational power of at most 0."""
    return fixed(exp_bounds(exponent, precision * 302 // 1000 + 5), precision)


def fixed_power(base: Fraction, power: int, precision: int) -> Fixed:
    """Return a fraction within 0 and 1 to a power of at least 0, by repeated squaring."""
    extra = 2 * power.bit_length() + 4  # each squaring doubles the error
    square = fixed(Bounds.exactly(base), precision + extra)
    answer = fixed(Bounds.exactly(1), precision + extra)
    while power:
        if power & 1:
            answer = answer * square
        square = square * square
        power >>= 1
    return Fixed(answer.below >> extra, -(-answer.above >> extra), precision)


def powers(ratio: Fixed) -> Iterator[Fixed]:
    """Yield 1, ratio, ratio squared, and so on without end."""
    power = Fixed(1 << ratio.precision, 1 << ratio.precision, ratio.precision)
    while True:
        yield power
        power = power * ratio
