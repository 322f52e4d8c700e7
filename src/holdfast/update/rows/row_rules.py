"""The nearest table of floats that obeys any rows beside the sums of a tree.

Claim.      Rows hold to rounding, and the table is the nearest one up to the gap that was
            measured: `solved` tells both.
Reason.     docs/theory/update.md#any-rows
Checked by. tests/update/test_row_rules.py
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.solvers.quadratic import Quadratic, Solved
from holdfast.worlds.exact_rows import Row, sum_rows
from holdfast.worlds.hierarchy import Hierarchy

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RowRules:
    """The sums of a tree with weights by level, further rows, and non-negative counts."""

    tree: Hierarchy
    weights: Sequence[Fraction]
    equal: tuple[Row, ...]
    least: tuple[Row, ...]
    nonnegative: bool

    def apply(self, values: npt.NDArray[Any]) -> Floats:
        """Return the nearest table."""
        leaves = self.solved(values).point[self.tree.leaf_nodes]
        kept = np.maximum(leaves, 0.0) if self.nonnegative else leaves
        answer: Floats = self.tree.aggregate(kept).astype(np.float64)
        return answer

    def solved(self, values: npt.NDArray[Any]) -> Solved:
        """Return the nearest point with what was measured of it."""
        return self._quadratic.nearest(values.astype(np.float64))

    @cached_property
    def node_weights(self) -> Floats:
        """Return the weight of every node."""
        return np.array([float(weight) for weight in self.weights])[self.tree.levels]

    @cached_property
    def _quadratic(self) -> Quadratic:
        sums = sum_rows(self.tree.arrays.child_offsets.tolist())
        leaves = self.tree.leaf_nodes.tolist() if self.nonnegative else []
        counts = tuple(Row(((leaf, 1),), 0) for leaf in leaves)
        return Quadratic(self.node_weights, (*sums, *self.equal), (*self.least, *counts))
