"""Weighted least squares on a tree by two sweeps: nothing is solved, no system is built.

Going up, each node is estimated from all that stands below it, itself included; going down,
what is missing to a parent's total is shared out to its children in proportion to their
variances. A node of variance 0 is pinned: its value stays.

Claim.      `project` returns the coherent vector that is nearest in squares weighted by inverse
            variances; `variance` and `covariance` are those of its error. Up to rounding.
Reason.     docs/theory/update.md#two-sweeps
Checked by. tests/update/test_tree_least_squares.py
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from holdfast.worlds.growth import Arrays

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Level:
    """The inner nodes of a level, all their children, and where each node's children begin."""

    inner: Integers
    under: slice
    starts: Integers
    counts: Integers


Levels = tuple[Level, ...]


@dataclass(frozen=True, eq=False, init=False, repr=False)
class TreeSweeps:
    """A tree whose nodes are known up to a variance each.

    `alone` is the variance of a node known from below, `shares` what part of its parent's missing
    total a child takes, and `own_parts` what part of a node's estimate is its own value.
    """

    levels: Levels
    parents: npt.NDArray[np.int32]
    alone: Floats
    shares: Floats
    own_parts: Floats

    def __init__(self, arrays: Arrays, variances: Floats, levels: Levels | None = None) -> None:
        levels = tuple(levels_of(arrays)) if levels is None else levels
        alone, shares, own_parts = (
            variances.copy(),
            np.ones(variances.size),
            np.ones(variances.size),
        )
        for level in reversed(levels):
            spread = np.add.reduceat(alone[level.under], level.starts)
            shares[level.under] = _over(alone[level.under], np.repeat(spread, level.counts))
            own = alone[level.inner]
            by_children = _over(own, own + spread)
            own_parts[level.inner] = 1 - by_children
            alone[level.inner] = spread * by_children
        object.__setattr__(self, "levels", levels)
        object.__setattr__(self, "parents", arrays.parents)
        object.__setattr__(self, "alone", alone)
        object.__setattr__(self, "shares", shares)
        object.__setattr__(self, "own_parts", own_parts)

    def project(self, values: Floats) -> Floats:
        """Return the nearest vector in which every parent is the sum of its children."""
        found, sums = values.copy(), []
        for level in reversed(self.levels):
            below = np.add.reduceat(found[level.under], level.starts)
            own = self.own_parts[level.inner]
            found[level.inner] = own * found[level.inner] + (1 - own) * below
            sums.append(below)
        return self._share_out(found, reversed(sums))

    def share_out(self, estimates: Floats) -> Floats:
        """Give each parent's missing total to its children, in place, from the root down.

        The estimates are known from below alone; there may be one vector or a row for each.
        """
        sums = (
            np.add.reduceat(estimates[..., level.under], level.starts, axis=-1)
            for level in self.levels
        )
        return self._share_out(estimates, sums)

    def _share_out(self, estimates: Floats, sums: Iterable[Floats]) -> Floats:
        """Do so from the sums of all families, the root's first."""
        for level, below in zip(self.levels, sums, strict=True):
            missing = np.repeat(estimates[..., level.inner] - below, level.counts, axis=-1)
            estimates[..., level.under] += self.shares[level.under] * missing
        return estimates

    def variance(self) -> Floats:
        """Return the variance of each node's error after the projection."""
        found = self.alone.copy()
        for level in self.levels:
            share, alone = self.shares[level.under], self.alone[level.under]
            above = np.repeat(found[level.inner], level.counts)
            found[level.under] = alone * (1 - share) + share**2 * above
        return found

    def covariance(self, one: int, other: int) -> float:
        """Return the covariance of two nodes' errors after the projection."""
        (low, high), scale = sorted((one, other)), 1.0
        while low != high and self.parents[low] != self.parents[high]:
            scale *= self.shares[high]
            low, high = sorted((low, int(self.parents[high])))
        if low == high:
            return float(scale * self.variance()[low])
        first, second = self.shares[[low, high]]
        above = first * self.variance()[self.parents[low]] - self.alone[low]
        return float(scale * second * above)


def levels_of(arrays: Arrays) -> Iterator[Level]:
    """Yield the levels that have inner nodes, the root's first."""
    ends, edges = arrays.child_offsets, arrays.level_offsets[:-1].tolist()
    for start, stop in pairwise(edges):
        low, high = ends[start:stop], ends[start + 1 : stop + 1]
        inner = np.flatnonzero(high > low)
        first, last = int(low[inner[0]]), int(high[inner[-1]])
        counts = (high - low)[inner]
        yield Level(start + inner, slice(first, last), low[inner] - first, counts)


def _over(part: Floats, sums: Floats) -> Floats:
    """Return part / sum, 0 where both are 0."""
    return np.divide(part, sums, out=np.zeros_like(part), where=sums > 0)
