"""Small trees of every form, and the law of noise on them by the definition.

A form is a tuple of the forms below; a leaf is ().
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np

from holdfast.worlds.hierarchy import Hierarchy
from tests.plain.statistics import threshold

Form = tuple["Form", ...]


@cache
def forms(leaves: int) -> tuple[Form, ...]:
    """Return all unordered forms with so many leaves and no single child."""
    if leaves == 1:
        return ((),)
    found = set()
    for parts in partitions(leaves):
        if len(parts) > 1:
            for below in product(*(forms(part) for part in parts)):
                found.add(tuple(sorted(below)))
    return tuple(sorted(found))


def partitions(number: int, most: int | None = None) -> Iterator[tuple[int, ...]]:
    most = number if most is None else most
    if number == 0:
        yield ()
    for first in range(min(number, most), 0, -1):
        for rest in partitions(number - first, first):
            yield (first, *rest)


ONE_CHILD: tuple[Form, ...] = (((),), (((),), ()), ((((),),), ((), ())))
ALL_FORMS = tuple(form for n in range(2, 6) for form in forms(n)) + ONE_CHILD


def paths(form: Form, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if not form:
        yield above
    for number, child in enumerate(form):
        yield from paths(child, (*above, f"{'abcdefg'[number]}"))


def tree_of(form: Form) -> Hierarchy:
    return Hierarchy.from_paths(list(paths(form)))


def conditional(
    tree: Hierarchy, weights: list[list[float]], pinned: tuple[int, ...] = ()
) -> tuple[np.ndarray, np.ndarray]:
    """Return all worlds over the nodes with leaves within the reach of the weights, and chances.

    `weights[level][size]` is the weight of noise of that size; `conditional` is the definition
    of revision in floats: worlds that obey the sums, each with the product of its weights. What
    lies beyond the reach is left out.
    """
    reach = len(weights[0]) - 1
    leaves = tree.leaf_nodes
    grids = np.meshgrid(*[np.arange(-reach, reach + 1)] * leaves.size, indexing="ij")
    worlds = np.zeros((grids[0].size, tree.size), dtype=np.int64)
    worlds[:, leaves] = np.stack([grid.reshape(-1) for grid in grids], axis=1)
    for node in reversed(range(1, tree.size)):
        worlds[:, tree.arrays.parents[node]] += worlds[:, node]
    keep = np.all(np.abs(worlds) <= reach, axis=1) & np.all(worlds[:, list(pinned)] == 0, axis=1)
    worlds = worlds[keep]
    chances = np.ones(len(worlds))
    for node, level in enumerate(tree.levels.tolist()):
        if node not in pinned:
            chances *= np.array(weights[level])[np.abs(worlds[:, node])]
    return worlds, chances / chances.sum()


def laplace_weights(ratio: Fraction, reach: int) -> list[float]:
    return [float(ratio**k) for k in range(reach + 1)]


def gaussian_weights(square: Fraction, reach: int) -> list[float]:
    return [float(np.exp(-k * k / (2 * float(square)))) for k in range(reach + 1)]


def numbered(worlds: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """Return the place of each draw among the worlds, -1 for one that is not there."""
    place = {world.tobytes(): number for number, world in enumerate(np.ascontiguousarray(worlds))}
    return np.array([place.get(draw.tobytes(), -1) for draw in np.ascontiguousarray(draws)])


def strays_from(
    worlds: np.ndarray, chances: np.ndarray, draws: np.ndarray, alarm: float, rest: float = 0.0
) -> bool:
    """Return whether draws of whole worlds lie farther from their law than chance allows.

    Worlds are put in order of chance; the distance is that of cumulatives (DKW, Massart). Right
    draws are elsewhere with chance `rest` at most, which shifts their cumulative by no more.
    """
    order = np.argsort(-chances)
    found = numbered(worlds[order], draws)
    counts = np.bincount(found + 1, minlength=len(worlds) + 1)
    seen = np.cumsum(counts) / len(draws)
    expected = np.concatenate([[0.0], np.cumsum(chances[order])])
    limit = threshold(len(draws), alarm) + rest
    return bool(np.abs(seen - expected).max() > limit)


def total_weight(
    tree: Hierarchy, weights: list[list[float]], pinned: tuple[int, ...] = ()
) -> float:
    """Return the sum of the weights of all worlds, each node within the reach of its weights.

    Node by node from below, by adding up over the totals of children.
    """
    reach = len(weights[0]) - 1
    ends = tree.arrays.child_offsets.tolist()
    messages: list[np.ndarray] = [np.zeros(0)] * tree.size
    for node in reversed(range(tree.size)):
        sizes = np.abs(np.arange(-reach, reach + 1))
        own = np.array(weights[tree.levels[node]])[sizes]
        if node in pinned:
            own = (sizes == 0).astype(float)
        below = None
        for child in range(ends[node], ends[node + 1]):
            below = messages[child] if below is None else np.convolve(below, messages[child])
        if below is not None:
            middle = below.size // 2
            own = own * below[middle - reach : middle + reach + 1]
        messages[node] = own
    return float(messages[0].sum())


def left_out(
    tree: Hierarchy, weights: list[list[float]], reach: int, pinned: tuple[int, ...] = ()
) -> float:
    """Return the chance that some node's noise is larger than `reach`.

    The weights must go so far that what they leave out themselves does not count.
    """
    within = [some[: reach + 1] for some in weights]
    return 1 - total_weight(tree, within, pinned) / total_weight(tree, weights, pinned)
