"""A tree as large as New York's taxi zones: a root, six boroughs, 263 zones."""

import numpy as np

from holdfast.worlds.hierarchy import Hierarchy

SIZES = (69, 69, 61, 43, 20, 1)
NODES = 1 + len(SIZES) + sum(SIZES)
BOROUGHS = range(1, 1 + len(SIZES))
FIRST = tuple((1 + len(SIZES) + np.cumsum([0, *SIZES[:-1]])).tolist())  # a zone of each borough


def tree() -> Hierarchy:
    return Hierarchy.from_paths([(b, z) for b, n in enumerate(SIZES) for z in range(n)])


def by_level(values: np.ndarray) -> np.ndarray:
    """Return the sums over the root, the boroughs and the zones."""
    return np.add.reduceat(values, [0, 1, 1 + len(SIZES)], axis=-1)
