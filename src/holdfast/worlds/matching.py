"""Match the rows of a table of counts to the leaves of a tree, by path.

Rows are data: what is wrong with them is told without a label, a row number or a count.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadTable, Fault, raise_all
from holdfast.worlds.growth import Arrays
from holdfast.worlds.labels import NONE, Column, column_of

Integers = npt.NDArray[np.int64]
ABSENT = -2
REMEDY = "Declare what happens to rows outside the public list before counting."


def leaves_of(arrays: Arrays, columns: Sequence[Column], levels: Sequence[Any]) -> Integers:
    """Return the leaf of each row; refuse strange paths and paths that come twice."""
    private: list[Fault] = []
    nodes = np.zeros(len(levels[0]), dtype=np.int64)
    ended = np.zeros(nodes.size, dtype=bool)
    for depth, (column, values) in enumerate(zip(columns, levels, strict=True)):
        codes = _codes(column, column_of(column.name, values, private))
        ended |= codes == NONE
        below = _children(arrays, depth, nodes, codes, len(column.vocabulary))
        nodes = np.where(ended & (codes == NONE), nodes, np.where(ended, ABSENT, below))
    inner = arrays.child_offsets[nodes] != arrays.child_offsets[nodes + 1]
    faults = []
    if private or (nodes < 0).any() or inner[nodes >= 0].any():
        faults.append(Fault("rows", "paths of leaves of the tree", "a path that is none", REMEDY))
    if np.unique(nodes[nodes >= 0]).size != (nodes >= 0).sum():
        remedy = "Add up the rows of each leaf first."
        faults.append(Fault("rows", "each leaf at most once", "a leaf more than once", remedy))
    raise_all(BadTable, faults)
    return nodes


def _codes(mine: Column, theirs: Column) -> Integers:
    """Return their labels as my codes; NONE stays, a label I do not know becomes ABSENT."""
    known = {mine.label(code): code for code in range(len(mine.vocabulary))}
    table = [known.get(theirs.label(code), ABSENT) for code in range(len(theirs.vocabulary))]
    return np.array([*table, NONE], dtype=np.int64)[theirs.codes]


def _children(arrays: Arrays, depth: int, nodes: Integers, codes: Integers, keys: int) -> Integers:
    """Return the child of each node with this code, or ABSENT."""
    start, stop = arrays.level_offsets[depth + 1 : depth + 3].tolist()
    parents = arrays.parents[start:stop].astype(np.int64)
    key = parents * keys + arrays.codes[start:stop]
    order = np.argsort(key)
    wanted = np.where((nodes >= 0) & (codes >= 0), nodes * keys + codes, -1)
    place = np.searchsorted(key, wanted, sorter=order)
    found = order[np.minimum(place, order.size - 1)]
    return np.where(key[found] == wanted, found + start, ABSENT)
