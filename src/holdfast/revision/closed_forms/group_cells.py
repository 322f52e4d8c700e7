"""Cells of groups given their totals: uniform compositions for a few, halves for many.

Both are exact, and which is taken depends on how many totals there are, not on what they are.

Claim.      The cells have exactly the conditional law given their sum.
Reason.     docs/theory/closed_forms.md#whole-numbers-the-cells-given-their-sum
Checked by. tests/revision/test_closed_form.py
"""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from holdfast.foundation.randomness import WORD, Chance
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.inversion import floors, settled
from holdfast.revision.closed_forms.compositions import compositions
from holdfast.revision.closed_forms.group_weights import Overlap
from holdfast.revision.closed_forms.halves import HalfTables, Halves

Integers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
MANY = 1_000  # totals from which tables of halves pay


class GroupCells:
    """Draws the cells of groups of one size and law, given their totals."""

    __slots__ = ("_by_composition", "_by_halves", "_cells")

    def __init__(self, cells: int, tables: HalfTables) -> None:
        self._cells = cells
        self._by_composition = ComposedCells(cells, tables.law)
        self._by_halves = Halves(cells, tables) if tables.reserve(cells) else None

    def draw(self, totals: Integers, chance: Chance) -> Integers:
        """Return for each total the cells that have it as their sum, one group a row."""
        if self._cells == 1 or not totals.size:
            return np.repeat(totals[:, None], self._cells, axis=1)
        if self._by_halves is None or totals.size < MANY or chance.width != WORD:
            return self._by_composition.draw(totals, chance)
        return self._by_halves.draw(totals, chance)


@dataclass(frozen=True, slots=True)
class ComposedCells:
    """Draws cells by uniform compositions; a table of overlaps for each size of a total."""

    cells: int
    law: DiscreteLaplace
    _tables: dict[tuple[int, int], Words] = field(default_factory=dict, compare=False, repr=False)

    def draw(self, totals: Integers, chance: Chance) -> Integers:
        """Return for each total the cells that have it as their sum, one group a row."""
        sizes = np.abs(totals)
        overlap = self.overlaps(sizes, chance)
        both = compositions(np.concatenate([overlap + sizes, overlap]), self.cells, chance)
        cells: Integers = both[: totals.size] - both[totals.size :]
        cells[totals < 0] *= -1
        return cells

    def overlaps(self, sizes: Integers, chance: Chance) -> Integers:
        """Return an overlap for each size of a total."""
        found, row = np.unique(sizes, return_inverse=True)
        tables = [self._table(size, chance.width) for size in found.tolist()]
        words = chance.words(sizes.size)
        answer, still_open = _look_up(words, tables, row.reshape(-1))
        for place in still_open.tolist():
            law = Overlap(self.cells, int(sizes[place]), self.law)
            answer[place] = settled(law, int(words[place]), chance.width, chance)
        return answer

    def _table(self, size: int, width: int) -> Words:
        """Return the floors of the overlap's law; see `holdfast.noise.inversion`."""
        if (size, width) not in self._tables:
            law = Overlap(self.cells, size, self.law)
            self._tables[size, width] = np.array(floors(law, width), dtype=np.uint64)
        return self._tables[size, width]


def _look_up(words: Words, tables: list[Words], row: Integers) -> tuple[Integers, Integers]:
    """Return how many floors of its table lie below each word, and the words that equal one."""
    ends = np.cumsum([table.size for table in tables])
    flat = np.concatenate([*tables, np.zeros(1, dtype=np.uint64)])
    start, stop = (ends - [table.size for table in tables])[row], ends[row]
    low, high = start.copy(), stop.copy()
    for _ in range(max(table.size for table in tables).bit_length()):
        middle = (low + high) >> 1
        beyond = (flat[middle] < words) & (middle < high)
        low = np.where(beyond, middle + 1, low)
        high = np.where(beyond, high, middle)
    return low - start, np.flatnonzero((flat[low] == words) & (low < stop))
