"""Gaussian noise given equalities, in closed form: a draw of it, moved onto the rows.

With D the diagonal of the cells' variances, V a draw without the rows A, and G = A D A':
the noise is V - D A' G**-1 A V, and its covariance S(D) = D - D A' G**-1 A D. On a tree two
sweeps do the same, without solving anything.

Claim.      Both have the conditional law, up to the rounding of floats.
Reason.     docs/theory/revision.md#gaussian-noise-both-views-coincide
Checked by. tests/revision/test_gaussian_closed_form.py
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadParameter, Fault
from holdfast.foundation.exact import whole
from holdfast.foundation.randomness import Chance, check_chance
from holdfast.noise.gaussian import Gaussian
from holdfast.noise.law import Law
from holdfast.revision.evidence import NotProven
from holdfast.revision.noisy_system import NoisySystem
from holdfast.revision.noisy_tree import NoisyTree
from holdfast.solvers.gram import Gram
from holdfast.worlds.growth import Arrays

MOST_VARIANCES = 10_000  # cells of a system whose variances are all computed: one solution each
BLOCK = 256
FLOATS = NotProven("floats: the set of draws that can come out depends on rounding")

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False, init=False, repr=False)
class GaussianClosedForm:
    """Gaussian noise on cells given rows of whole numbers, each cell with its own variance."""

    weights: Floats
    gram: Gram

    def __init__(self, system: NoisySystem) -> None:
        object.__setattr__(self, "weights", np.array(_variances(system.laws)))
        object.__setattr__(self, "gram", Gram(system.rows, len(system.laws)))

    @property
    def evidence(self) -> NotProven:
        """Return that floats carry no proof."""
        return FLOATS

    def noise(self, chance: Chance, count: int) -> Floats:
        """Return so many independent noise vectors over the cells, one a row."""
        drawn = _standard(chance, count, self.weights.size)
        return self.gram.projection(self.weights, drawn * np.sqrt(self.weights))

    def covariance(self, one: int, other: int) -> float:
        """Return the covariance of the noise of two cells."""
        row, column = (_cell(cell, self.weights.size) for cell in (one, other))
        return float(self._columns(np.array([column]))[0, row])

    def variance(self) -> Floats:
        """Return the variance of the noise of each cell; refused for more than 10,000 cells.

        A tree of any size has `GaussianTree`; single cells have `covariance(cell, cell)`.
        """
        size = self.weights.size
        if size > MOST_VARIANCES:
            asked, remedy = f"at most {MOST_VARIANCES} cells", "Use GaussianTree, or covariance."
            raise BadParameter(Fault("variance", asked, str(size), remedy))
        blocks = (np.arange(low, min(low + BLOCK, size)) for low in range(0, size, BLOCK))
        found = [self._columns(cells)[np.arange(cells.size), cells] for cells in blocks]
        return np.maximum(np.concatenate(found), 0)  # a cell the rows force to 0 may round below

    def _columns(self, cells: Integers) -> Floats:
        """Return the columns of S(D) of these cells, one a row."""
        seen = self.gram.matrix.T.tocsr()[cells].toarray() * self.weights[cells, None]
        moved = self.gram.matrix.T @ self.gram.solve(self.weights, seen.T)
        columns: Floats = -(self.weights[:, None] * moved).T
        columns[np.arange(cells.size), cells] += self.weights[cells]
        return columns


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
        alone = np.array(_variances(noisy.laws))[noisy.tree.levels]
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
        noise = _standard(chance, count, self.alone.size)
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
        low, high = sorted(_cell(node, self.alone.size) for node in (one, other))
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


def _variances(laws: Iterable[Law]) -> list[float]:
    """Return the variance of each law; refuse what is no continuous Gaussian."""
    given = list(laws)
    found = [float(law.variance) for law in given if isinstance(law, Gaussian)]
    if len(found) < len(given):
        asked, other = "continuous Gaussian noise on each cell", "another law"
        raise BadParameter(Fault("laws", asked, other, "Use Gaussian.with_scale."))
    return found


def _standard(chance: Chance, count: int, cells: int) -> Floats:
    """Return independent Gaussian draws of variance 1."""
    check_chance(chance)
    return Gaussian(Fraction(1)).draw(chance, (whole(count, "count", least=0), cells))


def _cell(cell: object, size: int) -> int:
    """Return the number of a cell."""
    return whole(cell, "cell", least=0, most=size - 1)
