"""Laplace noise of scale 1 on a root over groups of leaves, by integrals over frequencies.

No grid of totals and no message: every density has a closed Fourier transform, moments and
densities at 0 are integrals of products of them, and products of densities are convolutions of
transforms. A trapezoid sum of step h adds to a density its copies 2 pi / h = 126 apart, which
is some ten times what 69 leaves together stray, and leaves out frequencies beyond the last.
"""

from dataclasses import dataclass
from functools import cache
from math import comb, factorial, lgamma, log, pi

import numpy as np

STEP, LAST = 0.05, 60.0
T = np.arange(-round(LAST / STEP), round(LAST / STEP) + 1) * STEP
LEAF = 1 / (1 + T**2)  # of the density e**-|u| / 2


def weighted(power: int) -> np.ndarray:
    """Return the transform of |s|**power e**-|s|."""
    return 2 * factorial(power) * ((1 - 1j * T) ** -(power + 1.0)).real


@cache
def group(leaves: int, power: int = 0) -> np.ndarray:
    """Return the transform of |s|**power times a group's density times its node's e**-|s|."""
    total = np.zeros(T.size)
    for j in range(leaves):
        k = leaves - 1 - j
        log_weight = lgamma(leaves + j) - lgamma(leaves) - lgamma(k + 1) - lgamma(j + 1)
        log_weight += lgamma(k + power + 1) - (leaves + j) * log(2)
        total += 2 * np.exp(log_weight) * ((2 - 1j * T) ** -(k + power + 1.0)).real
    return total


def integral(*factors: np.ndarray) -> float:
    return float(np.prod(factors, axis=0).sum() * STEP / (2 * pi))


def times(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the transform of the product of two densities."""
    return np.convolve(one, other, "same") * STEP / (2 * pi)


@dataclass(frozen=True)
class Groups:
    """A root over groups of so many leaves; a pinned root has no noise."""

    sizes: tuple[int, ...]
    pinned: bool = False

    def _others(self, size: int | None = None) -> np.ndarray:
        """Return the transform of the density of the sum of all groups, or of all but one."""
        left = list(self.sizes)
        if size is not None:
            left.remove(size)
        return np.prod([np.ones(T.size), *(group(n) for n in left)], axis=0)

    def _beside(self, size: int) -> np.ndarray:
        """Return the transform of what the other groups and the root say of a group's total."""
        return self._others(size) * (1 if self.pinned else weighted(0))

    def root(self) -> tuple[float, float]:
        """Return E|s| and E s**2 of the root."""
        return moments([integral(weighted(p), self._others()) for p in range(3)])

    def group(self, size: int) -> tuple[float, float]:
        """Return E|s| and E s**2 of a group's total."""
        return moments([integral(group(size, p), self._beside(size)) for p in range(3)])

    def leaf(self, size: int) -> tuple[float, float]:
        """Return E|u| and E u**2 of a leaf of a group; a single leaf is its group."""
        if size == 1:
            return self.group(1)
        return moments([integral(weighted(p), self._around(size)) for p in range(3)])

    def _around(self, size: int) -> np.ndarray:
        """Return the transform of what all else says of a leaf."""
        return LEAF ** (size - 1) * times(weighted(0), self._beside(size))

    def densities_at_0(self, size: int) -> tuple[float, float, float]:
        """Return the density at 0 of the root, of a group's total, and of a leaf of it."""
        root = integral(self._others()) / integral(weighted(0), self._others())
        at = comb(2 * size - 2, size - 1) / 2 ** (2 * size - 1) * integral(self._beside(size))
        middle = at / integral(group(size), self._beside(size))
        if size == 1:
            return root, middle, middle
        around = self._around(size)
        return root, middle, integral(around) / integral(weighted(0), around)


def moments(sums: list[float]) -> tuple[float, float]:
    return sums[1] / sums[0], sums[2] / sums[0]


def mean_size(row: np.ndarray) -> float:
    """Return E|sum of coefficients times independent noise|: -2/pi integral of phi'(x) / x."""
    squares, often = np.unique(np.round(row**2, 15), return_counts=True)
    step = 0.1 / np.sqrt(squares.max())
    parts = squares[:, None] * (np.arange(0.5, 20_000) * step) ** 2
    phi = np.exp(-(often[:, None] * np.log1p(parts)).sum(axis=0))
    slope = phi * (often[:, None] * 2 * squares[:, None] / (1 + parts)).sum(axis=0)
    return float(2 / pi * slope.sum() * step)
