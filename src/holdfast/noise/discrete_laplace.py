"""Discrete Laplace noise: weight ratio**|k| on the whole numbers, ratio = e**(-1/scale).

Claim.      Mass, cumulative and variance contain the true values; a draw has exactly this law.
Reason.     docs/theory/noise.md#discrete-laplace-by-digits
Checked by. tests/noise/test_exact_laws.py, tests/noise/test_discrete_laws.py
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import cast, overload

import numpy as np
import numpy.typing as npt

from holdfast.foundation.bounds import Bounds, ln_bounds
from holdfast.foundation.errors import BadParameter, Fault, brief, shown
from holdfast.foundation.exact import between, exact, positive, whole
from holdfast.foundation.randomness import Chance
from holdfast.noise.digits import LeadingDigit, LowerDigit, Ratio, lower_digits
from holdfast.noise.fixed_point import Fixed
from holdfast.noise.inversion import Integers, inversion
from holdfast.noise.shape import Shape, shaped

LARGEST_SCALE = 1 << 40
SMALLEST_SCALE = Fraction(1, 1000)
STEPS_A_SCALE = 16  # the leading digit counts steps of between 1/16 and 1/8 of the scale


@dataclass(frozen=True, slots=True)
class DiscreteLaplace:
    """Whole-number noise k of mass (1 - r) / (1 + r) * r**|k|.

    Give the `ratio` r itself, or the `scale` with r = e**(-1/scale). With a rational ratio the
    whole law is rational.

    >>> DiscreteLaplace(Fraction(1, 2)).mass(0).below
    Fraction(1, 3)
    """

    ratio: Fraction | None = None
    scale: Fraction | None = None

    def __post_init__(self) -> None:
        if (self.ratio is None) == (self.scale is None):
            raise BadParameter(
                Fault("discrete Laplace", "a ratio or a scale", "both or neither", "Give one.")
            )
        if self.ratio is not None:
            object.__setattr__(self, "ratio", between(self.ratio, "ratio", 0, 1))
        else:
            object.__setattr__(self, "scale", positive(self.scale, "scale"))
        self._check_size()

    def __repr__(self) -> str:
        if self.ratio is not None:
            return f"DiscreteLaplace(ratio {brief(self.ratio)})"
        return f"DiscreteLaplace(scale {brief(cast(Fraction, self.scale))})"

    def _check_size(self) -> None:
        """Refuse a scale that a draw of 64-bit integers cannot carry."""
        rate = self.rate
        if not (1 / Fraction(LARGEST_SCALE) <= rate.below and rate.above <= 1 / SMALLEST_SCALE):
            raise BadParameter(
                Fault(
                    "scale",
                    f"a scale from {SMALLEST_SCALE} to 2**40",
                    shown(self.scale if self.ratio is None else self.ratio),
                    "Count in a larger or smaller unit.",
                )
            )

    @staticmethod
    def with_scale(scale: object) -> "DiscreteLaplace":
        """Return the law of weight e**(-|k|/scale)."""
        return DiscreteLaplace(scale=exact(scale, "scale"))

    @staticmethod
    def with_ratio(ratio: object) -> "DiscreteLaplace":
        """Return the law of weight ratio**|k|."""
        return DiscreteLaplace(ratio=exact(ratio, "ratio"))

    @property
    def _base(self) -> Ratio:
        """Return r as the digits take it."""
        if self.ratio is not None:
            return Ratio(self.ratio, exponential=False)
        return Ratio(1 / cast(Fraction, self.scale), exponential=True)

    @property
    def rate(self) -> Bounds:
        """Return -ln r: what a distance of 1 costs."""
        if self.ratio is not None:
            return ln_bounds(1 / self.ratio)
        return Bounds.exactly(1 / cast(Fraction, self.scale))

    def falling(self, precision: int) -> Fixed:
        """Return r: what the weight falls by from one size to the next."""
        return self._base.power(1, precision)

    def mass(self, k: int) -> Bounds:
        """Return the chance of the value k."""
        ratio, power = self._base.bounds(1), self._base.bounds(abs(whole(k, "k")))
        return Bounds(
            (1 - ratio.above) / (1 + ratio.above) * power.below,
            (1 - ratio.below) / (1 + ratio.below) * power.above,
        )

    def cumulative(self, k: int) -> Bounds:
        """Return the chance of a value of at most k."""
        ratio = self._base.bounds(1)
        if whole(k, "k") >= 0:
            upper = self.cumulative(-k - 1)
            return Bounds(1 - upper.above, 1 - upper.below)
        power = self._base.bounds(-k)
        return Bounds(power.below / (1 + ratio.above), power.above / (1 + ratio.below))

    def tail_above(self, k: int) -> Fraction:
        """Return a bound on the chance of a value larger than k in size."""
        return 2 * self.cumulative(-whole(k, "k", least=0) - 1).above

    @property
    def variance(self) -> Bounds:
        """Return 2 r / (1 - r)**2."""
        ratio = self._base.bounds(1)
        low, high = ratio.below, ratio.above
        return Bounds(2 * low / (1 - low) ** 2, 2 * high / (1 - high) ** 2)

    @overload
    def draw(self, chance: Chance, size: None = None) -> int: ...
    @overload
    def draw(self, chance: Chance, size: int | tuple[int, ...]) -> Integers: ...
    def draw(self, chance: Chance, size: Shape = None) -> int | Integers:
        """Return exact draws: one whole number, or an array of the given shape."""
        drawn: int | Integers = shaped(_tables(self).draw, chance, size)
        return drawn


@dataclass(frozen=True, slots=True)
class _Tables:
    """The leading digit with its sign, and the lower digits."""

    leading: LeadingDigit
    lower: tuple[LowerDigit, ...]

    def draw(self, chance: Chance, count: int) -> npt.NDArray[np.int64]:
        """Return `count` independent draws."""
        outcome = inversion(self.leading, chance.width).draw(chance, count)
        size = outcome >> 1
        size *= self.leading.step
        for digit in self.lower:
            size += digit.step * inversion(digit, chance.width).draw(chance, count)
        size ^= -(outcome & 1)  # -1 - m is the complement of m
        return size


@lru_cache(maxsize=512)
def _tables(law: DiscreteLaplace) -> _Tables:
    """Return the digits of a law, chosen so that no table is long."""
    scale = 1 / law.rate.below
    step = 1
    while step * STEPS_A_SCALE < scale:
        step *= 2
    return _Tables(LeadingDigit(law._base, step), lower_digits(law._base, step))
