"""Noise given equalities, judged by the one statistic whose law is known on every structure.

For Laplace noise given rows that leave d cells free, the sum of |noise| / scale has the Gamma
law of shape d, and is independent of each cell's share of it (docs/theory/chains.md).
"""

import math
from fractions import Fraction

import numpy as np
from scipy.special import gammainc

from holdfast.noise.laplace import Laplace
from holdfast.revision.noisy_system import NoisySystem, system_of
from holdfast.revision.noisy_tree import NoisyTree
from holdfast.worlds.exact_rows import Row
from holdfast.worlds.hierarchy import Hierarchy
from tests.plain.statistics import ALARM, strays

TREE = [("a", "x"), ("a", "y"), ("b", "z")]
BROAD = [("a", "p"), ("a", "q"), ("b", "r"), ("b", "s"), ("c", "t")]


def tree(paths=TREE, scales=(1, 2, 3), pinned=()) -> NoisySystem:
    laws = [Laplace.with_scale(scale) for scale in scales]
    return system_of(NoisyTree(Hierarchy.from_paths(paths), laws, pinned))


def table() -> NoisySystem:
    """Two by two cells, their margins, and the total; one scale each."""
    rows = [
        Row(((0, 1), (1, 1), (4, -1)), 0),
        Row(((2, 1), (3, 1), (5, -1)), 0),
        Row(((0, 1), (2, 1), (6, -1)), 0),
        Row(((1, 1), (3, 1), (7, -1)), 0),
        Row(((4, 1), (5, 1), (8, -1)), 0),
        Row(((6, 1), (7, 1), (8, -1)), 0),  # follows from the others
    ]
    return NoisySystem([Laplace.with_scale(s) for s in (1, 2, 1, 1, 2, 1, 1, 2, 3)], rows)


def random_rows(seed: int = 4, rows: int = 2, cells: int = 5) -> NoisySystem:
    rng = np.random.default_rng(seed)
    drawn = rng.integers(-2, 4, (rows, cells)).tolist()
    listed = [Row(tuple((c, v) for c, v in enumerate(line) if v), 0) for line in drawn]
    scales = rng.integers(1, 4, cells).tolist()
    return NoisySystem([Laplace.with_scale(scale) for scale in scales], listed)


STRUCTURES = {
    "tree": tree(),
    "pinned tree": tree(BROAD, (1, 1, 2), [0]),
    "table": table(),
    "random rows": random_rows(),
}


def dense(system: NoisySystem) -> np.ndarray:
    matrix = np.zeros((len(system.rows), len(system.laws)))
    for number, row in enumerate(system.rows):
        for cell, coefficient in row.terms:
            matrix[number, cell] += coefficient
    return matrix


def scales_of(system: NoisySystem) -> np.ndarray:
    return np.array([float(law.scale) for law in system.laws])


def free_count(system: NoisySystem) -> int:
    return len(system.laws) - int(np.linalg.matrix_rank(dense(system)))


def obeys(noise: np.ndarray, system: NoisySystem) -> bool:
    """Whether the rows are 0, to rounding."""
    return bool((np.abs(noise @ dense(system).T) < 1e-9 * scales_of(system).max()).all())


def has_gamma_law(noise: np.ndarray, system: NoisySystem) -> bool:
    """Whether the sum of sizes over scales strays no farther from its law than chance allows."""
    sums = (np.abs(noise) / scales_of(system)).sum(axis=1)
    free = free_count(system)
    return not strays(sums, lambda x: float(gammainc(free, x)))


def shares_of(noise: np.ndarray, system: NoisySystem) -> np.ndarray:
    parts = np.abs(noise) / scales_of(system)
    return parts / parts.sum(axis=1, keepdims=True)


def has_shares(noise: np.ndarray, system: NoisySystem, sizes: list[Fraction]) -> bool:
    """Whether each cell's mean share of the sum is its exact mean size over d scales.

    Shares lie between 0 and 1; Maurer and Pontil 2009, theorem 4, for all cells together.
    """
    shares = shares_of(noise, system)
    expected = np.array([float(size) for size in sizes]) / scales_of(system) / free_count(system)
    allowed = [share_threshold(len(noise), len(sizes), float(v)) for v in shares.var(0, ddof=1)]
    return bool((np.abs(shares.mean(axis=0) - expected) <= allowed).all())


def share_threshold(draws: int, cells: int, variance: float) -> float:
    """The distance that a mean share passes with chance at most 1e-9, on either side."""
    rare = math.log(4 * cells / ALARM)
    return math.sqrt(2 * variance * rare / draws) + 7 * rare / (3 * (draws - 1))


TREE_SIZES = [  # theory 4.2, tree (2, 1), all scales 1: root, groups, leaves
    Fraction(43, 83),
    Fraction(239, 498),
    Fraction(199, 498),
    Fraction(599, 996),
    Fraction(599, 996),
    Fraction(199, 498),
]
