"""Gaussian noise on a tree given its sums, by two sweeps: nothing is solved.

Claim.      A draw has the conditional law, up to the rounding of floats.
Reason.     docs/theory/revision.md#gaussian-noise-both-views-coincide
Checked by. tests/revision/test_gaussian_closed_form.py
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from holdfast.foundation.randomness import Chance
from holdfast.revision.closed_forms.gaussian_closed_form import (
    FLOATS,
    cell_of,
    standard_draws,
    variances_of,
)
from holdfast.revision.evidence import NotProven
from holdfast.revision.noisy_tree import NoisyTree
from holdfast.worlds.growth import Arrays

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Level:
    """The inner nodes of a level, all their children, and where each node's children begin."""

    inner: Integers
    under: slice
    starts: Integers
    counts: Integers


@dataclass(frozen=True, eq=False, init=False, repr=False)
class GaussianTree:
    """Gaussian noise on a tree given its sums, the noise of pinned nodes being 0.

    `alone` is the variance of a node given the sums below it, and `shares` what part of its
    parent's noise a child takes: its own variance alone over that of all the children.
    """

    noisy: NoisyTree
    levels: tuple[_Level, ...]
    alone: Floats
    shares: Floats

    def __init__(self, noisy: NoisyTree) -> None:
        levels = tuple(_levels(noisy.tree.arrays))
        alone = np.array(variances_of(noisy.laws))[noisy.tree.levels]
        alone[noisy.is_pinned] = 0
        shares = np.ones(alone.size)
        for level in reversed(levels):
            spread = np.add.reduceat(alone[level.under], level.starts)
            shares[level.under] = _over(alone[level.under], np.repeat(spread, level.counts))
            own = alone[level.inner]
            alone[level.inner] = own * _over(spread, own + spread)
        object.__setattr__(self, "noisy", noisy)
        object.__setattr__(self, "levels", levels)
        object.__setattr__(self, "alone", alone)
        object.__setattr__(self, "shares", shares)

    @property
    def evidence(self) -> NotProven:
        """Return that floats carry no proof."""
        return FLOATS

    def noise(self, chance: Chance, count: int) -> Floats:
        """Return so many independent noise vectors over the nodes, one a row."""
        noise = standard_draws(chance, count, self.alone.size)
        noise *= np.sqrt(self.alone)
        for level in self.levels:
            children = noise[:, level.under]
            missing = noise[:, level.inner] - np.add.reduceat(children, level.starts, axis=1)
            children += self.shares[level.under] * np.repeat(missing, level.counts, axis=1)
        return noise

    def variance(self) -> Floats:
        """Return the variance of the noise of each node."""
        found = self.alone.copy()
        for level in self.levels:
            share, alone = self.shares[level.under], self.alone[level.under]
            above = np.repeat(found[level.inner], level.counts)
            found[level.under] = alone * (1 - share) + share**2 * above
        return found

    def covariance(self, one: int, other: int) -> float:
        """Return the covariance of the noise of two nodes."""
        low, high = sorted(cell_of(node, self.alone.size) for node in (one, other))
        parents, scale = self.noisy.tree.arrays.parents, 1.0
        while low != high and parents[low] != parents[high]:
            scale *= self.shares[high]
            low, high = sorted((low, int(parents[high])))
        if low == high:
            return float(scale * self.variance()[low])
        first, second = self.shares[[low, high]]
        above = first * self.variance()[parents[low]] - self.alone[low]
        return float(scale * second * above)


def _levels(arrays: Arrays) -> Iterator[_Level]:
    """Yield the levels that have inner nodes, the root's first."""
    ends, edges = arrays.child_offsets, arrays.level_offsets[:-1].tolist()
    for start, stop in pairwise(edges):
        low, high = ends[start:stop], ends[start + 1 : stop + 1]
        inner = np.flatnonzero(high > low)
        first, last = int(low[inner[0]]), int(high[inner[-1]])
        counts = (high - low)[inner]
        yield _Level(start + inner, slice(first, last), low[inner] - first, counts)


def _over(part: Floats, sums: Floats) -> Floats:
    """Return part / sum, 0 where both are 0."""
    return np.divide(part, sums, out=np.zeros_like(part), where=sums > 0)
