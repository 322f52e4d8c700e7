"""The nearest table of whole numbers that adds up: the optimum itself, not one near it.

It starts at the real optimum, rounded from the root down so that it adds up. Then single units
are moved as long as that helps. Where no single unit helps, nothing does.

Claim.      The result is the nearest table of whole numbers; of several, the one with the least
            total, then with as much as possible in the first leaf, then in the second, ...
Reason.     docs/theory/update.md#whole-numbers
Checked by. tests/update/test_whole_optimum.py
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.update.trees.tree_least_squares import Nearest, TreeLeastSquares
from holdfast.update.trees.tree_nonnegative import TreeNonnegative
from holdfast.update.trees.tree_rules import TreeRules
from holdfast.update.whole.search import Asked, Search
from holdfast.update.whole.whole_start import Ends, whole_start

Whole = npt.NDArray[np.int64]
UNEVEN = 64  # a ratio of weights from which on units are moved in lots


@dataclass(frozen=True, eq=False)
class WholeOptimum:
    """Moves a vector of whole numbers over the nodes onto the rules."""

    rules: TreeRules

    def apply(self, values: npt.NDArray[Any]) -> Whole:
        """Return the table of whole numbers that is nearest to whole numbers or floats."""
        table, farthest = self._start(values)
        return settled(self.rules, table, asked_for(values), farthest)

    def _start(self, values: npt.NDArray[Any]) -> tuple[Whole, int]:
        """Return a table near the real optimum, and with what steps to begin.

        Worked out in distances from a table near the values. Bounds on single nodes are looked
        to only here, so that the start may be far from the optimum: long steps are quick then.
        """
        leaves = np.rint(values[self.rules.tree.leaf_nodes]).astype(np.int64)
        lifted = np.maximum(leaves, 0) if self.rules.nonnegative else leaves
        near = self.rules.tree.aggregate(lifted).astype(np.int64)
        target = np.where(self.rules.is_pinned, self.rules.pin(near) - near, values - near)
        nearest = self._nearest(target, near)
        ends = Ends(self.rules.lowest - near, self.rules.highest - near)
        start = whole_start(self.rules.levels, nearest, ends)
        return near + start, self._reach(start, nearest)

    def _reach(self, start: Whole, nearest: Nearest) -> int:
        """Return how far the optimum may lie from the start, so that lots are no longer than that.

        Only speed hangs on it. Roundings of many leaves add up where their weights are small.
        """
        weights = self.rules.whole_weights
        off = np.abs(start - nearest.nodes)
        if max(weights) > UNEVEN * min(weights):
            return max(1, int(off[self.rules.tree.leaf_nodes].sum()))
        return max(1, int(off.max())) if self.rules.is_bounded else 1

    def _nearest(self, target: npt.NDArray[Any], near: Whole) -> Nearest:
        """Return the real optimum of the distances, bounds on single nodes aside."""
        if isinstance(self._real, TreeLeastSquares):
            return self._real.nearest(target.astype(np.float64))
        lowest = -near[self.rules.tree.leaf_nodes].astype(np.float64)
        return self._real.nearest(target.astype(np.float64), lowest)

    @cached_property
    def _real(self) -> TreeLeastSquares | TreeNonnegative:
        return (TreeNonnegative if self.rules.nonnegative else TreeLeastSquares)(self.rules)


def settled(rules: TreeRules, table: Whole, asked: Asked, farthest: int) -> Whole:
    """Return the optimum, reached from a table by lots of units, then half as many, then one."""
    for halvings in range(farthest.bit_length() - 1, -1, -1):
        search = Search(rules, table, asked, 1 << halvings)
        while search.goes_through():
            pass
        table = search.table
    return table


def asked_for(values: npt.NDArray[Any]) -> Asked:
    """Return values as whole numbers of parts of a unit; a float is taken at its exact value."""
    if values.dtype.kind == "i":
        return Asked(values)
    ratios = [value.as_integer_ratio() for value in values.tolist()]
    unit = max(below for _, below in ratios)  # all are powers of two
    return Asked(np.array([above * (unit // below) for above, below in ratios], object), unit)
