"""TopDown, the update of the United States Census of 2020, on a tree whose nodes hold cells.

From the root down: the children of a node get the cells nearest to their own noisy ones that add
up to the node's final cells and are not negative, in squares; then they are rounded so that they
still add up; then they are final. A child of a node that has only one gets its cells; below a 0
all is 0. Queries are the cells and, where measured, each node's total.

It is not the projection. What was measured below a node does not help the node: a parent is
final before its children are looked at, and what they say is lost. So it is mostly farther from
the noisy answer than `whole_optimum`, and never nearer (docs/theory/update.md#topdown). It is here
to be compared with.

Where it differs from the code of 2020: two queries, the cells and each node's total; all cells of
a level weighted alike; two passes at every level below the root, the lowest too; no spine is cut
anew, and where a family cannot be solved it stops.

The rounder penalises how far each cell is from its real value: "graded", 1 - 2 f a unit up, f
the fraction. "as-run" penalises the distance from the rounded fraction instead, as the code of
2020 does by what looks like an oversight: 0.49 and 0.01 then cost the same to leave below.

Checked by. tests/update/test_top_down.py
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadParameter, Fault, NotSolved, shown
from holdfast.solvers.tree_sweeps import Level, levels_of
from holdfast.update.top_down.top_down_family import Family, on_simplex
from holdfast.worlds.hierarchy import Hierarchy

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
SNAP = 1e-6


@dataclass(frozen=True, eq=False)
class TopDown:
    """Moves noisy cells at every node onto whole ones that add up and are not negative."""

    tree: Hierarchy
    rounder: Literal["graded", "as-run"] = "graded"
    total: int | None = None  # public, where it is

    def __post_init__(self) -> None:
        if self.rounder not in ("graded", "as-run"):
            asked = '"graded" or "as-run"'
            raise BadParameter(Fault("rounder", asked, shown(self.rounder), "Use one of these."))

    def apply(self, noisy: npt.NDArray[Any], totals: npt.NDArray[Any] | None = None) -> Whole:
        """Return final cells: `noisy` has a row for each node, or one number."""
        cells = noisy.astype(np.float64).reshape(self.tree.size, -1)
        answer = np.zeros(cells.shape, dtype=np.int64)
        answer[0] = self._root(cells[0], None if totals is None else float(totals[0]))
        for level in levels_of(self.tree.arrays):
            if cells.shape[1] == 1:
                self._one_cell(answer[:, 0], cells[:, 0], level)
            else:
                self._many_cells(answer, cells, totals, level)
        if not all(self.tree.adds_up(column) for column in answer.T):
            asked, found = "counts that floats hold to a unit", "larger ones"
            raise NotSolved(Fault("top down", asked, found, "Count in a larger unit."))
        return answer.reshape(noisy.shape)

    def _root(self, cells: Floats, total: float | None) -> Whole:
        """Return the root's cells: all queries at once, equally weighted."""
        real = np.maximum(cells, 0.0)
        if self.total is not None:
            real = on_simplex(cells, float(self.total))
        elif total is not None and cells.size > 1:
            real = on_simplex(cells, total, gives=1)
        floors = np.floor(real + SNAP)
        beyond = np.clip(real - floors, 0.0, 1.0)
        up = int(np.rint(beyond.sum())) if self.total is None else int(self.total - floors.sum())
        raised = np.argsort(-self._worth(beyond), kind="stable")[:up]
        floors[raised] += 1
        return floors.astype(np.int64)

    def _worth(self, beyond: Floats) -> Floats:
        """Return how much a unit up is worth: the larger the sooner."""
        # to nine digits, so that equal fractions stay in the order of the nodes
        return np.round(beyond, 9 if self.rounder == "graded" else 0)

    def _one_cell(self, answer: Whole, noisy: Floats, level: Level) -> None:
        """Share out all parents of a level, one number a node: simplices side by side."""
        totals, values = answer[level.inner], noisy[level.under]
        family = np.repeat(np.arange(totals.size), level.counts)
        order = np.lexsort((-values, family))
        rank = np.arange(values.size) - np.repeat(level.starts, level.counts)
        # less their family's mean, so that running sums over all families stay small
        means = np.repeat(np.add.reduceat(values, level.starts) / level.counts, level.counts)
        summed = np.cumsum((values - means)[order])
        before = np.concatenate([[0.0], summed])[level.starts]
        excess = means + (summed - np.repeat(before + totals, level.counts)) / (rank + 1)
        many = np.add.reduceat((values[order] > excess).astype(np.int64), level.starts)
        level_of = excess[level.starts + np.maximum(many, 1) - 1]
        real = np.maximum(values - np.repeat(level_of, level.counts), 0.0)
        floors = np.floor(real + SNAP).astype(np.int64)
        worth = self._worth(np.clip(real - floors, 0.0, 1.0))
        extra = np.repeat(totals - np.add.reduceat(floors, level.starts), level.counts)
        raised = np.lexsort((-worth, family))[rank < extra]
        floors[raised] += 1
        answer[level.under] = floors

    def _many_cells(
        self, answer: Whole, cells: Floats, totals: npt.NDArray[Any] | None, level: Level
    ) -> None:
        """Share out the parents of a level one after the other."""
        for place, node in enumerate(level.inner.tolist()):
            first = level.under.start + int(level.starts[place])
            here = slice(first, first + int(level.counts[place]))
            measured = None if totals is None else totals[here].astype(np.float64)
            family = Family(answer[node], cells[here], measured)
            answer[here] = family.shared_out(self.rounder == "graded")
