"""The law of signs on a path, for both discrete laws, against sums over all noise.

If this failed, a profile of conditioned noise would be that of another law.
"""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import holdfast as hf
from holdfast.revision.messages import path_signs
from holdfast.revision.messages.path_signs import PathSigns
from holdfast.revision.noisy_tree import NoisyTree

TREE = hf.Hierarchy.from_paths([("a", 1), ("a", 2), ("b", 3)])
REACH = 24  # at ratio 1/4 and below a leaf's noise is beyond with a chance below 1e-13
LAPLACES = [hf.DiscreteLaplace.with_ratio(r) for r in ("0.5", "0.25", "0.2")]
GAUSSIANS = [hf.DiscreteGaussian.with_scale(s) for s in ("2", "1.5", "1")]


def by_hand(laws, moved) -> dict[tuple[int, ...], float]:
    """Return the chance of each pattern for nodes moved by +1 or -1, over all noise in reach."""
    noise = np.array(list(product(range(-REACH, REACH + 1), repeat=3)))
    nodes = np.stack([TREE.aggregate(unit) for unit in np.eye(3, dtype=int)])
    totals = noise @ nodes
    weights = np.ones(len(noise))
    sizes = range(3 * REACH + 1)
    for node, level in enumerate(TREE.levels):
        masses = np.array([float(laws[level].mass(k)) for k in sizes])
        weights *= masses[np.abs(totals[:, node])]
    signs = np.stack([np.where(way * totals[:, node] <= 0, 1, -1) for node, way in moved], axis=1)
    found: dict[tuple[int, ...], float] = {}
    for pattern in product((1, -1), repeat=len(moved)):
        found[pattern] = float(weights[(signs == pattern).all(axis=1)].sum() / weights.sum())
    return found


# nodes: 0 the root, 1 and 2 the groups, 3 and 4 the leaves of the first, 5 that of the second
ARRIVALS = [[(3, 1), (1, 1), (0, 1)], [(5, 1), (2, 1), (0, 1)]]
EXCHANGES = [[(3, 1), (4, -1)], [(3, 1), (1, 1), (5, -1), (2, -1)]]


def near(one, other) -> bool:
    return one.keys() == other.keys() and all(abs(one[k] - other[k]) < 1e-9 for k in one)


def unmatched(laws) -> int:
    """Return how many of the kinds by hand are not among those by messages, as a multiset."""
    paths = PathSigns(NoisyTree(TREE, laws))
    found = [law.chances for law in (*paths.of_arrivals(), *paths.of_exchanges())]
    missing = 0
    for moved in (*ARRIVALS, *EXCHANGES):
        every = [by_hand(laws, moved), by_hand(laws, _turned(moved))]
        missing += not any(near(one, other) for one in found for other in every)
    return missing


def _turned(moved):
    """Return an exchange with its two paths in the other order."""
    ups, downs = [m for m in moved if m[1] == 1], [m for m in moved if m[1] == -1]
    return [(n, 1) for n, _ in downs] + [(n, -1) for n, _ in ups] if downs else moved


@pytest.mark.parametrize("laws", [LAPLACES, GAUSSIANS], ids=["laplace", "gaussian"])
def test_every_kind_of_path_has_its_law(laws):
    assert unmatched(laws) == 0


def test_each_kind_is_yielded_once():
    paths = PathSigns(NoisyTree(TREE, LAPLACES))
    assert len(list(paths.of_arrivals())) == 2
    assert len(list(paths.of_exchanges())) == 2
    wide = hf.Hierarchy.from_paths([(a, b) for a in range(3) for b in range(4)])
    alike = PathSigns(NoisyTree(wide, LAPLACES))
    assert len(list(alike.of_arrivals())) == 1
    assert len(list(alike.of_exchanges())) == 2


def test_paths_through_a_pinned_node_are_left_out():
    """Its total does not move: only exchanges below it are left."""
    paths = PathSigns(NoisyTree(TREE, LAPLACES, pinned=[1]))
    levels = [law.levels for law in paths.of_exchanges()]
    assert levels == [(2, 2)]


def test_what_is_off_is_told_and_small():
    (law, *_) = PathSigns(NoisyTree(TREE, LAPLACES)).of_arrivals()
    assert 0 < law.rounding < Fraction(1, 10**10)
    assert 0 < law.truncation < Fraction(1, 10**18)
    assert sum(law.chances.values()) == pytest.approx(1, abs=1e-14)
    assert law.levels == (2, 1, 0)


def test_a_cut_is_taken_note_of():
    """Many siblings: their joint message is followed up to a radius only."""
    tree = hf.Hierarchy.from_paths([(n,) for n in range(200)])
    laws = [hf.DiscreteLaplace.with_scale(2)] * 2
    (law,) = PathSigns(NoisyTree(tree, laws)).of_arrivals()
    bare = PathSigns(NoisyTree(tree, laws))._messages.evidence.truncation
    assert bare < law.truncation < Fraction(1, 10**17)


def _zero_is_above(signs, weights):
    honest = path_signs.np.array(weights)
    centre = honest.size // 2
    farther, nearer = honest.copy(), honest.copy()
    farther[centre:] = 0.0
    nearer[:centre] = 0.0
    return {(*signs, 1): farther, (*signs, -1): nearer}


def _own_forgotten(honest):
    return lambda self, one, other: one


@pytest.mark.parametrize("name", ["_split", "_times"])
def test_the_comparison_barks(monkeypatch, name):
    if name == "_split":
        monkeypatch.setattr(path_signs, "_split", _zero_is_above)
    else:
        honest = PathSigns._times
        monkeypatch.setattr(PathSigns, "_times", _own_forgotten(honest))
    assert unmatched(LAPLACES) >= 3
