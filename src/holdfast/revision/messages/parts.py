"""How the children of a node are put together two by two, and taken apart again.

A part is a run of siblings: one node, or two parts side by side. Equal children are joined in
powers of two, and then always the two shortest runs, so that few different parts are needed
and none lies deep.

Claim.      The parts of a node hold each child once. A part's number is above those it is made of.
Reason.     docs/theory/messages.md#the-order-of-the-draws
Checked by. tests/revision/test_parts.py
"""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass

from holdfast.revision.messages.shapes import Shapes

NONE = -1


@dataclass(frozen=True, slots=True)
class Part:
    """One node of a shape, with the part of all its children; or two parts, left and right."""

    level: int
    children: int  # how many siblings it holds
    height: int
    shape: int = NONE
    family: int = NONE  # of a node: the part that holds all its children
    left: int = NONE
    right: int = NONE

    @property
    def is_node(self) -> bool:
        """Return whether it is one node."""
        return self.shape != NONE


class Parts:
    """All different parts of a tree; `of_shape` is the part that a shape's node is."""

    __slots__ = ("_joined", "listed", "of_shape")

    def __init__(self, shapes: Shapes) -> None:
        self.listed: list[Part] = []
        self.of_shape: list[int] = []
        self._joined: dict[tuple[int, int], int] = {}
        for number, shape in enumerate(shapes.listed):
            family = self._family(shape.below) if shape.below else NONE
            height = self.listed[family].height + 1 if shape.below else 0
            self.of_shape.append(self._add(Part(shape.level, 1, height, number, family)))

    @property
    def root(self) -> int:
        """Return the part that the root is."""
        return self.of_shape[-1]

    def runs(self, part: int) -> Iterator[tuple[int, int]]:
        """Yield the shapes of a part's siblings from left to right, each with a count."""
        pending = [part]
        while pending:
            here = self.listed[pending.pop()]
            if here.is_node:
                yield here.shape, 1
            else:
                left = self.listed[here.left]
                if here.left == here.right and left.is_node:
                    yield left.shape, 2
                else:
                    pending += [here.right, here.left]

    def _add(self, part: Part) -> int:
        self.listed.append(part)
        return len(self.listed) - 1

    def _join(self, left: int, right: int) -> int:
        """Return the part of two parts side by side, made once."""
        if (left, right) not in self._joined:
            one, other = self.listed[left], self.listed[right]
            height = max(one.height, other.height) + 1
            part = Part(one.level, one.children + other.children, height, left=left, right=right)
            self._joined[left, right] = self._add(part)
        return self._joined[left, right]

    def _family(self, below: tuple[tuple[int, int], ...]) -> int:
        """Return the part of all children."""
        waiting: list[tuple[int, int]] = []
        for shape, count in below:
            block = self.of_shape[shape]
            while count:
                if count & 1:
                    waiting.append((self.listed[block].children, block))
                count >>= 1
                if count:
                    block = self._join(block, block)
        heapq.heapify(waiting)
        while len(waiting) > 1:
            (_, one), (_, other) = heapq.heappop(waiting), heapq.heappop(waiting)
            joined = self._join(one, other)
            heapq.heappush(waiting, (self.listed[joined].children, joined))
        return waiting[0][1]
