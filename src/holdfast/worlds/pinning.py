"""Nodes pinned one by one on a tree: which pins say something new. Linear time.

Claim.      A pin is found redundant exactly if the sums and the pins before it determine its node.
Reason.     docs/theory/invariants.md#what-is-dropped
Checked by. tests/worlds/test_pinning.py
"""

from collections.abc import Iterable

from holdfast.worlds.spine import Spine


class Pins:
    """The nodes that are determined so far, by a pin or through the sums."""

    __slots__ = ("_above", "_members", "_open", "_settled")

    def __init__(self, spine: Spine | None) -> None:
        nodes = spine.nodes if spine else ()
        closed = [v for v in nodes if spine and not spine.has_leaves_of_its_own(v)]
        # one sum at each node that its spine children make up; a rest of its own frees the sum
        self._members = {v: (v, *spine.below[v]) for v in closed} if spine else {}
        self._open = {v: len(members) for v, members in self._members.items()}
        self._above = spine.above if spine else {}
        self._settled: set[int] = set()

    def add(self, node: int) -> bool:
        """Pin a node; return whether it was not determined before."""
        if node in self._settled:
            return False
        pending = [node]
        while pending:
            settled = pending.pop()
            if settled in self._settled:
                continue
            self._settled.add(settled)
            for over in self._sums_of(settled):
                self._open[over] -= 1
                if self._open[over] == 1:
                    pending += [v for v in self._members[over] if v not in self._settled]
        return True

    def _sums_of(self, node: int) -> Iterable[int]:
        """Return the sums that a node stands in: its own, and its parent's."""
        return [v for v in (node, self._above.get(node)) if v in self._members]
