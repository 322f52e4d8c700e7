"""Where the numbers that trials draw stand in a tree, and how trials are repeated.

What is drawn of a node before acceptance is a row of numbers whose sum is its total: one number
for a leaf or a closed group, the rows of its children one after the other for any other node.

Checked by. tests/revision/test_tree_rejection.py
"""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadParameter, Fault
from holdfast.kernels.tree import sum_up
from holdfast.revision.messages.shapes import Shape, Shapes
from holdfast.worlds.hierarchy import Hierarchy

Array = npt.NDArray[Any]
Integers = npt.NDArray[np.int64]
MOST_DRAWS = 1e9  # expected for one noise vector
CELLS = 1 << 20  # numbers drawn at one go


class TrialLayout:
    """The rows of numbers that are drawn of a tree whose closed groups are filled afterwards."""

    def __init__(self, tree: Hierarchy, shapes: Shapes, is_closed: Callable[[Shape], bool]) -> None:
        self._tree, self._shapes = tree, shapes
        self.closed = [is_closed(shape) for shape in shapes.listed]
        self.widths: list[int] = []
        for shape, closed in zip(shapes.listed, self.closed, strict=True):
            below = sum(many * self.widths[child] for child, many in shape.below)
            self.widths.append(below if shape.below and not closed else 1)
        drawn = self._drawn_below(0)
        self._columns = np.fromiter(drawn, dtype=np.int64, count=self.widths[-1])

    def _drawn_below(self, node: int) -> Iterator[int]:
        """Yield what is drawn of a node: itself, or its children shape by shape."""
        of_node, ends = self._shapes.of_node, self._tree.arrays.child_offsets
        low, high = ends[node : node + 2].tolist()
        if low == high or self.closed[of_node[node]]:
            yield node
            return
        for child in (low + np.argsort(of_node[low:high], kind="stable")).tolist():
            yield from self._drawn_below(child)

    def noise(
        self, answer: Array, draw: Callable[[int], Array], fill: Callable[[int, Array], Array]
    ) -> Array:
        """Return noise vectors, one a row; `answer` holds zeros, a row for each node.

        `draw` returns so many rows of the root, `fill` the cells of totals of one closed shape.
        """
        count = answer.shape[1]
        step = max(1, math.ceil(count / math.ceil((count + 1) * self._tree.size / CELLS)))  # even
        for start in range(0, count, step):
            block = answer[:, start : start + step]
            block[self._columns] = draw(block.shape[1]).T
            for number in np.flatnonzero(self.closed).tolist():
                self._fill(block, number, fill)
        arrays = self._tree.arrays
        return sum_up(answer, arrays.child_offsets, arrays.level_offsets).T

    def _fill(self, block: Array, number: int, fill: Callable[[int, Array], Array]) -> None:
        """Write the cells of all groups of one shape."""
        nodes = self._columns[self._shapes.of_node[self._columns] == number]
        totals = block[nodes]
        cells = fill(number, totals.reshape(-1)).reshape(*totals.shape, -1)
        places = self._tree.arrays.child_offsets[nodes][:, None] + np.arange(cells.shape[2])
        block[places] = cells.transpose(0, 2, 1)


def tries(missing: int, likely: float, width: int) -> int:
    """Return how many tries to make side by side where so many accepted ones are missing."""
    wanted = (missing + math.sqrt(missing)) / likely
    return max(1, int(min(wanted, CELLS / width)))


def until_accepted(answer: Array, likely: float, attempt: Callable[[int], Array]) -> Array:
    """Return the rows of `answer`, filled with the first accepted ones of repeated tries."""
    done, (count, width) = 0, answer.shape
    while done < count:
        rows = attempt(tries(count - done, likely, width))[: count - done]
        answer[done : done + rows.shape[0]] = rows
        done += rows.shape[0]
    return answer


def check_cost(draws: float) -> None:
    """Refuse a tree on which trials take unreasonably long."""
    if not draws <= MOST_DRAWS:
        raise BadParameter(
            Fault(
                "expected cost of rejection",
                f"at most {MOST_DRAWS:.0e} draws for one noise vector",
                f"about {draws:.2g}",
                "Use method 'messages'.",
            )
        )
