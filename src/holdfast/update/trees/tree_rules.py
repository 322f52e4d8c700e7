"""What an update onto a tree is asked for: its weights, its pinned nodes, its lower ends.

Distances are sums over the nodes of weight times the square of the move. Only the ratios of the
weights count; the whole numbers that stand for them keep these ratios exactly.

Checked by. tests/update/test_tree_rules.py
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadParameter, Fault
from holdfast.solvers.tree_sweeps import Levels, levels_of
from holdfast.worlds.hierarchy import Hierarchy

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Whole = npt.NDArray[np.int64]
FAR = 1 << 61  # stands for no bound


@dataclass(frozen=True, eq=False, init=False)
class TreeRules:
    """The sums of a tree, nodes pinned to whole numbers, and whether counts may be below 0.

    `least` and `most` are further whole bounds on single nodes; they need whole tables.
    """

    tree: Hierarchy
    weights: tuple[Fraction, ...]
    pinned: Mapping[int, int]
    nonnegative: bool
    least: Mapping[int, int]
    most: Mapping[int, int]

    def __init__(
        self,
        tree: Hierarchy,
        weights: Sequence[Fraction],
        pinned: Mapping[int, int] | None = None,
        nonnegative: bool = False,
        *,
        least: Mapping[int, int] | None = None,
        most: Mapping[int, int] | None = None,
    ) -> None:
        if len(weights) != tree.depth or not all(weight > 0 for weight in weights):
            found = f"{len(weights)} weights, or one that is not above 0"
            raise BadParameter(
                Fault("weights", f"{tree.depth} above 0, one a level", found, "Give one a level.")
            )
        object.__setattr__(self, "tree", tree)
        object.__setattr__(self, "weights", tuple(weights))
        object.__setattr__(self, "pinned", dict(pinned or {}))
        object.__setattr__(self, "nonnegative", nonnegative)
        object.__setattr__(self, "least", dict(least or {}))
        object.__setattr__(self, "most", dict(most or {}))

    @cached_property
    def levels(self) -> Levels:
        """Return the inner nodes and their children, level by level."""
        return tuple(levels_of(self.tree.arrays))

    @cached_property
    def whole_weights(self) -> tuple[int, ...]:
        """Return the smallest whole numbers in the ratios of the weights, one a level."""
        scale = math.lcm(*(weight.denominator for weight in self.weights))
        whole = [int(weight * scale) for weight in self.weights]
        return tuple(weight // math.gcd(*whole) for weight in whole)

    @cached_property
    def variances(self) -> Floats:
        """Return the inverse weight of every node; 0 where it is pinned."""
        largest = max(self.weights)
        inverse = np.array([float(largest / weight) for weight in self.weights])
        return np.where(self.is_pinned, 0.0, inverse[self.tree.levels])

    @cached_property
    def is_pinned(self) -> Flags:
        """Return which nodes are pinned."""
        answer = np.zeros(self.tree.size, dtype=bool)
        answer[list(self.pinned)] = True
        return answer

    @property
    def is_bounded(self) -> bool:
        """Return whether there are bounds on single nodes beside non-negative counts."""
        return bool(self.least or self.most)

    @cached_property
    def lowest(self) -> Whole:
        """Return the least total that each node can have, by its own rules and those below.

        Where it is above the highest, no table obeys the rules.
        """
        own = np.full(self.tree.size, -FAR)
        if self.nonnegative:
            own[self.tree.leaf_nodes] = 0
        return self._totals(own, [*self.least.items(), *self.pinned.items()], np.maximum)

    @cached_property
    def highest(self) -> Whole:
        """Return the greatest total that each node can have."""
        own = np.full(self.tree.size, FAR)
        return self._totals(own, [*self.most.items(), *self.pinned.items()], np.minimum)

    def _totals(self, own: Whole, bounds: list[tuple[int, int]], tighter: Any) -> Whole:
        """Return the tighter one of each node's own bounds and the sum of those below."""
        end = int(own[0])  # the root's, before any bound: none
        for node, value in bounds:
            own[node] = tighter(own[node], min(max(value, -FAR), FAR))
        for level in reversed(self.levels):
            below = own[level.under]
            is_free = np.add.reduceat((below == end).astype(np.int64), level.starts) > 0
            sums = np.add.reduceat(below, level.starts)
            roughly = np.add.reduceat(below.astype(np.float64), level.starts)
            # beyond all tables: no bound on the one side, more than can be on the other
            sums = np.where(np.abs(roughly) >= FAR, np.where(roughly * end > 0, end, -end), sums)
            sums = np.where(is_free, end, sums)
            own[level.inner] = tighter(own[level.inner], sums)
        return own

    def pin(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the values with those of pinned nodes in their place."""
        answer = values.copy()
        answer[list(self.pinned)] = list(self.pinned.values())
        return answer
