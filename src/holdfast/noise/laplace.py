"""Continuous Laplace noise in floats: research mode, never certified.

A float draw lies on a grid that can tell neighbouring tables apart (docs/known_limits.md), so no
certificate is ever given to it; the discrete law is the one for releases.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import overload

import numpy as np
import numpy.typing as npt

from holdfast.foundation.bounds import exp_bounds, float_above
from holdfast.foundation.errors import brief
from holdfast.foundation.exact import exact, positive
from holdfast.foundation.randomness import Chance
from holdfast.noise.shape import Shape, shaped
from holdfast.noise.uniform import fits_floats, open_uniforms

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Laplace:
    """Real noise of density e**(-|x|/scale) / (2 scale).

    >>> Laplace.with_scale(3).variance
    Fraction(18, 1)
    """

    scale: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", fits_floats(positive(self.scale, "scale"), "scale"))

    def __repr__(self) -> str:
        return f"Laplace(scale {brief(self.scale)})"

    @staticmethod
    def with_scale(scale: object) -> "Laplace":
        """Return the law of density e**(-|x|/scale) / (2 scale)."""
        return Laplace(exact(scale, "scale"))

    def density(self, x: float) -> float:
        """Return the density at x."""
        scale = float(self.scale)
        return math.exp(-abs(x) / scale) / (2 * scale)

    def cumulative(self, x: float) -> float:
        """Return the chance of a value of at most x."""
        lower = math.exp(-abs(x) / float(self.scale)) / 2
        return lower if x < 0 else 1 - lower

    def tail_above(self, x: float) -> float:
        """Return a bound on the chance of a value larger than x in size."""
        return min(1.0, float_above(exp_bounds(-exact(x, "x") / self.scale).above))

    @property
    def variance(self) -> Fraction:
        """Return 2 scale**2."""
        return 2 * self.scale**2

    @overload
    def draw(self, chance: Chance, size: None = None) -> float: ...
    @overload
    def draw(self, chance: Chance, size: int | tuple[int, ...]) -> Floats: ...
    def draw(self, chance: Chance, size: Shape = None) -> float | Floats:
        """Return draws by inversion of a uniform float."""
        drawn: float | Floats = shaped(partial(_scaled, float(self.scale)), chance, size)
        return drawn


def _scaled(scale: float, chance: Chance, count: int) -> Floats:
    """Return draws of this scale: the values below which the law has a uniform chance."""
    uniform = open_uniforms(chance, count)
    size: Floats = -scale * np.log(1 - np.abs(2 * uniform - 1))
    return np.copysign(size, uniform - 0.5)
