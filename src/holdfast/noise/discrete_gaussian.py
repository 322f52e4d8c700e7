"""Discrete Gaussian noise: weight e**(-k**2 / (2 sigma**2)) on the whole numbers.

Small sigma: inversion alone. Large sigma: a block is drawn by inversion, a place in it
uniformly, and the place is kept with the chance that is missing to the weight.

Claim.      Mass, cumulative and variance contain the true values; a draw has exactly this law.
Reason.     docs/theory/noise.md#discrete-gaussian-by-blocks
Checked by. tests/noise/test_exact_laws.py, tests/noise/test_discrete_laws.py
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import overload

import numpy as np

from holdfast.foundation.bounds import Bounds, exp_bounds
from holdfast.foundation.errors import BadParameter, Fault, brief, shown
from holdfast.foundation.exact import exact, positive, whole
from holdfast.foundation.randomness import Chance
from holdfast.noise.blocks import Block, HalfLine, sums
from holdfast.noise.coin import Booleans, heads
from holdfast.noise.fixed_point import Fixed, fixed_exp
from holdfast.noise.inversion import Integers, inversion
from holdfast.noise.shape import Shape, shaped

LARGEST_SIGMA = 1 << 40
SMALLEST_VARIANCE = Fraction(1, 1000)
WIDEST_SUM = 1 << 14  # sigma up to which mass and variance are summed term by term
SUM_BITS = 200
BLOCKS_A_SIGMA = 32  # a block is between 1/64 and 1/32 of sigma


@dataclass(frozen=True, slots=True)
class DiscreteGaussian:
    """Whole-number noise k of weight e**(-k**2 / (2 variance_parameter)).

    The parameter is the square of sigma, so that a rational zCDP cost has a rational law; the
    variance itself is a little smaller.
    """

    variance_parameter: Fraction

    def __post_init__(self) -> None:
        square = positive(self.variance_parameter, "sigma squared")
        object.__setattr__(self, "variance_parameter", square)
        if not SMALLEST_VARIANCE <= square <= LARGEST_SIGMA**2:
            raise BadParameter(
                Fault(
                    "sigma squared",
                    f"a number from {SMALLEST_VARIANCE} to 2**80",
                    shown(square),
                    "Count in a larger or smaller unit.",
                )
            )

    def __repr__(self) -> str:
        return f"DiscreteGaussian(sigma squared {brief(self.variance_parameter)})"

    @staticmethod
    def with_scale(sigma: object) -> "DiscreteGaussian":
        """Return the law of weight e**(-k**2 / (2 sigma**2))."""
        return DiscreteGaussian(positive(sigma, "sigma") ** 2)

    @staticmethod
    def with_variance(square: object) -> "DiscreteGaussian":
        """Return the law whose sigma squared is given."""
        return DiscreteGaussian(exact(square, "sigma squared"))

    def mass(self, k: int) -> Bounds:
        """Return the chance of the value k."""
        size = abs(whole(k, "k"))
        return _share(fixed_exp(-(size**2) / (2 * self.variance_parameter), SUM_BITS), _total(self))

    def cumulative(self, k: int) -> Bounds:
        """Return the chance of a value of at most k."""
        if whole(k, "k") >= 0:
            upper = self.cumulative(-k - 1)
            return Bounds(1 - upper.above, 1 - upper.below)
        return _share(_sums(self).beyond(-k), _total(self))

    def tail_above(self, k: int) -> Fraction:
        """Return a bound on the chance of a value larger than k in size."""
        size = Fraction(whole(k, "k", least=0) + 1)
        return min(Fraction(1), 2 * exp_bounds(-(size**2) / (2 * self.variance_parameter)).above)

    @property
    def variance(self) -> Bounds:
        """Return the mean of k**2."""
        half = _sums(self).square
        return _share(Fixed(2 * half.below, 2 * half.above, SUM_BITS), _total(self))

    @overload
    def draw(self, chance: Chance, size: None = None) -> int: ...
    @overload
    def draw(self, chance: Chance, size: int | tuple[int, ...]) -> Integers: ...
    def draw(self, chance: Chance, size: Shape = None) -> int | Integers:
        """Return exact draws: one whole number, or an array of the given shape."""
        block = _block(self)
        drawn: int | Integers = shaped(partial(_draw, block), chance, size)
        return drawn


def _draw(block: Block, chance: Chance, count: int) -> Integers:
    """Return `count` draws; places that are not kept are drawn again."""
    drawn = _propose(block, chance, count)
    if block.length == 1:
        return drawn[0]
    values, kept = drawn[0], _keep(block, drawn, chance)
    while (again := np.flatnonzero(~kept)).size:
        drawn = _propose(block, chance, again.size)
        values[again] = drawn[0]
        kept[again] = _keep(block, drawn, chance)
    return values


Proposal = tuple[Integers, Integers, Integers]  # value, place in the block, nearest size to 0


def _propose(block: Block, chance: Chance, count: int) -> Proposal:
    """Return values whose weight is constant within each block."""
    outcome = inversion(block, chance.width).draw(chance, count)
    nearest = (outcome >> 1) * block.length
    negative = outcome & 1
    place = uniform_places(block.length, chance, count)
    return (nearest + place) ^ -negative, place, nearest + negative


def uniform_places(length: int, chance: Chance, count: int) -> Integers:
    """Return whole numbers uniform below a power of two."""
    bits = length.bit_length() - 1
    place = np.zeros(count, dtype=np.int64)
    while bits > 0:
        taken = min(bits, chance.width)
        words = chance.words(count) >> np.uint64(chance.width - taken)
        place = (place << taken) | words.astype(np.int64)
        bits -= taken
    return place


def _keep(block: Block, drawn: Proposal, chance: Chance) -> Booleans:
    """Return coins of chance e**(-(size**2 - nearest**2) / (2 sigma**2))."""
    _, place, nearest = drawn
    return heads(place, 2 * nearest + place, 2 * block.square, chance)


def _share(weight: Fixed, total: Fixed) -> Bounds:
    """Return the quotient of a weight by the total."""
    return Bounds(Fraction(weight.below, total.above), Fraction(weight.above, total.below))


def _total(law: DiscreteGaussian) -> Fixed:
    """Return the weight of all values: 0 once and every other size twice."""
    half = _sums(law).beyond(1)
    unit = 1 << SUM_BITS
    return Fixed(unit + 2 * half.below, unit + 2 * half.above, SUM_BITS)


@lru_cache(maxsize=64)
def _sums(law: DiscreteGaussian) -> HalfLine:
    """Return the sums over the half line, term by term."""
    if law.variance_parameter > WIDEST_SUM**2:
        raise BadParameter(
            Fault(
                "sigma",
                f"at most {WIDEST_SUM} where chances are summed term by term",
                "a larger one",
                "Draws have no such limit; for chances use Gaussian with the same sigma.",
            )
        )
    return sums(law.variance_parameter, SUM_BITS)


@lru_cache(maxsize=512)
def _block(law: DiscreteGaussian) -> Block:
    """Return the block length of a law: 1 while sigma is small."""
    length = 1
    while (length * BLOCKS_A_SIGMA * 2) ** 2 <= law.variance_parameter:
        length *= 2
    return Block(law.variance_parameter, length)
