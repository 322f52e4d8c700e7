"""From the public list of leaves, one row each, to a tree kept as arrays.

The list is checked as a whole; every kind of fault is told at once.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadTree, Fault, raise_all, shown
from holdfast.kernels.tree import branch, offsets
from holdfast.worlds.labels import NONE, REMEDY, Column, Label

Integers = npt.NDArray[np.int64]
MOST_NAMED = 3
MOST_NODES = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Arrays:
    """A tree as arrays; see `holdfast.kernels.tree`."""

    parents: npt.NDArray[np.int32]
    codes: npt.NDArray[np.int32]
    child_offsets: Integers
    level_offsets: Integers
    leaf_of_row: Integers


@dataclass(frozen=True, slots=True)
class _Level:
    """The nodes of one depth, and the node where each row now stands."""

    parents: Integers
    codes: Integers
    rows: Integers
    node_of_row: Integers


def grow(columns: Sequence[Column], faults: Sequence[Fault] = ()) -> Arrays:
    """Return the tree whose leaves are the rows; level d + 1 takes the labels of column d.

    What is wrong with the tree is told together with the `faults` of its labels.
    """
    rows = columns[0].codes.size if columns else 0
    if not rows:
        raise BadTree(Fault("list of leaves", "at least one leaf", "an empty list", REMEDY))
    nameless = int((columns[0].codes == NONE).sum())
    if nameless:
        found = f"{_many(nameless, 'row')} without"
        nameless_rows = Fault(columns[0].name, "a label in every row", found, REMEDY)
        raise BadTree(*faults, nameless_rows)
    levels = list(_levels(columns))
    counts = [1, *(level.parents.size for level in levels)]
    while levels and not counts[-1]:
        levels.pop()
        counts.pop()
    level_offsets = offsets(np.array(counts, dtype=np.int64), 0)
    leaf_of_row = np.zeros(rows, dtype=np.int64)
    for level, start in zip(levels, level_offsets[1:-1].tolist(), strict=True):
        leaf_of_row[level.rows] = level.node_of_row + start
    arrays = _join(levels, level_offsets, leaf_of_row)
    raise_all(BadTree, [*faults, *_gaps(columns), *_faults_of(arrays, columns)])
    return arrays


def _levels(columns: Sequence[Column]) -> Iterator[_Level]:
    """Yield the levels below the root, from the rows that reach them."""
    rows = np.arange(columns[0].codes.size)
    node_of_row = np.zeros(rows.size, dtype=np.int64)
    for column in columns:
        alive = column.codes[rows] != NONE
        if not alive.all():
            rows, node_of_row = rows[alive], node_of_row[alive]
        node_of_row, parents, codes = branch(
            node_of_row, column.codes[rows], max(len(column.vocabulary), 1)
        )
        yield _Level(parents, codes, rows, node_of_row)


def _join(levels: Sequence[_Level], level_offsets: Integers, leaf_of_row: Integers) -> Arrays:
    """Return the arrays of all levels, one after the other."""
    size = int(level_offsets[-1])
    if size > MOST_NODES:
        raise BadTree(Fault("tree", f"at most {MOST_NODES} nodes", shown(size), "Publish parts."))
    parents, codes = np.full(size, -1, dtype=np.int32), np.full(size, -1, dtype=np.int32)
    children = np.zeros(size, dtype=np.int64)
    for depth, level in enumerate(levels, 1):
        here = slice(int(level_offsets[depth]), int(level_offsets[depth + 1]))
        above = slice(int(level_offsets[depth - 1]), int(level_offsets[depth]))
        parents[here] = level.parents + above.start
        codes[here] = level.codes
        children[above] = np.bincount(level.parents, minlength=above.stop - above.start)
    return Arrays(parents, codes, offsets(children, 1), level_offsets, leaf_of_row)


def _gaps(columns: Sequence[Column]) -> Iterator[Fault]:
    """Yield the levels where a row ends and then goes on."""
    for upper, lower in itertools.pairwise(columns):
        rows = np.flatnonzero((upper.codes == NONE) & (lower.codes != NONE))
        if rows.size:
            label = shown(lower.label(int(lower.codes[rows[0]])))
            found = f"{_many(rows.size, 'row')} without, for instance above {label}"
            yield Fault(upper.name, "a label above every label", found, REMEDY)


def _faults_of(arrays: Arrays, columns: Sequence[Column]) -> list[Fault]:
    """Return repeated leaves, and leaves that are also parents."""
    faults = []
    times = np.bincount(arrays.leaf_of_row, minlength=arrays.parents.size)
    repeated = np.flatnonzero(times > 1)
    if repeated.size:
        found = _named(arrays, columns, repeated, "leaf", "repeated")
        remedy = "Give the public list of leaves, each once, not the rows of the data."
        faults.append(Fault("list of leaves", "each leaf once", found, remedy))
    children = arrays.child_offsets[1:] - arrays.child_offsets[:-1]
    both = np.flatnonzero((times > 0) & (children > 0))
    if both.size:
        found = _named(arrays, columns, both, "leaf", "that is also a parent")
        remedy = "Give such a leaf a name of its own below, for example 'rest of it'."
        faults.append(Fault("list of leaves", "leaves without children", found, remedy))
    return faults


def _named(
    arrays: Arrays, columns: Sequence[Column], nodes: Integers, noun: str, fault: str
) -> str:
    """Return how many nodes are at fault, and the first few by name."""
    names = [
        shown("/".join(map(str, path_of(arrays, columns, node)))) for node in nodes[:MOST_NAMED]
    ]
    more = ", ..." if nodes.size > MOST_NAMED else ""
    return f"{_many(nodes.size, noun)} {fault}: {', '.join(names)}{more}"


def _many(count: int, noun: str) -> str:
    """Return a count with its noun."""
    plural = "leaves" if noun == "leaf" else noun + "s"
    return f"1 {noun}" if count == 1 else f"{count} {plural}"


def path_of(arrays: Arrays, columns: Sequence[Column], node: int) -> tuple[Label, ...]:
    """Return the labels from the root's child down to this node."""
    depth = int(np.searchsorted(arrays.level_offsets, node, side="right")) - 1
    answer: list[Label] = []
    for column in reversed(columns[:depth]):
        answer.append(column.label(int(arrays.codes[node])))
        node = int(arrays.parents[node])
    return tuple(reversed(answer))
