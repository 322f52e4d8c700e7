"""Continuous Gaussian noise in floats: research mode, never certified (see `laplace`)."""

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
class Gaussian:
    """Real noise of density e**(-x**2 / (2 variance)) / sqrt(2 pi variance)."""

    variance: Fraction

    def __post_init__(self) -> None:
        square = fits_floats(positive(self.variance, "sigma squared"), "sigma squared")
        object.__setattr__(self, "variance", square)

    def __repr__(self) -> str:
        return f"Gaussian(sigma squared {brief(self.variance)})"

    @staticmethod
    def with_scale(sigma: object) -> "Gaussian":
        """Return the law of standard deviation sigma."""
        return Gaussian(positive(sigma, "sigma") ** 2)

    @staticmethod
    def with_variance(square: object) -> "Gaussian":
        """Return the law whose sigma squared is given."""
        return Gaussian(exact(square, "sigma squared"))

    @property
    def sigma(self) -> float:
        """Return the standard deviation."""
        return math.sqrt(self.variance)

    def density(self, x: float) -> float:
        """Return the density at x."""
        return math.exp(-((x / self.sigma) ** 2) / 2) / (self.sigma * math.sqrt(2 * math.pi))

    def cumulative(self, x: float) -> float:
        """Return the chance of a value of at most x."""
        return math.erfc(-x / (self.sigma * math.sqrt(2))) / 2

    def tail_above(self, x: float) -> float:
        """Return a bound on the chance of a value larger than x in size."""
        square = max(exact(x, "x"), Fraction(0)) ** 2 / (2 * self.variance)
        return min(1.0, float_above(exp_bounds(-square).above))

    @overload
    def draw(self, chance: Chance, size: None = None) -> float: ...
    @overload
    def draw(self, chance: Chance, size: int | tuple[int, ...]) -> Floats: ...
    def draw(self, chance: Chance, size: Shape = None) -> float | Floats:
        """Return draws by Box and Muller's method: a radius and an angle."""
        drawn: float | Floats = shaped(partial(_scaled, self.sigma), chance, size)
        return drawn


def _scaled(sigma: float, chance: Chance, count: int) -> Floats:
    """Return draws of this standard deviation."""
    uniforms = open_uniforms(chance, 2 * count).reshape(count, 2)
    radius = np.sqrt(-2 * np.log(uniforms[:, 0]))
    drawn: Floats = sigma * radius * np.cos(2 * math.pi * uniforms[:, 1])
    return drawn
