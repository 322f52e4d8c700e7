"""The published table as text: one row a node, levels first, then value, lower and upper.

Labels that a spreadsheet would take for formulas are written with an apostrophe before them;
numbers stay numbers.

Reason.     docs/theory/plans.md#what-is-written
Checked by. tests/publication/writing/test_table_file.py
"""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.worlds.hierarchy import Hierarchy

FORMULA = (
    "=",
    "+",
    "-",
    "@",
    "\t",
    "\r",
    "\0",
    "\uff1d",
    "\uff0b",
    "\uff0d",
    "\uff20",
)  # and twins
NUMBERS = ("value", "lower", "upper")
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TableFile:
    """A table over the nodes of a tree, with a label beside each leaf where there is one."""

    tree: Hierarchy
    labels: tuple[str, ...] | None
    value: Integers
    lower: Integers
    upper: Integers
    wide: npt.NDArray[np.bool_]

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of the columns."""
        label = ("label",) if self.labels is not None else ()
        return (*_unlike(self.tree.level_names[1:], label), *label, *NUMBERS, "wide")

    def rows(self) -> Iterator[list[Any]]:
        """Yield the rows, the root's first."""
        depth = self.tree.depth - 1
        leaf_number = {node: n for n, node in enumerate(self.tree.leaf_nodes.tolist())}
        numbers = zip(self.value.tolist(), self.lower.tolist(), self.upper.tolist(), strict=True)
        for node, (path, three) in enumerate(zip(self.tree.paths, numbers, strict=True)):
            levels = [*map(safe, path), *[""] * (depth - len(path))]
            label = []
            if self.labels is not None:
                label = [safe(self.labels[leaf_number[node]]) if node in leaf_number else ""]
            yield [*levels, *label, *three, int(self.wide[node])]

    def arrays(self) -> dict[str, list[Any] | npt.NDArray[Any]]:
        """Return the columns by name: texts as lists, numbers as arrays."""
        rows = list(self.rows())
        texts = len(self.columns) - len(NUMBERS) - 1
        named: dict[str, list[Any] | npt.NDArray[Any]] = {
            name: [row[place] for row in rows] for place, name in enumerate(self.columns[:texts])
        }
        numbers = (self.value, self.lower, self.upper, self.wide.astype(np.int64))
        return named | dict(zip((*NUMBERS, "wide"), numbers, strict=True))

    def csv(self) -> bytes:
        """Return the table as comma-separated text in UTF-8; lines end in CRLF."""
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow(self.columns)
        writer.writerows(self.rows())
        return text.getvalue().encode("utf-8")

    def csvw(self) -> bytes:
        """Return what the columns mean, as CSV on the Web asks."""
        texts = self.columns[: -len(NUMBERS) - 1]
        columns = [{"name": name, "titles": name, "datatype": "string"} for name in texts]
        columns += [{"name": n, "titles": n, "datatype": "integer"} for n in (*NUMBERS, "wide")]
        words = {
            "@context": "http://www.w3.org/ns/csvw",
            "url": "table.csv",
            "dialect": {"lineTerminators": ["\r\n"], "header": True},
            "tableSchema": {"columns": columns},
        }
        return (json.dumps(words, indent=2, ensure_ascii=False) + "\n").encode("utf-8")


def safe(label: object) -> str:
    """Return a label as text that no spreadsheet takes for a formula.

    >>> safe("=1+1"), safe("Bronx"), safe(7), safe(-7)
    ("'=1+1", 'Bronx', '7', '-7')
    """
    text = str(label)
    is_number = isinstance(label, int) and not isinstance(label, bool)
    return f"'{text}" if text.startswith(FORMULA) and not is_number else text


def is_wide(value: Integers, lower: Integers, upper: Integers) -> npt.NDArray[np.bool_]:
    """Return where an interval is wide against its value: wider than half of it, either way."""
    wide: npt.NDArray[np.bool_] = np.maximum(upper - value, value - lower) > np.abs(value) / 2
    return wide & (upper > lower)


def _unlike(levels: Sequence[str], taken: Sequence[str]) -> tuple[str, ...]:
    """Return the level names, none of them like another column's."""
    used = {*NUMBERS, "wide", *taken}
    return tuple(f"{name} (level)" if name in used else name for name in levels)
