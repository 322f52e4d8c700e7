"""A table of whole numbers near a real one: rounded from the root down, so that it adds up.

It is where the search for the nearest one begins, and no more: any table that obeys the rules
would do, a near one is quick.

Checked by. tests/update/test_whole_optimum.py
"""

import numpy as np
import numpy.typing as npt

from holdfast.solvers.tree_sweeps import Level
from holdfast.update.tree_least_squares import Nearest
from holdfast.update.tree_rules import TreeRules

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
SNAP = 1e-7  # as near as this to a whole number, a real one is taken for it
FINEST = 2.0**-20  # children are ordered no finer than this, so that equal ones stay in order


def whole_start(rules: TreeRules, nearest: Nearest, pinned: Whole, lowest: Whole) -> Whole:
    """Return whole numbers near the real ones that obey the rules.

    `pinned` holds the values of pinned nodes, `lowest` the least value of every node.
    """
    base = np.floor(nearest.nodes + SNAP)
    beyond = np.clip(nearest.nodes - base, 0.0, 1.0)
    table = np.maximum(base.astype(np.int64), lowest)
    table[rules.is_pinned] = pinned[rules.is_pinned]
    steepness = np.divide(
        1.0, nearest.alone, out=np.zeros_like(nearest.alone), where=nearest.alone > 0
    )
    price = np.where(nearest.alone > 0, (1 - 2 * beyond) * steepness, np.inf)
    if not rules.is_rigid[0]:
        table[0] = max(int(np.rint(nearest.nodes[0])), int(lowest[0]))
    for level in rules.levels:
        _hand_down(table, price[level.under], level)
        _settle(table, rules, lowest, level)
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


def _settle(table: Whole, rules: TreeRules, lowest: Whole, level: Level) -> None:
    """Where a parent's units still do not fit its children's, for rounding, move whole lots."""
    missing = table[level.inner] - np.add.reduceat(table[level.under], level.starts)
    for place in np.flatnonzero(missing).tolist():
        first = level.under.start + int(level.starts[place])
        children = np.arange(first, first + int(level.counts[place]))
        loose = children[~rules.is_rigid[children]]
        left = int(missing[place])
        for child in loose.tolist():
            step = left if left > 0 else max(left, int(lowest[child] - table[child]))
            table[child] += step
            left -= step
