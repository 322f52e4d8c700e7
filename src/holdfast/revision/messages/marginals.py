"""How far the noise of each node strays, known before any data is read.

What the rest of the tree says of a part's total is its outside message: the law of the total is
inside times outside. It is handed down from the root; siblings of one shape have one law, so it
is worked out once for all of them. Floats, for reports: totals so far out that all beyond them
have a chance below NEGLIGIBLE are left out.

Claim.      The marginal of a node is inside times outside, normalised.
Reason.     docs/theory/messages.md#the-law-of-one-node
Checked by. tests/revision/test_marginals.py
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadParameter, Fault
from holdfast.foundation.progress import Progress
from holdfast.kernels.convolution import correlate
from holdfast.revision.messages.message import Messages
from holdfast.revision.messages.moments import mean_size, spread, variance
from holdfast.revision.messages.parts import NONE
from holdfast.worlds.hierarchy import Hierarchy

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
NEGLIGIBLE = 1e-14
SLACK = 1e-11  # of a chance; far above what rounding and leaving out were seen to do to it
RAREST = 1e-8  # chance of a miss, down to which intervals are told
Context = tuple[int, Floats, Integers]  # a node's part, its outside message, its nodes


class Marginals:
    """The laws of the noise of all nodes; nodes known to have one law stand together."""

    __slots__ = ("_inside", "_messages", "_progress", "_tree")

    def __init__(self, tree: Hierarchy, messages: Messages, progress: Progress) -> None:
        self._tree = tree
        self._messages = messages
        self._progress = progress
        self._inside = [_core(message.weights) for message in messages.listed]

    def laws(self) -> Iterator[tuple[Integers, Floats]]:
        """Yield nodes, and the weights of -r, ..., r that their noise has; each node once."""
        root, done = self._messages.parts.root, 0
        outside = np.ones(self._inside[root].size)
        pending: list[Context] = [(root, outside, np.zeros(1, dtype=np.int64))]
        while pending:
            number, outside, nodes = pending.pop()
            done += nodes.size
            self._progress("expected errors", done, self._tree.size)
            yield nodes, _product(self._inside[number], outside)
            if self._messages.parts.listed[number].family != NONE:
                pending.extend(self._children(number, outside, nodes))

    def errors(self) -> tuple[Floats, Floats]:
        """Return the variance of each node's noise, and the mean of its size."""
        squares, sizes = np.empty(self._tree.size), np.empty(self._tree.size)
        for nodes, weights in self.laws():
            squares[nodes], sizes[nodes] = variance(weights), mean_size(weights)
        return squares, sizes

    def half_widths(self, missed: float) -> Integers:
        """Return for each node the smallest size that its noise exceeds no more often."""
        if missed < RAREST:
            asked, found = f"a chance of at least {RAREST} to miss", "a smaller one"
            raise BadParameter(Fault("interval", asked, found, "Lower the confidence."))
        answer = np.empty(self._tree.size, dtype=np.int64)
        for nodes, weights in self.laws():
            answer[nodes] = spread(weights, missed - SLACK)
        return answer

    def _children(self, number: int, outside: Floats, nodes: Integers) -> Iterator[Context]:
        """Yield a context for each shape among the children of alike nodes."""
        parts, part = self._messages.parts, self._messages.parts.listed[number]
        own = self._messages.own_weights(part, outside.size // 2)
        offsets = self._tree.arrays.child_offsets
        many = int(offsets[nodes[0] + 1] - offsets[nodes[0]])
        children = (offsets[nodes][:, None] + np.arange(many)).reshape(-1)
        kinds = self._messages.shapes.of_node[children]
        for child, message in self._below(part.family, _product(own, outside)).items():
            yield child, message, children[kinds == parts.listed[child].shape]

    def _below(self, family: int, outside: Floats) -> dict[int, Floats]:
        """Return the outside message of one child of each shape."""
        parts, found = self._messages.parts, dict[int, Floats]()
        pending = {family: outside}
        while pending:
            number, message = pending.popitem()
            part = parts.listed[number]
            if part.is_node:
                found[number] = message
                continue
            for mine, other in ((part.left, part.right), (part.right, part.left)):
                if mine not in pending and not self._all_found(mine, found):
                    pending[mine] = self._beside(mine, other, message)
        return found

    def _all_found(self, part: int, found: dict[int, Floats]) -> bool:
        """Return whether every shape of a part has its message."""
        parts = self._messages.parts
        return all(parts.of_shape[shape] in found for shape, _ in parts.runs(part))

    def _beside(self, mine: int, other: int, outside: Floats) -> Floats:
        """Return the outside message of a part, from that of it and its sibling together."""
        found = correlate(outside, self._inside[other], self._inside[mine].size // 2)
        found /= found[found.size // 2]
        return found


def _core(weights: Floats) -> Floats:
    """Return the weights without what is negligible at both ends."""
    radius, kept = weights.size // 2, spread(weights, NEGLIGIBLE)
    return weights[radius - kept : radius + kept + 1]


def _product(one: Floats, other: Floats) -> Floats:
    """Return the product of two messages, as far as both reach."""
    radius = min(one.size, other.size) // 2
    middle, centre = one.size // 2, other.size // 2
    left = one[middle - radius : middle + radius + 1]
    return left * other[centre - radius : centre + radius + 1]
