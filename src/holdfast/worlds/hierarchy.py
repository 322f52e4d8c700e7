"""A tree of nodes: the root is the total, every parent the sum of its children.

Claim.      `aggregate` of whole numbers is exact.
Reason.     docs/theory/numbers.md#vectors
Checked by. tests/worlds/test_hierarchy.py
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadParameter, BadTable, Fault, shown
from holdfast.kernels.tree import sum_up
from holdfast.worlds import drawing
from holdfast.worlds.frames import columns_of
from holdfast.worlds.growth import Arrays, grow
from holdfast.worlds.labels import ABSENT, Column, Label, recoded
from holdfast.worlds.matching import leaves_of
from holdfast.worlds.paths import Path, Paths
from holdfast.worlds.reading import Read, from_columns, from_pairs, from_paths
from holdfast.worlds.vectors import Numbers, check_room, has_room, vector_of

if TYPE_CHECKING:
    from holdfast.worlds.invariant import Invariant

Array = TypeVar("Array", bound=npt.NDArray[Any])
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Hierarchy:
    """The public tree; nodes are numbered root first, breadth first, siblings together.

    >>> tree = Hierarchy.from_paths([("Bronx", "Allerton"), ("Queens", "Astoria")], root="NYC")
    >>> tree.aggregate([3, 4]).tolist()
    [7, 3, 4, 3, 4]
    """

    arrays: Arrays
    columns: tuple[Column, ...]
    root: str

    @staticmethod
    def from_paths(paths: Iterable[Sequence[Label]], root: str = "total") -> "Hierarchy":
        """Return the tree of these leaves, each given by its labels from the top down."""
        return _grown(from_paths(paths), root)

    @staticmethod
    def from_frame(frame: Any, levels: Sequence[str], root: str = "total") -> "Hierarchy":
        """Return the tree of a frame with one row a leaf; a row may end early in empty cells."""
        return _grown(from_columns(columns_of(frame, levels)), root)

    @staticmethod
    def from_parents(pairs: Any, root: str) -> "Hierarchy":
        """Return the tree of a mapping, or of pairs, from each node's name to its parent's."""
        return _grown(from_pairs(pairs, root), root)

    @cached_property
    def paths(self) -> Paths:
        """Return the paths of all nodes, as a lazy sequence."""
        return Paths(self.arrays, self.columns, range(self.size))

    @cached_property
    def leaves(self) -> Paths:
        """Return the paths of the leaves, in the order that `aggregate` takes."""
        return Paths(self.arrays, self.columns, self.leaf_nodes)

    @property
    def size(self) -> int:
        """Return the number of nodes."""
        return self.arrays.parents.size

    @property
    def depth(self) -> int:
        """Return the number of levels, the root's included."""
        return self.arrays.level_offsets.size - 1

    @cached_property
    def leaf_nodes(self) -> Integers:
        """Return the node numbers of the leaves."""
        ends = self.arrays.child_offsets
        return fixed_array(np.flatnonzero(ends[1:] == ends[:-1]))

    @cached_property
    def leaf_counts(self) -> Numbers:
        """Return the number of leaves below each node; a leaf counts itself."""
        return fixed_array(self._sum_up(np.ones(self.leaf_nodes.size, dtype=np.int64)))

    @property
    def levels(self) -> Integers:
        """Return the depth of every node; the root's is 0."""
        return np.repeat(np.arange(self.depth), np.diff(self.arrays.level_offsets))

    @property
    def level_names(self) -> tuple[str, ...]:
        """Return the names of the levels: the root's, then the columns'."""
        return ("root", *(column.name for column in self.columns))

    def level_number(self, name: object) -> int:
        """Return the number of a level given by its number, its column, or "root"."""
        number = int(name) if isinstance(name, int | np.integer) else -1
        if 0 <= number < self.depth and not isinstance(name, bool):
            return number
        if isinstance(name, str) and self.level_names.count(name) == 1:
            return self.level_names.index(name)
        asked = f"a level: 0 to {self.depth - 1}, or one of {', '.join(self.level_names)}"
        raise BadParameter(Fault("level", asked, shown(name), "Name one level of the tree."))

    def aggregate(self, leaf_values: Any) -> Numbers:
        """Return the vector over all nodes from one over the leaves, in the order of `leaves`.

        A column is refused where the frame that made this tree had another order. The order of
        any other frame cannot be seen here: use `aggregate_frame`, which matches rows by path.
        """
        self._check_order(leaf_values)
        values = vector_of(leaf_values, self.leaf_nodes.size, "vector over the leaves")
        return self._sum_up(values)

    def aggregate_frame(
        self, frame: Any, values: str, levels: Sequence[str] | None = None
    ) -> Numbers:
        """Return the vector over all nodes, rows matched to leaves by path; absent leaves are 0."""
        names = list(self.level_names[1:] if levels is None else levels)
        if len(names) != self.depth - 1:
            asked = f"{self.depth - 1} columns"
            raise BadTable(Fault("levels", asked, str(len(names)), "Name one for each level."))
        columns = columns_of(frame, [*names, values], BadTable)
        nodes = leaves_of(self.arrays, self.columns, [columns[name] for name in names])
        numbers = vector_of(columns[values], None, f"column {shown(values)}")
        if numbers.size != nodes.size:
            raise BadTable(Fault("columns", "columns of one length", "several", "Give whole rows."))
        answer = np.zeros(self.size, dtype=numbers.dtype)
        answer[nodes] = numbers
        return self._sum_up(answer[self.leaf_nodes])

    def adds_up(self, vector: Numbers) -> bool:
        """Return whether every parent of a node vector is the sum of its children.

        Whole numbers too large for sums of 64 bits are added as Python adds.
        """
        exact = vector if has_room(vector) else vector.astype(object)
        summed = sum_up(exact.copy(), self.arrays.child_offsets, self.arrays.level_offsets)
        return bool(np.array_equal(exact, summed))

    def _sum_up(self, leaf_values: Numbers) -> Numbers:
        """Return the node vector of checked leaf values."""
        check_room(leaf_values, "vector over the leaves")
        answer = np.empty(self.size, dtype=leaf_values.dtype)
        answer[self.leaf_nodes] = leaf_values
        return sum_up(answer, self.arrays.child_offsets, self.arrays.level_offsets)

    def _check_order(self, leaf_values: Any) -> None:
        """Refuse a frame's column where it would be read in the wrong order without a word."""
        is_column = not isinstance(leaf_values, np.ndarray) and hasattr(leaf_values, "to_numpy")
        if is_column and not np.array_equal(self.arrays.leaf_of_row, self.leaf_nodes):
            raise BadTable(
                Fault(
                    "vector over the leaves",
                    "the order of tree.leaves",
                    "a column of a frame; the frame that made this tree has another order",
                    "Use aggregate_frame, which matches rows by path.",
                )
            )

    def sums(self) -> "Invariant":
        """Return the structural invariant: every parent is the sum of its children."""
        from holdfast.worlds.invariant import sums  # rules are built on trees, not trees on rules

        return sums(self)

    def find(self, path: Path) -> int:
        """Return the node of a path; () is the root."""
        if not isinstance(path, tuple | list):
            raise BadParameter(Fault("path", "a tuple of labels", shown(path), "See tree.paths."))
        node = 0
        for depth, label in enumerate(path):
            low, high = self.arrays.child_offsets[node : node + 2].tolist()
            code = self.columns[depth].code(label) if low < high else ABSENT
            found = np.flatnonzero(self.arrays.codes[low:high] == code)
            if not found.size:
                asked = f"a path of the tree {self.root!r}"
                raise BadParameter(Fault("path", asked, shown(str(path)), "See tree.paths."))
            node = low + int(found[0])
        return node

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hierarchy):
            return NotImplemented
        if self is other:
            return True
        ends = (self.arrays.child_offsets, other.arrays.child_offsets)
        return self.root == other.root and np.array_equal(*ends) and self._same_labels(other)

    def _same_labels(self, other: "Hierarchy") -> bool:
        """Return whether two trees of one shape name their nodes alike."""
        edges = self.arrays.level_offsets.tolist()
        levels = zip(self.columns, other.columns, edges[1:], edges[2:], strict=False)
        for mine, yours, start, stop in levels:
            named = replace(yours, codes=other.arrays.codes[start:stop].astype(np.int64))
            codes = recoded(mine, named)
            if not np.array_equal(self.arrays.codes[start:stop], codes):
                return False
        return True

    def __hash__(self) -> int:
        return hash((self.root, self.size, self.leaf_nodes.size))

    def __repr__(self) -> str:
        return drawing.line(self.root, self.level_names, self.arrays)

    def __str__(self) -> str:
        return drawing.text(self.root, self.level_names, self.arrays, self.columns)

    def _repr_html_(self) -> str:
        return drawing.html(self.root, self.level_names, self.arrays, self.columns)


def fixed_array(array: Array) -> Array:
    """Return the same array, which can no longer be changed."""
    array.setflags(write=False)
    return array


def _grown(read: Read, root: str) -> Hierarchy:
    """Return the tree of these columns; all that is wrong is told at once."""
    columns, faults = read
    if not isinstance(root, str) or not root.strip() or not root.isprintable():
        faults.append(Fault("root", "a name for the whole", shown(root), "Name the root."))
    arrays = grow(columns, faults)
    parts = [getattr(arrays, name) for name in arrays.__slots__]
    for part in (*parts, *(column.codes for column in columns)):
        fixed_array(part)
    return Hierarchy(arrays, tuple(columns[: arrays.level_offsets.size - 2]), root)
