"""A published table read back from its CSV: the tree that its rows spell, and its numbers.

A row is a leaf where no other row stands below it.

Reason.     docs/theory/plans.md#what-verify-checks
Checked by. tests/publication/checking/test_verify.py
"""

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadRecord, Fault, HoldfastError
from holdfast.publication.writing.table_file import NUMBERS
from holdfast.worlds.hierarchy import Hierarchy

WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,18})")
MOST = 2**63 - 1
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PublishedTable:
    """The tree of a published table, and its numbers in the order of the tree's nodes."""

    tree: Hierarchy
    value: Integers
    lower: Integers
    upper: Integers


def read_table(content: bytes, levels: Sequence[str], root: str) -> PublishedTable:
    """Return the table of a CSV file whose first columns are these levels."""
    header, *rows = rows_of(content)
    places = {name: header.index(name) for name in NUMBERS if name in header}
    if len(places) < len(NUMBERS) or len(header) < len(levels) + len(NUMBERS):
        raise _refused("columns of levels, value, lower and upper", "others")
    paths = [_path(row[: len(levels)]) for row in rows]
    if len(set(paths)) < len(paths) or any(len(row) != len(header) for row in rows):
        raise _refused("a row for each node, and as many cells as columns", "others")
    tree = _tree(paths, levels, root)
    order = {path: number for number, path in enumerate(paths)}
    try:
        numbers = [rows[order[tuple(map(str, path))]] for path in tree.paths]
    except KeyError:
        numbers = []
    if len(numbers) < len(rows):
        raise _refused("a row for each node of one tree", "nodes without a parent, or too many")
    columns = [_whole(row[places[name]] for row in numbers) for name in NUMBERS]
    return PublishedTable(tree, *columns)


def rows_of(content: bytes) -> list[list[str]]:
    """Return the cells of the file."""
    try:
        text = content.decode("utf-8")
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error):
        rows = []
    if len(rows) < 2:
        raise _refused("rows of comma-separated text", "none")
    return rows


def _path(cells: list[str]) -> tuple[str, ...]:
    """Return the labels up to the first empty one; after it all are empty."""
    path = tuple(cells[: cells.index("")] if "" in cells else cells)
    if any(cells[len(path) :]):
        raise _refused("levels that end once", "an empty level above a named one")
    return path


def _tree(paths: list[tuple[str, ...]], levels: Sequence[str], root: str) -> Hierarchy:
    """Return the tree of the rows that no other row stands below."""
    inner = {path[:-1] for path in paths if path}
    leaves = [path for path in paths if path not in inner]
    columns = {
        name: [path[place] if place < len(path) else "" for path in leaves]
        for place, name in enumerate(levels)
    }
    try:
        return Hierarchy.from_frame(columns, list(levels), root)
    except HoldfastError:
        pass
    raise _refused("rows that spell a tree", "rows that do not")


def _whole(cells: Any) -> Integers:
    """Return whole numbers."""
    numbers = [int(cell) if WHOLE.fullmatch(cell) else MOST + 1 for cell in cells]
    if any(abs(number) > MOST for number in numbers):
        raise _refused("whole numbers of 64 bits", "something else")
    return np.array(numbers, dtype=np.int64)


def _refused(asked: str, found: str) -> BadRecord:
    return BadRecord(Fault("table.csv", asked, found, "Ask for the table as it was published."))
