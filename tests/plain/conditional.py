"""The conditional law of whole-number noise on a small tree, world by world, by the definition.

The noise of all nodes is independent; the belief about it is revised on the event that every
parent is the sum of its children and that pinned nodes have none.
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.revision.noisy_tree import NoisyTree
from holdfast.worlds.belief import Belief
from tests.plain.statistics import ALARM, MISS

World = tuple[int, ...]
ELSEWHERE = "elsewhere"  # all worlds that do not add up, or leave the box
GRID = 1 << 100  # for masses that are no short fractions
TAILS = 8  # into which the alarm of `strays` is divided; it uses seven


def conditional_law(noisy: NoisyTree, reach: int) -> tuple[dict[World, Fraction], Fraction]:
    """Return the chance of each world over all nodes, given that no leaf's noise exceeds `reach`.

    And a bound on the conditional chance that one does, rounded masses included. A free leaf's
    conditional law is its own law times weights that fall with its size, so that its tails are
    lighter than its law's (docs/theory/rejection.md#tails).
    """
    worlds = _worlds(noisy, reach)
    masses = [_masses(law, reach * noisy.tree.leaf_nodes.size) for law in noisy.laws]
    level, pinned = noisy.tree.levels.tolist(), set(noisy.pinned)
    free = [(node, masses[level[node]]) for node in range(noisy.tree.size) if node not in pinned]
    chances = {world: _product(world, free) for world in worlds}
    whole = sum(chances.values(), Fraction(0))
    belief = Belief({**chances, ELSEWHERE: 1 - whole})
    leaves = set(noisy.tree.leaf_nodes.tolist()) - pinned
    rest = sum((noisy.laws[level[leaf]].tail_above(reach) for leaf in leaves), Fraction(0))
    rounding = Fraction(2 * len(worlds) * len(free), GRID) / whole
    return dict(belief.revise(worlds).items()), rest + rounding


def _worlds(noisy: NoisyTree, reach: int) -> list[World]:
    """Return the worlds of the box that add up and leave pinned nodes without noise."""
    tree, pinned = noisy.tree, set(noisy.pinned)
    leaves = tree.leaf_nodes.tolist()
    ranges = [(0,) if leaf in pinned else range(-reach, reach + 1) for leaf in leaves]
    ends = tree.arrays.child_offsets.tolist()
    answer = []
    for values in product(*ranges):
        world = [0] * tree.size
        for leaf, value in zip(leaves, values, strict=True):
            world[leaf] = value
        for node in reversed(range(tree.size)):
            if ends[node] < ends[node + 1]:
                world[node] = sum(world[ends[node] : ends[node + 1]])
        if not any(world[node] for node in pinned):
            answer.append(tuple(world))
    return answer


def _masses(law: Any, reach: int) -> tuple[list[int], int]:
    """Return the mass of each size over one denominator."""
    bounds = [law.mass(k) for k in range(reach + 1)]
    if all(bound.width == 0 for bound in bounds):
        below = math.lcm(*(bound.below.denominator for bound in bounds))
        return [int(bound.below * below) for bound in bounds], below
    return [int(bound.below * GRID) for bound in bounds], GRID


def _product(world: World, free: list[tuple[int, tuple[list[int], int]]]) -> Fraction:
    """Return the chance of independent noise."""
    above = below = 1
    for node, (masses, denominator) in free:
        above *= masses[abs(world[node])]
        below *= denominator
    return Fraction(above, below)


def smallest_visible_fault(draws: int, alarm: float = ALARM, miss: float = MISS) -> float:
    """Return the distance, in one order, of a law that `strays` misses with chance `miss`."""
    levels = (math.log(TAILS / alarm), math.log(2 / miss))
    return sum(math.sqrt(level / (2 * draws)) for level in levels)


def strays(
    noise: npt.NDArray[Any],
    law: Mapping[World, Fraction],
    rest: Fraction,
    alarm: float = ALARM,
) -> bool:
    """Return whether noise vectors, one a row, cannot have the law.

    Draws in the box have exactly the law, in whatever order the worlds are put (Dvoretzky,
    Kiefer, Wolfowitz): in the order of the last nodes, of the first nodes, and of their chances.
    The share of draws out of the box is at most `rest` (Hoeffding). Two sides of three orders,
    and the box: seven tails, each with less than its share of the alarm.
    """
    count = len(noise)
    worlds = np.array(list(law))
    most = np.abs(worlds).max(axis=0)
    inside = noise[(np.abs(noise) <= most).all(axis=1)]
    level = math.log(TAILS / alarm)
    numbers, drawn = (np.ravel_multi_index((v + most).T, 2 * most + 1) for v in (worlds, inside))
    order = np.argsort(numbers)
    place = order[np.searchsorted(numbers, drawn, sorter=order).clip(max=len(worlds) - 1)]
    often = np.bincount(place[numbers[place] == drawn], minlength=len(worlds))
    known = int(often.sum())
    if 1 - known / count > float(rest) + math.sqrt(level / (2 * count)):
        return True
    expected = np.array([float(chance) for chance in law.values()])
    orders = (np.lexsort(worlds.T), np.lexsort(worlds.T[::-1]), np.argsort(expected, kind="stable"))
    gap = max(np.abs(np.cumsum((often / known - expected)[order])).max() for order in orders)
    return bool(gap > math.sqrt(level / (2 * known)))
