"""A whole table near the nearest real one that obeys any rows: controlled rounding.

Every leaf goes to the whole number below or above its real value, and every node of the tree
too, so that all rows hold exactly and the distance grows least. Where that cannot be, leaves may
go farther.

Claim.      Every rule holds exactly. That no whole table is nearer is not claimed.
Reason.     docs/theory/update.md#any-rows
Checked by. tests/update/test_controlled_rounding.py
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import Fault, NotSolved
from holdfast.solvers.gram import below_matrix, matrix_of
from holdfast.solvers.whole_programme import Rows, WholeProgramme
from holdfast.update.rows.row_rules import RowRules

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
SNAP = 1e-6  # as near as this to a whole number, a real one is taken for it
FARTHER = ((0, 1), (-1, 2), (-4, 5))  # units below and above the floor


@dataclass(frozen=True, eq=False)
class ControlledRounding:
    """Moves a vector over the nodes onto whole tables that obey rows."""

    rules: RowRules

    def apply(self, values: npt.NDArray[Any]) -> Whole:
        """Return a whole table near the nearest real one."""
        tree, real = self.rules.tree, self.rules.apply(values)
        floors = np.floor(real[tree.leaf_nodes] + SNAP)
        price = self._prices(real, values, floors)
        for low, high, rows in self._attempts(real, floors):
            if self.rules.nonnegative:
                low = np.maximum(low, -floors)
            found = WholeProgramme(price, low, high, rows).solve()
            if found is not None:
                return tree.aggregate(floors.astype(np.int64) + found).astype(np.int64)
        asked, none = "a whole table near the real one", "none within five units a leaf"
        raise NotSolved(Fault("update", asked, none, "Ask for integers=False."))

    def _attempts(
        self, real: Floats, floors: Floats
    ) -> Iterator[tuple[Floats, Floats, tuple[Rows, ...]]]:
        """Yield ends for the leaves' units above their floors, and rows to keep; loose at last."""
        rules = self._rows(floors)
        is_whole = real[self.rules.tree.leaf_nodes] - floors < SNAP
        totals = self._below @ floors
        nodes = Rows(self._below, np.floor(real + SNAP) - totals, np.ceil(real - SNAP) - totals)
        yield np.zeros(floors.size), np.where(is_whole, 0.0, 1.0), (rules, nodes)
        for down, up in FARTHER:
            yield np.full(floors.size, float(down)), np.full(floors.size, float(up)), (rules,)

    def _rows(self, floors: Floats) -> Rows:
        """Return what the rules leave for the units above the floors."""
        listed = (*self.rules.equal, *self.rules.least)
        left = np.array([float(row.right) for row in listed]) - self._over_leaves @ floors
        is_equal = np.arange(left.size) < len(self.rules.equal)
        return Rows(self._over_leaves, left, np.where(is_equal, left, np.inf))

    @cached_property
    def _below(self) -> Any:
        return below_matrix(self.rules.tree.arrays.parents, self.rules.tree.leaf_nodes)

    @cached_property
    def _over_leaves(self) -> Any:
        """Return each rule as a row over the leaves."""
        rows = (*self.rules.equal, *self.rules.least)
        return matrix_of(rows, self.rules.tree.size) @ self._below

    def _prices(self, real: Floats, values: npt.NDArray[Any], floors: Floats) -> Floats:
        """Return what a unit more costs at each leaf, the totals above being the real ones."""
        leaves = self.rules.tree.leaf_nodes
        pull = 2 * self.rules.node_weights * (real - values)
        above = self._below.T @ pull - pull[leaves]
        own = self.rules.node_weights[leaves]
        answer: Floats = own * (2 * (floors - values[leaves]) + 1) + above
        return answer
