"""From one table that adds up to the nearest one, by moves of single units.

Claim.      Where `goes_through` finds nothing to move, the table is the nearest one.
Reason.     docs/theory/update.md#whole-numbers
Checked by. tests/update/test_whole_optimum.py
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.update.trees.tree_rules import TreeRules
from holdfast.update.whole.unit_moves import Integers, Nodes, UnitMoves, exchanges

Whole = npt.NDArray[np.int64]
ROOM = 1 << 58  # costs below it can be added up in 64 bits
ROOT = np.zeros(1, dtype=np.int64)


@dataclass(frozen=True, eq=False, slots=True)
class Asked:
    """The values that a table should be near: whole numbers of a unit's parts.

    Near in squares; or, by `in_sizes`, in the sizes of the moves, and of equal ones in squares.
    """

    values: Integers
    unit: int = 1
    in_sizes: bool = False


class Search:
    """A table on its way to the nearest one."""

    __slots__ = (
        "_blocked",
        "_first",
        "_into",
        "_length",
        "_off",
        "_out_of",
        "_rules",
        "_step",
        "_weights",
        "table",
    )

    def __init__(self, rules: TreeRules, table: Whole, asked: Asked, step: int = 1) -> None:
        self._rules, self.table = rules, table.copy()
        self._step, self._length = step, step * asked.unit
        wide = table if asked.unit == 1 else table.astype(object)  # parts may be very many
        off = np.where(rules.is_pinned, 0, wide * asked.unit - asked.values)
        farthest = 2 * (int(np.abs(off).max()) + rules.tree.size * self._length)
        most = (2 * farthest + self._length) * step * sum(rules.whole_weights)
        # what a size counts for: more than all squares that a move can change
        self._first = 4 * most + 1 if asked.in_sizes else 0
        most += self._first * self._length * sum(rules.whole_weights)
        kind: Any = np.int64 if most < ROOM else object  # Python's whole numbers know no limit
        self._off: Integers = off.astype(kind)
        self._weights: Integers = np.array(rules.whole_weights, dtype=kind)[rules.tree.levels]
        self._blocked = max(ROOM, most) << 2
        order = np.zeros(table.size, dtype=np.int64)
        order[rules.tree.leaf_nodes] = np.arange(rules.tree.leaf_nodes.size)
        arrays = rules.tree.arrays
        self._into = UnitMoves(arrays, order, partial(self._price, 1), self._blocked)
        self._out_of = UnitMoves(arrays, -order, partial(self._price, -1), self._blocked)

    def goes_through(self) -> bool:
        """Go through the tree once, from the deepest families up; return whether a unit moved."""
        moved = False
        for level in reversed(self._rules.levels):
            while self._exchange(level.inner):
                moved = True
        while self._change_total():
            moved = True
        return moved

    def _price(self, sign: int, nodes: Nodes) -> Integers:
        """Return what each node's own step costs; `blocked` where it must not be.

        In parts of a unit, divided by their number: so are all prices.
        """
        off = self._off[nodes]
        price: Integers = self._weights[nodes] * (2 * sign * off + self._length) * self._step
        if self._first:
            longer = np.abs(off + sign * self._length) - np.abs(off)
            price = price + self._weights[nodes] * longer * self._first
        moved = self.table[nodes] + sign * self._step
        beyond = (
            moved > self._rules.highest[nodes] if sign > 0 else moved < self._rules.lowest[nodes]
        )
        price[beyond] = self._blocked
        return price

    def _exchange(self, nodes: Nodes) -> bool:
        """Move units between the children of nodes of one level; return whether any moved."""
        arrives, leaves = exchanges(self._rules.tree.arrays, self._into, self._out_of, nodes)
        if not arrives.size:
            return False
        reached = self._carry(self._into, arrives, 1)
        self._look_again(reached, self._carry(self._out_of, leaves, -1))
        return True

    def _change_total(self) -> bool:
        """Move a unit into or out of the whole; return whether one moved."""
        if self._into.cost[0] < 0:
            self._look_again(self._carry(self._into, ROOT, 1))
            return True
        if self._out_of.cost[0] <= 0:
            self._look_again(self._carry(self._out_of, ROOT, -1))
            return True
        return False

    def _carry(self, moves: UnitMoves, nodes: Nodes, sign: int) -> Nodes:
        """Change the nodes and all on the way down by a step up or down; return the leaves."""
        ends = []
        while nodes.size:
            self.table[nodes] += sign * self._step
            self._off[nodes] += sign * self._length
            below = moves.child[nodes]
            ends.append(nodes[below < 0])
            nodes = below[below >= 0]
        return np.concatenate(ends)

    def _look_again(self, *leaves: Nodes) -> None:
        """Work out the moves anew where leaves have changed."""
        changed = np.concatenate(leaves)
        self._into.refresh(changed)
        self._out_of.refresh(changed)
