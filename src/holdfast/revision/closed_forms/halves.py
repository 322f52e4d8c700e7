"""Cells of groups given their totals, many at once: each total is split between two halves.

A table of floats, a row for each size of a total, settles nearly every word; the others, and
totals that have no row, are settled by floors of the exact law. Nothing is cut off.

Claim.      The cells have exactly the conditional law given their sum.
Reason.     docs/theory/closed_forms.md#whole-numbers-a-group-by-halves
Checked by. tests/revision/test_halves.py
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from holdfast.foundation.randomness import Chance
from holdfast.kernels.rows import RowTable, look_up, row_table
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.inversion import settled
from holdfast.revision.closed_forms.group_weights import cell_weights
from holdfast.revision.closed_forms.half_law import HalfLaw

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
PRECISION = 96  # bits of a weight before it becomes a float
ROUNDINGS = 6  # of two weights, their product, and the total they are divided by
RARE = 1e-9  # share of totals without a row, and of a row's words beyond its columns
TAIL, DEVIATIONS = 12, 6.5  # scales and standard deviations beyond which no row is kept
ROOM = 1 << 24  # numbers in all tables of a law: 128 mebibytes
BLOCK = 1 << 18  # cells that are filled together: larger leaves the cache, smaller costs calls


@dataclass(frozen=True, eq=False, slots=True)
class Cut:
    """Runs of so many cells, at which cells they begin, and at which their second halves do."""

    cells: int
    left: Integers
    right: Integers


class HalfTables:
    """Tables for one law, made when they are first needed, as long as there is room."""

    __slots__ = ("_made", "_room", "_sizes", "law")

    def __init__(self, law: DiscreteLaplace) -> None:
        self.law = law
        self._made: dict[int, HalfTable] = {}
        self._sizes: set[int] = set()
        self._room = ROOM

    def reserve(self, cells: int) -> bool:
        """Return whether groups of so many cells may have tables; if so, keep room for them."""
        wanted = {cut.cells for cut in cuts(cells)} - self._sizes
        room = self._room - sum(_extent(size, self.law) ** 2 for size in wanted)
        if room < 0:
            return False
        self._room, self._sizes = room, self._sizes | wanted
        return True

    def table(self, cells: int) -> "HalfTable":
        """Return the table for so many cells."""
        if cells not in self._made:
            self._made[cells] = half_table(cells, self.law)
        return self._made[cells]


class Halves:
    """Draws the cells of groups of one law, given their totals."""

    __slots__ = ("_cells", "_cuts", "_tables")

    def __init__(self, cells: int, tables: HalfTables) -> None:
        self._cells, self._tables = cells, tables
        self._cuts = list(cuts(cells))

    def draw(self, totals: Integers, chance: Chance) -> Integers:
        """Return for each total the cells that have it as their sum, one group a row."""
        answer = np.empty((self._cells, totals.size), dtype=np.int64)
        step = max(1, BLOCK // self._cells)
        for start in range(0, totals.size, step):
            block = answer[:, start : start + step]
            block[0] = totals[start : start + step]
            for cut in self._cuts:
                whole = block[cut.left]
                table = self._tables.table(cut.cells)
                left = table.draw(whole.reshape(-1), chance).reshape(whole.shape)
                block[cut.left] = left
                whole -= left
                block[cut.right] = whole
        return answer.T


def cuts(cells: int) -> Iterator[Cut]:
    """Yield how runs of cells are cut into halves, the longest first; the left half is longer."""
    runs: dict[int, list[int]] = {cells: [0]}
    while (longest := max(runs)) > 1:
        left = np.array(runs.pop(longest))
        half = (longest + 1) // 2
        yield Cut(longest, left, left + half)
        runs.setdefault(half, []).extend(left.tolist())
        runs.setdefault(longest - half, []).extend((left + half).tolist())


@dataclass(frozen=True, eq=False, slots=True)
class HalfTable:
    """A row for each total 0, 1, ..., the first column being the left half's total `start`."""

    cells: int
    law: DiscreteLaplace
    rows: RowTable
    count: int
    start: int

    def draw(self, totals: Integers, chance: Chance) -> Integers:
        """Return the left half's total for each total of both."""
        sign = (totals >> 63) | 1
        size = totals * sign
        longer = np.flatnonzero(size >= self.count)
        rows = np.where(size < self.count, size, 0) if longer.size else size
        words = chance.words(totals.size)
        left, still_open = look_up(self.rows, rows, words)
        left += self.start
        for place in {*still_open.tolist(), *longer.tolist()}:
            left[place] = self.settle(int(size[place]), int(words[place]), chance)
        left *= sign
        return left

    def settle(self, total: int, word: int, chance: Chance) -> int:
        """Return the left half's total by the exact law, from a word that floats leave open."""
        half = (self.cells + 1) // 2
        columns = self.rows.columns
        law = HalfLaw(half, self.cells - half, total, self.start, columns, self.law)
        return law.part(settled(law, word, chance.width, chance))


def half_table(cells: int, law: DiscreteLaplace) -> HalfTable:
    """Return the table for a group of so many cells of one law."""
    half = (cells + 1) // 2
    far = _extent(cells, law)
    left, shift = _floats(half, law, far)
    right, further = _floats(cells - half, law, 2 * far)
    whole, _ = _floats(cells, law, far, shift + further)
    beyond = np.cumsum(whole[::-1])[::-1]
    count = int(np.count_nonzero(beyond > RARE * beyond[0]))
    x = np.arange(-far, far + 1)
    far_apart = np.abs(np.arange(count)[:, None] - x)
    weights = left[np.abs(x)] * right[far_apart]
    shares = np.cumsum(weights, axis=1) / whole[:count, None]
    first = int((shares > RARE).argmax(axis=1).min())
    last = int((shares > 1 - RARE).argmax(axis=1).max())
    rows = row_table(weights[:, first : last + 1], whole[:count], ROUNDINGS)
    return HalfTable(cells, law, rows, count, first - far)


def _extent(cells: int, law: DiscreteLaplace) -> int:
    """Return a size that a total of so many cells hardly ever exceeds."""
    scale = 1 / float(law.rate.below)
    return int(TAIL * scale + DEVIATIONS * scale * (2 * cells) ** 0.5) + 4


def _floats(
    cells: int, law: DiscreteLaplace, reach: int, shift: int | None = None
) -> tuple[Floats, int]:
    """Return the weights of totals 0, 1, ..., reach as floats, each rounded once, and a shift.

    They are divided by 2**shift, chosen so that the weight of 0 is about 1: of a large group it
    is beyond all floats.
    """
    weights = cell_weights(cells, law, reach, PRECISION)
    if shift is None:
        shift = weights[0].below.bit_length() - weights[0].precision
    scales = (weight.precision + shift for weight in weights)
    return np.array([w.below / (1 << s) for w, s in zip(weights, scales, strict=True)]), shift
