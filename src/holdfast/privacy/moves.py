"""How a row moves in a tree: which nodes change when it comes, goes, or changes its leaf.

Two leaves are *alike* for some facts where a row may go from one to the other and every fact
stays true. A move between alike leaves changes one node of each level below the lowest node
above both, on either side.

Claim.      Every move that keeps the facts changes, level by level, no more nodes than one of
            those returned.
Reason.     docs/theory/neighbours.md#what-a-row-can-do
Checked by. tests/privacy/test_moves.py
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from holdfast.worlds.exact_rows import Row
from holdfast.worlds.hierarchy import Hierarchy
from holdfast.worlds.spine import spine_of

Integers = npt.NDArray[np.int64]
Signature = tuple[tuple[int, int], ...]  # (fact, by how much), where that is not 0


@dataclass(frozen=True, slots=True)
class Move:
    """How many nodes of each level change by 1."""

    touched: tuple[int, ...]

    def cost(self, rates: Sequence[Fraction]) -> Fraction:
        """Return the sum over levels of the nodes touched times the level's rate."""
        pairs = zip(self.touched, rates, strict=True)
        return sum((often * rate for often, rate in pairs), Fraction(0))


def arrivals(tree: Hierarchy, kinds: "Kinds") -> list[Move]:
    """Return what a row can touch that comes to a leaf of which no fact speaks, or goes.

    A leaf at level d touches one node of each of the levels 0 to d; the deepest touches most.
    """
    levels = tree.levels[tree.leaf_nodes[kinds.are_free]]
    return [Move(_between(tree.depth, int(levels.max()), -1, -1))] if levels.size else []


def exchanges(tree: Hierarchy, kinds: "Kinds") -> list[Move]:
    """Return what a row can touch that goes from a leaf to another one alike."""
    found = set(_deepest_pairs(tree, kinds))
    return [Move(_between(tree.depth, *each)) for each in sorted(found)]


def _between(depth: int, one: int, other: int, meeting: int) -> tuple[int, ...]:
    """Return the nodes touched between leaves of two levels whose paths part below a level."""
    return tuple((meeting < level <= one) + (meeting < level <= other) for level in range(depth))


@dataclass(frozen=True, slots=True)
class Kinds:
    """The kind of each leaf, by number; leaves of one kind are alike. What facts say of each."""

    of_leaf: Integers
    signatures: tuple[Signature, ...]

    def without(self, gone: npt.NDArray[np.bool_]) -> "Kinds":
        """Return the same, but that some leaves, marked, are like no other."""
        return Kinds(np.where(gone, -1, self.of_leaf), self.signatures)

    @property
    def are_free(self) -> npt.NDArray[np.bool_]:
        """Return for each leaf whether no fact speaks of it."""
        free = self.signatures.index(()) if () in self.signatures else -2
        found: npt.NDArray[np.bool_] = self.of_leaf == free
        return found


def kinds_of(tree: Hierarchy, facts: Sequence[Row]) -> Kinds:
    """Return which leaves are alike for facts given as rows over the nodes.

    The signature of a leaf is what a row there adds to the left side of each fact.
    """
    at_node: dict[int, Counter[int]] = {}
    for number, fact in enumerate(facts):
        for node, coefficient in fact.terms:
            at_node.setdefault(node, Counter())[number] += coefficient
    spine = spine_of(tree, at_node)
    added: dict[int, Counter[int]] = {}
    for node in spine.nodes:  # parents come before children
        added[node] = Counter(added.get(spine.above.get(node, -1), {}))
        added[node].update(at_node.get(node, {}))
    signature = {n: tuple(sorted(pair for pair in c.items() if pair[1])) for n, c in added.items()}
    own = [node for node in spine.nodes if spine.has_leaves_of_its_own(node)]
    listed = sorted({signature[node] for node in own})
    number_of = {each: number for number, each in enumerate(listed)}
    kind = np.full(tree.size, -1, dtype=np.int64)
    kind[own] = [number_of[signature[node]] for node in own]
    return Kinds(kind[nearest_marked(tree, spine.nodes)[tree.leaf_nodes]], tuple(listed))


def nearest_marked(tree: Hierarchy, marked: Sequence[int]) -> Integers:
    """Return for each node the lowest marked node above it, or itself; the root is marked."""
    nearest = np.full(tree.size, -1, dtype=np.int64)
    nearest[list(marked)] = marked
    edges = tree.arrays.level_offsets.tolist()
    for start, stop in pairwise(edges[1:]):
        above = nearest[tree.arrays.parents[start:stop]]
        here = nearest[start:stop]
        here[here < 0] = above[here < 0]
    return nearest


def _deepest_pairs(tree: Hierarchy, kinds: Kinds) -> Iterator[tuple[int, int, int]]:
    """Yield the levels of two alike leaves and of the lowest node above both.

    For each node and kind, the two deepest leaves below different children: all others touch
    less. From the lowest level up, each node passes on its deepest leaf of each kind.
    """
    levels = tree.levels
    alive = kinds.of_leaf >= 0
    nodes, kind = tree.leaf_nodes[alive], kinds.of_leaf[alive]
    deepest = levels[nodes]
    for level in range(tree.depth - 1, 0, -1):
        here = levels[nodes] == level
        parent = tree.arrays.parents[nodes[here]]
        order = np.lexsort((-deepest[here], kind[here], parent))
        parent, sort, deep = parent[order], kind[here][order], deepest[here][order]
        first = np.ones(parent.size, dtype=bool)
        first[1:] = (parent[1:] != parent[:-1]) | (sort[1:] != sort[:-1])
        second = np.flatnonzero(first[:-1] & ~first[1:])
        for one, other in {*zip(deep[second].tolist(), deep[second + 1].tolist(), strict=True)}:
            yield one, other, level - 1
        nodes = np.concatenate([nodes[~here], parent[first]])
        kind = np.concatenate([kind[~here], sort[first]])
        deepest = np.concatenate([deepest[~here], deep[first]])
