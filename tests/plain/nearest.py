"""The nearest table by its definition: all whole tables of a range; all sets of leaves at 0."""

from fractions import Fraction
from functools import cache
from itertools import chain, combinations, product

import numpy as np

from holdfast.worlds.hierarchy import Hierarchy
from tests.plain.linear import solved

Weights = list[Fraction]  # one a node


def distance(weights: Weights, table, asked) -> Fraction:
    """Return the sum of weight times the square of the move."""
    moves = zip(weights, table, asked, strict=True)
    return sum((w * (Fraction(z) - Fraction(y)) ** 2 for w, z, y in moves), Fraction(0))


def nearest_whole(
    tree: Hierarchy, weights, pinned, asked, leaf_values, least=None, most=None, norm="l2"
):
    """Return the nearest table with leaves in a range; equal ones by total, then by leaves.

    `weights` are whole numbers, one a node, and distances are exact in 64 bits. `least` and
    `most` bound single nodes.
    """
    leaves = _all_vectors(tuple(leaf_values), tree.leaf_nodes.size)
    tables = leaves @ rows_of(tree).T
    fits = np.ones(len(tables), dtype=bool)
    for node, value in pinned.items():
        fits &= tables[:, node] == value
    for node, value in (least or {}).items():
        fits &= tables[:, node] >= value
    for node, value in (most or {}).items():
        fits &= tables[:, node] <= value
    free = np.array([0 if node in pinned else w for node, w in enumerate(weights)])
    far = ((tables - np.array(asked)) ** 2) @ free
    sizes = np.abs(tables - np.array(asked)) @ free * (norm == "l1")
    keys = np.column_stack([sizes, far, tables[:, 0], -leaves])[fits]
    return tables[fits][np.lexsort(keys.T[::-1])[0]].tolist() if fits.any() else None


@cache
def _all_vectors(values: tuple[int, ...], length: int) -> np.ndarray:
    return np.array(list(product(values, repeat=length)), dtype=np.int64)


def nearest_real(tree: Hierarchy, weights: Weights, pinned, asked, nonnegative: bool):
    """Return the nearest table in fractions: the best of all sets of leaves held at 0."""
    leaves = [leaf for leaf in tree.leaf_nodes.tolist() if nonnegative and leaf not in pinned]
    best = None
    sets = chain.from_iterable(combinations(leaves, k) for k in range(len(leaves) + 1))
    for held in sets:
        table = _given(tree, weights, {**pinned, **dict.fromkeys(held, 0)}, asked)
        if table is None or any(table[leaf] < 0 for leaf in leaves):
            continue
        free = [Fraction(0) if node in pinned else w for node, w in enumerate(weights)]
        key = distance(free, table, asked)
        if best is None or key < best[0]:
            best = (key, table)
    return best and best[1]


def rows_of(tree: Hierarchy) -> np.ndarray:
    """Return for each node which leaves are below it."""
    identity = np.eye(tree.leaf_nodes.size, dtype=np.int64)
    return np.stack([tree.aggregate(unit) for unit in identity], axis=1)


def _given(tree, weights, pinned, asked):
    """Return the nearest table in which nodes have given values: stationary, in fractions."""
    below = rows_of(tree).tolist()
    leaves = tree.leaf_nodes.size
    free = [node for node in range(tree.size) if node not in pinned]
    square = [
        [sum(weights[n] * below[n][i] * below[n][j] for n in free) for j in range(leaves)]
        for i in range(leaves)
    ]
    right = [
        sum(weights[n] * below[n][i] * Fraction(asked[n]) for n in free) for i in range(leaves)
    ]
    nodes = list(pinned)
    matrix = [row + [Fraction(below[n][i]) for n in nodes] for i, row in enumerate(square)]
    matrix += [[Fraction(x) for x in below[n]] + [Fraction(0)] * len(nodes) for n in nodes]
    found = solved(matrix, right + [Fraction(pinned[n]) for n in nodes])
    if found is None:
        return None
    return [sum(b * z for b, z in zip(row, found, strict=False)) for row in below]
