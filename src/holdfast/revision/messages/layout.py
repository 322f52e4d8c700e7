"""Where the totals of parts are kept while a tree is drawn from the root down.

Every node has a slot among its siblings; a part of several siblings keeps its total in the slot
of its first one. To take a part apart is to leave the left total there and to put the right one
where the right part begins. Families that occur often are taken apart by themselves, block by
block, so that their totals stay in the cache; the others together, in waves.

Claim.      After all steps each node's slot holds its own total, and each step finds its totals
            in place.
Reason.     docs/theory/messages.md#the-order-of-the-draws
Checked by. tests/revision/test_parts.py
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import numpy.typing as npt

from holdfast.revision.messages.parts import NONE, Parts
from holdfast.revision.messages.shapes import Shapes
from holdfast.worlds.hierarchy import Hierarchy

Integers = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]
OFTEN = 128  # parents from which on a family is taken apart by itself


@dataclass(frozen=True, eq=False, slots=True)
class Descent:
    """Nodes whose totals become those of their children together."""

    source: Slots
    target: Slots


@dataclass(frozen=True, eq=False, slots=True)
class Split:
    """The places of one part's totals, and how far right of them its right part begins."""

    part: int
    slots: Slots
    stride: int


@dataclass(frozen=True, eq=False, slots=True)
class Cut:
    """A part, at which children of its family it begins, and at which its right part does."""

    part: int
    left: Integers
    right: Integers


@dataclass(frozen=True, eq=False, slots=True)
class Family:
    """Parents of one shape, the slot of each one's first child, and all cuts from the top down."""

    source: Slots
    target: Slots
    children: int
    cuts: tuple[Cut, ...]


Step = Descent | Split | Family


@dataclass(frozen=True, eq=False, slots=True)
class Wave:
    """Steps that do not wait for one another."""

    families: tuple[Family, ...]
    descents: tuple[Descent, ...]
    splits: tuple[Split, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Layout:
    """Steps in waves from the root down, how often each part occurs, and each slot's node."""

    waves: tuple[Wave, ...]
    instances: Integers
    node_of_slot: Integers | None  # none where every node has its own slot


def layout(tree: Hierarchy, shapes: Shapes, parts: Parts, often: int = OFTEN) -> Layout:
    """Return the steps that take a tree apart."""
    node_of_slot = _order(tree, shapes, parts)
    plan = _Plan(tree, parts, node_of_slot, often)
    return Layout(tuple(_waves(plan.steps)), plan.instances, node_of_slot)


class _Plan:
    """Hands each part's slots down to the parts that it is made of, the highest part first."""

    __slots__ = ("_inbox", "_offsets", "_often", "_parts", "_slot_nodes", "instances", "steps")

    def __init__(
        self, tree: Hierarchy, parts: Parts, node_of_slot: Integers | None, often: int
    ) -> None:
        self._parts = parts
        self._often = often
        self._offsets = tree.arrays.child_offsets
        self._slot_nodes = node_of_slot
        self._inbox: dict[int, list[Slots]] = {parts.root: [np.zeros(1, dtype=np.int32)]}
        self.instances = np.zeros(len(parts.listed), dtype=np.int64)
        self.steps: list[tuple[int, Step]] = []
        for number in reversed(range(len(parts.listed))):
            if number in self._inbox:
                self._place(number, np.concatenate(self._inbox.pop(number)))

    def _place(self, number: int, slots: Slots) -> None:
        """Add the steps of one part that stands at these slots."""
        part = self._parts.listed[number]
        self.instances[number] += slots.size
        if not part.is_node:
            stride = self._parts.listed[part.left].children
            self._send(part.left, slots)
            self._send(part.right, slots + np.int32(stride))
            self.steps.append((part.height, Split(number, slots, stride)))
        elif part.family != NONE:
            nodes = slots if self._slot_nodes is None else self._slot_nodes[slots]
            first = self._offsets[nodes].astype(np.int32)
            if slots.size < self._often:
                self._send(part.family, first)
                self.steps.append((part.height, Descent(slots, first)))
            else:
                cuts = tuple(self._cuts(part.family, first))
                children = self._parts.listed[part.family].children
                self.steps.append((part.height, Family(slots, first, children, cuts)))

    def _send(self, number: int, slots: Slots) -> None:
        self._inbox.setdefault(number, []).append(slots)

    def _cuts(self, family: int, first: Slots) -> Iterator[Cut]:
        """Yield the cuts of a family, the highest part first; its children are sent on."""
        places: dict[int, list[int]] = {family: [0]}
        while places:
            number = max(places)  # a part's number is above those it is made of
            part, left = self._parts.listed[number], np.array(places.pop(number))
            if part.is_node:
                self._send(number, (first[:, None] + left.astype(np.int32)).reshape(-1))
                continue
            self.instances[number] += first.size * left.size
            right = left + self._parts.listed[part.left].children
            places.setdefault(part.left, []).extend(left.tolist())
            places.setdefault(part.right, []).extend(right.tolist())
            yield Cut(number, left, right)


def _waves(steps: list[tuple[int, Step]]) -> Iterator[Wave]:
    """Yield the steps height by height, the highest first."""
    steps.sort(key=lambda step: -step[0])
    for _, group in groupby(steps, key=lambda step: step[0]):
        found = [step for _, step in group]
        yield Wave(
            tuple(step for step in found if isinstance(step, Family)),
            tuple(_together([step for step in found if isinstance(step, Descent)])),
            tuple(step for step in found if isinstance(step, Split)),
        )


def _together(descents: list[Descent]) -> Iterator[Descent]:
    """Yield them as one: many short copies take longer than a long one."""
    if descents:
        source = np.concatenate([descent.source for descent in descents])
        yield Descent(source, np.concatenate([descent.target for descent in descents]))


def _order(tree: Hierarchy, shapes: Shapes, parts: Parts) -> Integers | None:
    """Return each slot's node, so that siblings stand in the order of their parts."""
    mixed = np.array([len(shape.below) > 1 for shape in shapes.listed])
    nodes = np.flatnonzero(mixed[shapes.of_node])
    if not nodes.size:
        return None
    answer = np.arange(tree.size)
    nodes = nodes[np.argsort(shapes.of_node[nodes], kind="stable")]
    edges = np.flatnonzero(np.diff(shapes.of_node[nodes])) + 1
    for alike in np.split(nodes, edges):
        part = parts.listed[parts.of_shape[int(shapes.of_node[alike[0]])]]
        run = np.array([shape for shape, many in parts.runs(part.family) for _ in range(many)])
        slots = tree.arrays.child_offsets[alike][:, None] + np.argsort(run, kind="stable")
        children = tree.arrays.child_offsets[alike][:, None] + np.arange(run.size)
        sorted_children = np.argsort(shapes.of_node[children], axis=1, kind="stable")
        answer[slots] = np.take_along_axis(children, sorted_children, axis=1)
    return answer
