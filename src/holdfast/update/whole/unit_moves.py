"""Moves of single units on a tree: to a leaf, from a leaf, from one leaf to another.

The cost of a table is the sum over the nodes of weight times the square of its distance from the
asked value. Costs are whole numbers, compared exactly; equal costs are told apart by the order of
the leaves, so that only one of several nearest tables is final. A move is cheapest for a node if
no other leaf below it does better; after a move only the nodes above its leaf are looked at anew.

Claim.      `cost` is the change of the cost below and at each node by its cheapest move.
Reason.     docs/theory/update.md#whole-numbers
Checked by. tests/update/test_unit_moves.py
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.worlds.growth import Arrays

Integers = npt.NDArray[Any]  # of int64, or of Python's whole numbers where those are too small
Nodes = npt.NDArray[np.int64]
Price = Callable[[Nodes], Integers]


class UnitMoves:
    """The cheapest move of one unit into, or out of, the leaves below each node.

    `order` tells equal costs apart, and `child` is the child through which the move goes; a
    leaf has none, -1.
    """

    __slots__ = ("_arrays", "_blocked", "_price", "child", "cost", "order")

    def __init__(self, arrays: Arrays, order: Nodes, price: Price, blocked: int) -> None:
        """Take each leaf's order, and what a node's own step costs: `blocked` where it must not be.

        That is more than all others together, and no cost is above it.
        """
        self._arrays, self._price, self._blocked = arrays, price, blocked
        self.order = order.copy()
        self.child = np.full(order.size, -1, dtype=np.int64)
        self.cost = price(np.arange(order.size))
        ends = arrays.child_offsets
        self._look_above(np.flatnonzero(ends[1:] == ends[:-1]))

    def refresh(self, leaves: Nodes) -> None:
        """Look again at leaves that have moved, and at all nodes above them."""
        self.cost[leaves] = self._price(leaves)
        self._look_above(leaves)

    def _look_above(self, leaves: Nodes) -> None:
        edges, waiting = self._arrays.level_offsets, leaves
        for depth in range(edges.size - 2, 0, -1):
            here = waiting >= edges[depth]
            parents = np.unique(self._arrays.parents[waiting[here]]).astype(np.int64)
            if parents.size:
                self._choose(parents)
            waiting = np.concatenate([waiting[~here], parents])

    def _choose(self, nodes: Nodes) -> None:
        """Choose the best child of nodes whose children are known."""
        children, starts, counts = family(self._arrays, nodes)
        cost, order = self.cost[children], self.order[children]
        least = np.minimum.reduceat(cost, starts)
        is_least = np.asarray(cost == np.repeat(least, counts), dtype=bool)
        first = np.minimum.reduceat(np.where(is_least, order, order.max() + 1), starts)
        chosen = children[is_least & (order == np.repeat(first, counts))]
        self.child[nodes] = chosen
        self.order[nodes] = self.order[chosen]
        self.cost[nodes] = np.minimum(self._price(nodes) + self.cost[chosen], self._blocked)


def family(arrays: Arrays, nodes: Nodes) -> tuple[Nodes, Nodes, Nodes]:
    """Return the children of inner nodes, where each family begins, and its size."""
    first = arrays.child_offsets[nodes]
    counts = arrays.child_offsets[nodes + 1] - first
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
    return np.arange(counts.sum()) + np.repeat(first - starts, counts), starts, counts


def exchanges(
    arrays: Arrays, into: UnitMoves, out_of: UnitMoves, nodes: Nodes
) -> tuple[Nodes, Nodes]:
    """Return children into which a unit should go, and the siblings that it should come from.

    The cheapest to enter is paired with the cheapest to leave, the next with the next, as long
    as that helps. No child stands on both sides, if no exchange below it helps.
    """
    arrives, leaves = into.child[nodes], out_of.child[nodes]
    nodes = nodes[_helps(into, out_of, arrives, leaves)]
    if not nodes.size:
        return nodes, nodes
    children, _, counts = family(arrays, nodes)
    which = np.repeat(np.arange(nodes.size), counts)
    arrives, leaves = _sorted(into, children, which), _sorted(out_of, children, which)
    helps = _helps(into, out_of, arrives, leaves)
    return arrives[helps], leaves[helps]


def _helps(into: UnitMoves, out_of: UnitMoves, arrives: Nodes, leaves: Nodes) -> Any:
    """Return whether a unit is better moved, or as well and to an earlier leaf."""
    gain = into.cost[arrives] + out_of.cost[leaves]
    tie = into.order[arrives] + out_of.order[leaves]
    return np.asarray((gain < 0) | ((gain == 0) & (tie < 0)), dtype=bool)


def _sorted(moves: UnitMoves, children: Nodes, which: Nodes) -> Nodes:
    """Return the children family by family, the cheapest first."""
    place = np.argsort(moves.order[children], kind="stable")
    for keys in (moves.cost[children], which):
        place = place[np.argsort(keys[place], kind="stable")]
    return children[place]
