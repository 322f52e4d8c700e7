"""The nearest table that adds up, in weighted squares, by two sweeps.

Claim.      `apply` returns the only nearest point, up to rounding; the parents are the sums of
            their children as `aggregate` adds them.
Reason.     docs/theory/update.md#two-sweeps
Checked by. tests/update/test_tree_least_squares.py
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.solvers.tree_sweeps import TreeSweeps
from holdfast.update.trees.tree_rules import TreeRules

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class Nearest:
    """A value for every node, its variance given what stands below it, and the rounds taken."""

    nodes: Floats
    alone: Floats
    rounds: int


@dataclass(frozen=True, eq=False)
class TreeLeastSquares:
    """Moves a vector over the nodes onto the sums and the pinned nodes."""

    rules: TreeRules

    @cached_property
    def _sweeps(self) -> TreeSweeps:
        return TreeSweeps(self.rules.tree.arrays, self.rules.variances, self.rules.levels)

    def apply(self, values: npt.NDArray[Any]) -> Floats:
        """Return the nearest table that adds up."""
        target = self.rules.pin(values.astype(np.float64))
        return added_up(self.rules, self.nearest(target).nodes)

    def nearest(self, target: Floats) -> Nearest:
        """Return the nearest point to a vector in which pinned nodes have their values."""
        return Nearest(self._sweeps.project(target), self._sweeps.alone, 1)

    def variance(self) -> Floats:
        """Return each node's variance where the noise has the inverse weights for variances.

        In units of the variance that belongs to the largest weight.
        """
        return self._sweeps.variance()

    def covariance(self, one: int, other: int) -> float:
        """Return the covariance of two nodes, in the same units."""
        return self._sweeps.covariance(one, other)


def added_up(rules: TreeRules, nodes: Floats) -> Floats:
    """Return the table of the leaves: what rounding left between the levels is gone."""
    answer: Floats = rules.tree.aggregate(nodes[rules.tree.leaf_nodes]).astype(np.float64)
    return answer
