"""Match the rows of a table of counts to the leaves of a tree, by path.

Rows are data: what is wrong with them is told without a label, a row number or a count.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadTable, Fault, raise_all
from holdfast.kernels.tree import DENSE
from holdfast.worlds.growth import Arrays
from holdfast.worlds.labels import ABSENT, NONE, Column, column_of, recoded

Integers = npt.NDArray[np.int64]
REMEDY = "Declare what happens to rows outside the public list before counting."


def leaves_of(arrays: Arrays, columns: Sequence[Column], levels: Sequence[Any]) -> Integers:
    """Return the leaf of each row; refuse strange paths and paths that come twice."""
    private: list[Fault] = []
    read = [column_of(c.name, values, private) for c, values in zip(columns, levels, strict=True)]
    if len({column.codes.size for column in read}) > 1:
        raise BadTable(Fault("columns", "columns of one length", "several", "Give whole rows."))
    nodes = np.zeros(read[0].codes.size, dtype=np.int64)
    ended = np.zeros(nodes.size, dtype=bool)
    for depth, (column, theirs) in enumerate(zip(columns, read, strict=True)):
        codes = recoded(column, theirs)
        stays = codes == NONE  # the path has ended: its node is found
        resumes = ended & ~stays  # it had ended and goes on: no path of a tree
        ended |= stays
        below = _children(arrays, depth, nodes, codes, len(column.vocabulary))
        nodes = np.where(stays, nodes, np.where(resumes, ABSENT, below))
    found = nodes[nodes != ABSENT]
    inner = arrays.child_offsets[found] != arrays.child_offsets[found + 1]
    faults = []
    if private or found.size < nodes.size or inner.any():
        faults.append(Fault("rows", "paths of leaves of the tree", "a path that is none", REMEDY))
    if (np.bincount(found) > 1).any():
        remedy = "Add up the rows of each leaf first."
        faults.append(Fault("rows", "each leaf at most once", "a leaf more than once", remedy))
    raise_all(BadTable, faults)
    return nodes


def _children(arrays: Arrays, depth: int, nodes: Integers, codes: Integers, keys: int) -> Integers:
    """Return the child of each node with this code, or ABSENT."""
    above, start, stop = arrays.level_offsets[depth : depth + 3].tolist()
    parents = arrays.parents[start:stop].astype(np.int64) - above
    key = parents * keys + arrays.codes[start:stop]
    known = (nodes >= above) & (codes >= 0)
    wanted = np.where(known, (nodes - above) * keys + codes, 0)
    if (start - above) * keys <= DENSE * (stop - start) + 1024:
        table = np.full((start - above) * keys + 1, ABSENT)
        table[key] = np.arange(start, stop)
        return np.where(known, table[wanted], ABSENT)
    order = np.argsort(key)
    found = order[np.minimum(np.searchsorted(key, wanted, sorter=order), order.size - 1)]
    return np.where(known & (key[found] == wanted), found + start, ABSENT)
