"""A tree as steps that join its nodes two by two, the same for every table."""

from dataclasses import dataclass

from holdfast.worlds.hierarchy import Hierarchy


@dataclass(frozen=True, slots=True)
class Join:
    """Two messages side by side become one."""

    left: int
    right: int
    result: int


@dataclass(frozen=True, slots=True)
class Node:
    """The message of all children together becomes that of their parent."""

    node: int
    family: int


Step = Join | Node


def steps_of(tree: Hierarchy) -> tuple[list[Step], int]:
    """Return the steps from the leaves to the root, and how many messages there are.

    The messages of nodes carry the nodes' numbers; those of several siblings follow.
    """
    ends, count = tree.arrays.child_offsets.tolist(), tree.size
    steps: list[Step] = []
    for node in reversed(range(tree.size)):
        waiting = list(range(ends[node], ends[node + 1]))
        while len(waiting) > 1:
            joined = []
            for left, right in zip(waiting[::2], waiting[1::2], strict=False):
                steps.append(Join(left, right, count))
                joined.append(count)
                count += 1
            waiting = joined + waiting[len(joined) * 2 :]
        if waiting:
            steps.append(Node(node, waiting[0]))
    return steps, count
