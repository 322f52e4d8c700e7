"""Whole numbers that add up and whose mean is the real table: unbiased rounding by one draw.

Leaves are lined up so that the leaves of every node stand together, and their running sums are
raised by one uniform number u below 1. Each leaf gets the whole numbers that its stretch of the
line passes. So does every node: its total is the floor or the ceiling of the real one.

Claim.      The mean of each node is the real value, to 2**-20; no node moves by a unit; sums hold.
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
PARTS = 20  # bits of a unit's parts
MOST = 2.0**40  # a table larger than this in all leaves no room for the parts


def unbiased(tree: Hierarchy, table: npt.NDArray[Any], chance: Chance) -> Whole:
    """Return a whole table; the given one adds up and its total is below 2**40."""
    order = _line(tree)
    leaves = table[tree.leaf_nodes][order]
    parts = np.rint(leaves * 2.0**PARTS).astype(np.int64)
    start = int(chance.words(1)[0]) >> max(chance.width - PARTS, 0)
    passed = (np.cumsum(parts) + start) >> PARTS
    answer = np.empty(passed.size, dtype=np.int64)
    answer[order] = np.diff(passed, prepend=start >> PARTS)
    return tree.aggregate(answer).astype(np.int64)


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
