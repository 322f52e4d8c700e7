"""The nearest table that adds up and has no count below 0, in weighted squares.

Leaves that would be negative are set to 0, and the others moved again, until no leaf is below
0. A leaf once set to 0 is never freed: none would want to leave it.

Claim.      The result is the nearest point, up to rounding. No tolerance decides when to stop,
            and at most one round a leaf is needed.
Reason.     docs/theory/update.md#counts-that-must-not-be-negative
Checked by. tests/update/test_tree_nonnegative.py
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.solvers.tree_sweeps import TreeSweeps
from holdfast.update.trees.tree_least_squares import Nearest, added_up
from holdfast.update.trees.tree_rules import TreeRules

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TreeNonnegative:
    """Moves a vector over the nodes onto the sums, the pinned nodes, and counts of at least 0."""

    rules: TreeRules

    def apply(self, values: npt.NDArray[Any]) -> Floats:
        """Return the nearest table."""
        target = self.rules.pin(values.astype(np.float64))
        lowest = np.zeros(self.rules.tree.leaf_nodes.size)
        return added_up(self.rules, self.nearest(target, lowest).nodes)

    def nearest(self, target: Floats, lowest: Floats) -> Nearest:
        """Return the nearest point in which no leaf is below its lowest value."""
        variances, target = self.rules.variances.copy(), target.copy()
        leaves, rounds, sweeps = self.rules.tree.leaf_nodes, 0, self._sweeps
        while True:
            found, rounds = sweeps.project(target), rounds + 1
            too_low = (found[leaves] < lowest) & (variances[leaves] > 0)
            if not too_low.any():
                return Nearest(found, sweeps.alone, rounds)
            variances[leaves[too_low]] = 0.0
            target[leaves[too_low]] = lowest[too_low]
            sweeps = TreeSweeps(self.rules.tree.arrays, variances, self.rules.levels)

    @cached_property
    def _sweeps(self) -> TreeSweeps:
        return TreeSweeps(self.rules.tree.arrays, self.rules.variances, self.rules.levels)
