"""Whole numbers that add up and whose mean is the real table: unbiased rounding by one draw.

Leaves are lined up so that the leaves of every node stand together, and their running sums are
raised by one uniform number u below 1. Each leaf gets the whole numbers that its stretch of the
line passes. So does every node: its total is the floor or the ceiling of the real one.

Before that the table is brought to parts of 2**-20 of a unit, from the root down: each family
by its running sums, so that roundings do not add up, and whole nodes stay whole.

Claim.      The mean of each node is the real value, to a part for each level; no node moves by a
            unit and whole ones not at all; sums hold.
Reason.     docs/theory/update.md#unbiased-rounding
Checked by. tests/update/test_unbiased_rounding.py
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.foundation.randomness import Chance
from holdfast.solvers.tree_sweeps import levels_of
from holdfast.worlds.hierarchy import Hierarchy

Whole = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
PARTS = 20  # bits of a unit's parts
MOST = 2.0**33  # of a larger table floats do not hold the parts
SNAP = 2.0**-46  # of the largest value: as near to a whole number, a float is taken for it


def unbiased(tree: Hierarchy, table: Floats, chance: Chance) -> Whole:
    """Return a whole table; the given one adds up, and its sizes add up to less than 2**33."""
    order = _line(tree)
    parts = in_parts(tree, table)[tree.leaf_nodes][order]
    start = int(chance.words(1)[0]) >> max(chance.width - PARTS, 0)
    passed = (np.cumsum(parts) + start) >> PARTS
    answer = np.empty(passed.size, dtype=np.int64)
    answer[order] = np.diff(passed, prepend=start >> PARTS)
    return tree.aggregate(answer).astype(np.int64)


def in_parts(tree: Hierarchy, table: npt.NDArray[Any]) -> Whole:
    """Return the table in whole parts that add up; whole numbers stay whole."""
    unit = 1 << PARTS
    near = np.rint(table)
    is_whole = np.abs(table - near) <= SNAP * max(1.0, float(np.abs(table).max())) + 2.0**-40
    parts = np.where(is_whole, near, 0).astype(np.int64) * unit
    parts[0] = parts[0] if is_whole[0] else int(np.rint(table[0] * unit))
    for level in levels_of(tree.arrays):
        broken = np.where(is_whole[level.under], 0.0, table[level.under])
        kept = np.add.reduceat(parts[level.under], level.starts)  # of the whole ones, so far
        summed = np.cumsum(broken)
        before = np.concatenate([[0.0], summed])[level.starts]
        ends = np.rint((summed - np.repeat(before, level.counts)) * unit).astype(np.int64)
        last = level.starts + level.counts - 1
        missing = np.repeat(parts[level.inner] - kept - ends[last], level.counts)
        # what is missing for a part or two goes where the family ends: to its last broken child
        place = np.where(is_whole[level.under], -1, np.arange(ends.size))
        latest = np.repeat(np.maximum.reduceat(place, level.starts), level.counts)
        ends += np.where((latest >= 0) & (np.arange(ends.size) >= latest), missing, 0)
        share = np.diff(ends, prepend=0)
        share[level.starts] = ends[level.starts]
        parts[level.under] += np.where(is_whole[level.under], 0, share)
    return parts


def _line(tree: Hierarchy) -> Whole:
    """Return the leaves in an order in which those of every node stand together."""
    counts = tree.leaf_counts.astype(np.int64)
    first = np.zeros(tree.size, dtype=np.int64)
    for level in levels_of(tree.arrays):
        before = np.cumsum(counts[level.under]) - counts[level.under]
        within = before - np.repeat(before[level.starts], level.counts)
        first[level.under] = np.repeat(first[level.inner], level.counts) + within
    order = np.empty(tree.leaf_nodes.size, dtype=np.int64)
    order[first[tree.leaf_nodes]] = np.arange(tree.leaf_nodes.size)
    return order
