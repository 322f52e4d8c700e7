"""Discrete Laplace noise as independent digits, each drawn by inversion.

The noise is m with chance 1 / (1 + r) and -1 - m otherwise, m geometric with ratio r; and the
digits of a geometric number in a mixed base are independent. So one table holds the sign with
the leading digit, and further tables of at most `MOST_OUTCOMES` outcomes hold the lower digits.

Claim.      Sign and digits are independent and have the weights given here.
Reason.     docs/theory/noise.md#discrete-laplace-by-digits
Checked by. tests/noise/test_exact_laws.py
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

from holdfast.foundation.bounds import Bounds, exp_bounds
from holdfast.noise.fixed_point import Fixed, fixed_exp, fixed_power, powers
from holdfast.noise.inversion import Weights

DIGIT_BITS = 9
MOST_OUTCOMES = 1 << DIGIT_BITS
LONGEST_POWER = 1 << 14  # bits


@dataclass(frozen=True, slots=True)
class Ratio:
    """A number r within 0 and 1: a fraction, or e to the power of minus a fraction."""

    value: Fraction
    exponential: bool

    def power(self, exponent: int, precision: int) -> Fixed:
        """Return r to a whole power, between bounds."""
        if self.exponential:
            return fixed_exp(-exponent * self.value, precision)
        return fixed_power(self.value, exponent, precision)

    def bounds(self, exponent: int) -> Bounds:
        """Return r to a whole power: exactly if it is a short fraction, else between bounds."""
        if self.exponential:
            return exp_bounds(-exponent * self.value)
        if exponent * self.value.denominator.bit_length() <= LONGEST_POWER:
            return Bounds.exactly(self.value**exponent)
        power = fixed_power(self.value, exponent, LONGEST_POWER)
        unit = 1 << LONGEST_POWER
        return Bounds(Fraction(power.below, unit), Fraction(power.above, unit))


@dataclass(frozen=True, slots=True)
class LeadingDigit:
    """Outcome 2a + s: leading digit a, and s = 1 for the negative side; weight r**(a*step + s)."""

    ratio: Ratio
    step: int

    def weigh(self, precision: int) -> Weights:
        """Return the weights, until all that follow weigh about one unit each that is listed."""
        other_side = self.ratio.power(1, precision)
        unit = 1 << precision
        one_step = self.ratio.power(self.step, precision)
        listed: list[Fixed] = []
        for power in powers(one_step):
            # what follows: (1 + r) * power / (1 - one step), at most
            rest = -(-2 * power.above * unit // (unit - one_step.above))
            if rest <= 2 * len(listed):
                return Weights(listed, max(rest, 1))
            listed += [power, power * other_side]
        raise AssertionError  # pragma: no cover

    def cumulative(self, outcome: int) -> Fraction | None:
        """Return P(at most this outcome) for a rational ratio."""
        if self.ratio.exponential:
            return None
        digit, negative = divmod(outcome, 2)
        r, step = self.ratio.value, self.ratio.value**self.step
        if negative:
            return 1 - step ** (digit + 1)
        return 1 - step**digit * (r + step) / (1 + r)


@dataclass(frozen=True, slots=True)
class LowerDigit:
    """Outcome b below `base`, with weight r**(b*step)."""

    ratio: Ratio
    step: int
    base: int

    def weigh(self, precision: int) -> Weights:
        """Return the weights of all outcomes."""
        return Weights(list(islice(powers(self.ratio.power(self.step, precision)), self.base)), 0)

    def cumulative(self, outcome: int) -> Fraction | None:
        """Return P(at most this outcome) for a rational ratio."""
        if self.ratio.exponential:
            return None
        step = self.ratio.value**self.step
        return (1 - step ** (outcome + 1)) / (1 - step**self.base)


def lower_digits(ratio: Ratio, step: int) -> tuple[LowerDigit, ...]:
    """Return the digits below a leading digit whose step is a power of two."""
    answer = []
    place = 1
    while place < step:
        base = min(MOST_OUTCOMES, step // place)
        answer.append(LowerDigit(ratio, place, base))
        place *= base
    return tuple(answer)
