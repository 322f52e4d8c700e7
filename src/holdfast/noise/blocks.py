"""Weights of the discrete Gaussian, place by place or block by block.

Claim.      The weights are e**(-size**2 / (2 square)) at each block's size nearest to 0, and
            what is not listed weighs at most `rest`.
Reason.     docs/theory/noise.md#discrete-gaussian-by-blocks
Checked by. tests/noise/test_blocks.py
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, repeat

from holdfast.noise.fixed_point import Fixed, fixed_exp, powers
from holdfast.noise.inversion import Weights


def half_line(
    square: Fraction, start: int, step: int, precision: int
) -> Iterator[tuple[Fixed, Fixed]]:
    """Yield e**(-size**2 / (2 square)) for size = start, start + step, ..., and its fall.

    The fall is the ratio of the next weight to this one; it only becomes smaller.
    """
    weight = fixed_exp(-Fraction(start**2) / (2 * square), precision)
    first_fall = fixed_exp(-Fraction(2 * start * step + step**2) / (2 * square), precision)
    for change in powers(fixed_exp(-Fraction(step**2) / square, precision)):
        fall = first_fall * change
        yield weight, fall
        weight = weight * fall


def rest_above(weight: Fixed, fall: Fixed) -> int:
    """Return a bound on this weight and all that follow it, in units."""
    unit = 1 << weight.precision
    return -(-weight.above * unit // (unit - fall.above))


@dataclass(frozen=True, slots=True)
class Block:
    """Outcome 2a + s: block a of so many values, and s = 1 for the negative side."""

    square: Fraction
    length: int

    def weigh(self, precision: int) -> Weights:
        """Return the weights until all that follow weigh about one unit each that is listed."""
        positive = half_line(self.square, 0, self.length, precision)
        negative = half_line(self.square, 1, self.length, precision)
        listed: list[Fixed] = []
        for (here, fall), (there, _) in zip(positive, negative, strict=False):
            rest = 2 * rest_above(here, fall)  # the negative side is the lighter one
            if rest <= 2 * len(listed):
                return Weights(listed, max(rest, 1))
            listed += [here, there]
        raise AssertionError  # pragma: no cover

    def cumulative(self, outcome: int) -> Fraction | None:
        """Return nothing: no probability is known to be rational (docs/known_limits.md)."""
        return None


@dataclass(frozen=True, slots=True)
class HalfLine:
    """Sums of the weight over all sizes from k on, and the sum of k**2 times the weight."""

    from_size: tuple[Fixed, ...]
    square: Fixed

    def beyond(self, k: int) -> Fixed:
        """Return the weight of all values of at least k."""
        return self.from_size[min(k, len(self.from_size) - 1)]


def _from_each(numbers: list[int], beyond: int) -> list[int]:
    """Return for each place the sum from there to the end, and of what lies beyond."""
    return [beyond + total for total in accumulate(reversed(numbers))][::-1]


def sums(square: Fraction, precision: int) -> HalfLine:
    """Return sums over k >= 0, term by term; what is left over widens the upper bounds."""
    terms: list[Fixed] = []
    for weight, fall in half_line(square, 0, 1, precision):
        terms.append(weight)
        size = len(terms)
        # (1 + 1/size)**2 bounds the growth of k**2 from here on
        growth = -(-((size + 1) ** 2) * fall.above // size**2)
        if weight.above <= size and growth < 1 << precision:
            break
    size = len(terms)
    rest = rest_above(weight, fall)
    below = _from_each([term.below for term in terms], 0)
    above = _from_each([term.above for term in terms], rest)
    squares_below = sum(k * k * term.below for k, term in enumerate(terms))
    squares_above = sum(k * k * term.above for k, term in enumerate(terms))
    squares_above += size**2 * rest_above(weight, Fixed(0, growth, precision))
    return HalfLine(
        (*map(Fixed, below, above, repeat(precision)), Fixed(0, rest, precision)),
        Fixed(squares_below, squares_above, precision),
    )
