"""Loops over a tree kept as arrays: nodes breadth first, siblings contiguous.

`child_offsets[v]` to `child_offsets[v + 1]` are the children of node v; `level_offsets[d]` to
`level_offsets[d + 1]` are the nodes of depth d.

Checked by. tests/kernels/test_tree.py
"""

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.int64 | np.float64]
DENSE = 8  # keys per row up to which a table of all keys is quicker than a sort


def branch(parents: Integers, codes: Integers, keys: int) -> tuple[Integers, Integers, Integers]:
    """Return each row's node, and each node's parent and code.

    A node is a distinct (parent, code); nodes are ordered by parent, then by first appearance.
    There are at most `keys` codes.
    """
    key = parents * keys + codes
    span = (int(parents.max(initial=-1)) + 1) * keys
    if span > DENSE * key.size + 1024:
        distinct, key = np.unique(key, return_inverse=True)
        key = key.reshape(-1)
        span = distinct.size
    else:
        distinct = None
    first = np.full(span, -1, dtype=np.int64)
    first[key[::-1]] = np.arange(key.size - 1, -1, -1)  # of equal keys the last one written stays
    present = np.flatnonzero(first >= 0)
    label = present if distinct is None else distinct[present]
    parent, first = label // keys, first[present]
    if not np.all((first[1:] > first[:-1]) | (parent[1:] != parent[:-1])):
        order = np.lexsort((first, parent))
        present, label, parent = present[order], label[order], parent[order]
    node_of_key = np.empty(span, dtype=np.int64)
    node_of_key[present] = np.arange(present.size)
    return node_of_key[key], parent, label % keys


def offsets(counts: Integers, start: int) -> Integers:
    """Return where each run begins, and where the last one ends."""
    answer = np.empty(counts.size + 1, dtype=np.int64)
    answer[0] = start
    np.cumsum(counts, out=answer[1:])
    answer[1:] += start
    return answer


def sum_up(values: Numbers, child_offsets: Integers, level_offsets: Integers) -> Numbers:
    """Fill the inner nodes with the sums of their children, deepest first; return `values`."""
    for start, stop in zip(level_offsets[-3::-1], level_offsets[-2:0:-1], strict=True):
        low, high = child_offsets[start:stop], child_offsets[start + 1 : stop + 1]
        inner = np.flatnonzero(high > low)
        if inner.size:
            under = values[low[inner[0]] : high[inner[-1]]]
            values[start + inner] = np.add.reduceat(under, low[inner] - low[inner[0]])
    return values
