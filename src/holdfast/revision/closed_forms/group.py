"""Groups of cells of one discrete Laplace law: their total, and the cells given the total.

Both are drawn in closed form, by inversion and by uniform compositions, without trial.

Claim.      Totals and cells have exactly the conditional law.
Reason.     docs/theory/closed_forms.md#whole-numbers-the-cells-given-their-sum
Checked by. tests/revision/test_closed_form.py
"""

from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadParameter, Fault
from holdfast.foundation.randomness import Chance, checked_count
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.inversion import Weighing, floors, inversion
from holdfast.revision.closed_forms.compositions import compositions
from holdfast.revision.closed_forms.group_weights import GroupTotal, Overlap
from holdfast.revision.evidence import Exact
from holdfast.revision.noisy_tree import NoisyTree

Integers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
LARGEST_GROUP = 512
LONGEST_TABLE = 1 << 13  # outcomes of an overlap
TAIL = 32  # scales beyond which a table of 64-bit words ends


def has_closed_form(cells: int, law: object, node: object) -> bool:
    """Return whether a group is drawn in closed form; longer tables cost more than trials."""
    if not (isinstance(law, DiscreteLaplace) and isinstance(node, DiscreteLaplace)):
        return False
    if not 1 <= cells <= LARGEST_GROUP:
        return False
    short = (cells + TAIL) / float(law.rate) <= LONGEST_TABLE
    return short and TAIL / float(node.rate) <= LONGEST_TABLE


def draw_total(group: GroupTotal, chance: Chance, count: int) -> Integers:
    """Return independent totals of a group, the node's weight included."""
    outcome = inversion(group, chance.width).draw(chance, count)
    total: Integers = (outcome >> 1) ^ -(outcome & 1)  # 0, -1, 1, -2, 2, ...
    return total


@dataclass(frozen=True, slots=True)
class GroupCells:
    """Draws the cells of groups given their totals; a table for each size of a total."""

    cells: int
    law: DiscreteLaplace
    _tables: dict[tuple[int, int], Words] = field(default_factory=dict, compare=False, repr=False)

    def draw(self, totals: Integers, chance: Chance) -> Integers:
        """Return for each total the cells that have it as their sum, one group a row."""
        if self.cells == 1 or not totals.size:
            return np.repeat(totals[:, None], self.cells, axis=1)
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
            answer[place] = _settle(law, int(words[place]), chance)
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


def _settle(law: Weighing, prefix: int, chance: Chance) -> int:
    """Return the outcome of a uniform number that starts with a word equal to a floor."""
    bits = chance.width
    while True:
        prefix = prefix << chance.width | int(chance.words(1)[0])
        bits += chance.width
        found = floors(law, bits)
        outcome = bisect_left(found, prefix)
        if outcome == len(found) or found[outcome] != prefix:
            return outcome


def is_closed_group(noisy: NoisyTree) -> bool:
    """Return whether a tree is one group that is drawn in closed form."""
    if noisy.tree.depth != 2 or not set(noisy.pinned) <= {0}:
        return False
    node, law = noisy.laws
    return has_closed_form(noisy.tree.size - 1, law, law if noisy.pinned else node)


class GroupClosedForm:
    """A sampler of noise on one group: a root over leaves of one discrete Laplace law."""

    def __init__(self, noisy: NoisyTree) -> None:
        self.noisy = noisy
        cells = noisy.tree.size - 1
        if noisy.tree.depth != 2 or not set(noisy.pinned) <= {0}:
            found = "a deeper tree or leaves with public totals"
            raise BadParameter(
                Fault("group", "a root over free leaves", found, "Use method 'exact'.")
            )
        node, law = noisy.laws
        if not isinstance(law, DiscreteLaplace) or not isinstance(node, DiscreteLaplace):
            found = "other laws"
            raise BadParameter(Fault("laws", "discrete Laplace laws", found, "Use method 'exact'."))
        if not has_closed_form(cells, law, law if noisy.pinned else node):
            asked = f"at most {LARGEST_GROUP} cells, and (cells + {TAIL}) x scale at most 8192"
            raise BadParameter(
                Fault("group", asked, "a larger group or scale", "Use method 'exact'.")
            )
        self._total = GroupTotal(cells, law, node)
        self._cells = GroupCells(cells, law)

    @cached_property
    def evidence(self) -> Exact:
        """Return that a draw has exactly the conditional law."""
        return Exact()

    def noise(self, chance: Chance, count: int) -> Integers:
        """Return so many independent noise vectors over the nodes, one a row."""
        totals = np.zeros(checked_count(chance, count), dtype=np.int64)
        if not self.noisy.pinned:
            totals = draw_total(self._total, chance, totals.size)
        return np.concatenate([totals[:, None], self._cells.draw(totals, chance)], axis=1)
