"""A table of whole numbers near a real one: rounded from the root down, so that it adds up.

It is where the search for the nearest one begins, and no more: any table that obeys the rules
would do, a near one is quick.

Checked by. tests/update/test_whole_start.py
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from holdfast.solvers.tree_sweeps import Level, Levels
from holdfast.update.trees.tree_least_squares import Nearest

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
SNAP = 1e-7  # as near as this to a whole number, a real one is taken for it
FINEST = 2.0**-20  # children are ordered no finer than this, so that equal ones stay in order


@dataclass(frozen=True, eq=False, slots=True)
class Ends:
    """The least and the greatest total of each node; equal where it cannot move."""

    lowest: Whole
    highest: Whole


def whole_start(levels: Levels, nearest: Nearest, ends: Ends) -> Whole:
    """Return whole numbers near the real ones that add up, between the ends of every node."""
    base = np.floor(nearest.nodes + SNAP)
    beyond = np.clip(nearest.nodes - base, 0.0, 1.0)
    table = np.clip(base.astype(np.int64), ends.lowest, ends.highest)
    table[0] = np.clip(np.int64(np.rint(nearest.nodes[0])), ends.lowest[0], ends.highest[0])
    steepness = np.divide(
        1.0, nearest.alone, out=np.zeros_like(nearest.alone), where=nearest.alone > 0
    )
    price = np.where(nearest.alone > 0, (1 - 2 * beyond) * steepness, np.inf)
    price[table >= ends.highest] = np.inf
    for level in levels:
        _hand_down(table, price[level.under], level)
        _settle(table, ends, level)
    return table


def _hand_down(table: Whole, price: Floats, level: Level) -> None:
    """Raise the cheapest children of each parent by one, as many as it has units to give."""
    children = table[level.under]
    extra = np.repeat(table[level.inner] - np.add.reduceat(children, level.starts), level.counts)
    free = np.isfinite(price)
    scale = FINEST * max(np.abs(price[free]).max(initial=0.0), 1e-300)
    family = np.repeat(np.arange(level.inner.size), level.counts)
    order = np.lexsort((np.rint(np.where(free, price, 0.0) / scale), ~free, family))
    place = np.arange(order.size) - np.repeat(level.starts, level.counts)
    raised = order[(place < extra) & free[order]]
    children[raised] += 1
    table[level.under] = children


def _settle(table: Whole, ends: Ends, level: Level) -> None:
    """Where a parent's units still do not fit, give them to its first children with room."""
    children = table[level.under]
    missing = table[level.inner] - np.add.reduceat(children, level.starts)
    if not missing.any():
        return
    left = np.repeat(np.abs(missing), level.counts)
    falls = np.repeat(missing < 0, level.counts)
    to_end = np.where(
        falls, children - ends.lowest[level.under], ends.highest[level.under] - children
    )
    room = np.minimum(to_end, left)
    before = np.cumsum(room) - room
    before -= np.repeat(before[level.starts], level.counts)
    step = np.clip(left - before, 0, room)
    table[level.under] = children + np.where(falls, -step, step)
