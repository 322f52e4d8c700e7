"""The few nodes of a tree that rules speak of, and what lies between them.

A tree of millions of nodes with a handful of rules has a handful of kinds of leaves: those below
the same nodes of the spine.

Claim.      Rules over the nodes of the spine hold in some world of the tree exactly if they hold
            in some world of the spine.
Reason.     docs/theory/invariants.md#the-spine
Checked by. tests/worlds/test_spine.py
"""

from collections.abc import Iterable
from dataclasses import dataclass

from holdfast.worlds.hierarchy import Hierarchy


@dataclass(frozen=True, slots=True)
class Spine:
    """Nodes in order; the nearest spine node above each; whether leaves lie below it alone."""

    nodes: tuple[int, ...]
    above: dict[int, int]
    below: dict[int, tuple[int, ...]]
    own_leaves: frozenset[int]

    def has_leaves_of_its_own(self, node: int) -> bool:
        """Return whether some leaf lies below this node and below no lower spine node."""
        return node in self.own_leaves


def spine_of(tree: Hierarchy, touched: Iterable[int]) -> Spine:
    """Return the spine of the root and the touched nodes."""
    nodes = sorted({0, *touched})
    known = set(nodes)
    parents = tree.arrays.parents
    above: dict[int, int] = {}
    below: dict[int, list[int]] = {node: [] for node in nodes}
    for node in nodes[1:]:
        over = int(parents[node])
        while over not in known:
            over = int(parents[over])
        above[node] = over
        below[over].append(node)
    counts = {node: int(tree.leaf_counts[node]) for node in nodes}
    own = {node for node in nodes if counts[node] > sum(counts[under] for under in below[node])}
    return Spine(
        tuple(nodes), above, {node: tuple(under) for node, under in below.items()}, frozenset(own)
    )
