"""Which nodes of a tree have the same kind of subtree below them.

Two nodes have one shape where they stand on one level, are both pinned or both free, and have
the same shapes below them equally often. What is worked out for a shape serves all its nodes.

Checked by. tests/revision/test_parts.py
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from holdfast.revision.noisy_tree import NoisyTree

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Shape:
    """A level, whether the node is pinned, and how often each shape stands below it."""

    level: int
    pinned: bool
    below: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Shapes:
    """The shapes, those below before those above, and the shape of each node."""

    listed: tuple[Shape, ...]
    of_node: npt.NDArray[np.int32]


def shapes_of(noisy: NoisyTree) -> Shapes:
    """Return the shapes of a tree, found level by level from the deepest."""
    arrays, pinned = noisy.tree.arrays, noisy.is_pinned
    number: dict[Shape, int] = {}
    of_node = np.empty(noisy.tree.size, dtype=np.int32)
    for level in reversed(range(noisy.tree.depth)):
        start, stop = arrays.level_offsets[level : level + 2].tolist()
        counts = np.diff(arrays.child_offsets[start : stop + 1])
        low, high = arrays.child_offsets[[start, stop]].tolist()
        kinds, kind_of = _kinds(counts, of_node[low:high])
        keys = kind_of * 2 + pinned[start:stop]
        found, place = np.unique(keys, return_inverse=True)
        shapes = [Shape(level, bool(key & 1), kinds[key >> 1]) for key in found.tolist()]
        numbers = [number.setdefault(shape, len(number)) for shape in shapes]
        of_node[start:stop] = np.array(numbers, dtype=np.int32)[place.reshape(-1)]
    return Shapes(tuple(number), of_node)


def _kinds(
    counts: Integers, below: npt.NDArray[np.int32]
) -> tuple[list[tuple[tuple[int, int], ...]], Integers]:
    """Return the different families of children, and which one each node of a level has."""
    if not below.size:
        return [()], np.zeros(counts.size, dtype=np.int64)
    families: list[tuple[tuple[int, int], ...]]
    if (below == below[0]).all():  # one shape alone: a family is its number
        sizes, place = np.unique(counts, return_inverse=True)
        families = [((int(below[0]), many),) if many else () for many in sizes.tolist()]
        return families, place.reshape(-1)
    span = int(below.max()) + 1
    parent = np.repeat(np.arange(counts.size), counts)
    keys, often = np.unique(parent * span + below, return_counts=True)
    pairs = np.stack([keys % span, often], axis=1)
    edges = np.searchsorted(keys, np.arange(counts.size + 1) * span).tolist()
    number: dict[bytes, int] = {}
    runs = (pairs[low:high].tobytes() for low, high in pairwise(edges))
    place_of = [number.setdefault(run, len(number)) for run in runs]
    read = [np.frombuffer(key, dtype=np.int64).reshape(-1, 2).tolist() for key in number]
    families = [tuple((shape, many) for shape, many in family) for family in read]
    return families, np.array(place_of, dtype=np.int64)
