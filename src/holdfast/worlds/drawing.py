"""How a tree shows itself: one line, a few lines of text, a small table in a notebook."""

from collections.abc import Iterator, Sequence
from html import escape
from itertools import islice

from holdfast.worlds.growth import Arrays, path_of
from holdfast.worlds.labels import Column

MOST_CHILDREN = 4
MOST_LINES = 24


def line(root: str, names: Sequence[str], arrays: Arrays) -> str:
    """Return one line: the root, how many leaves, the levels."""
    return f"<tree {root!r}: {_leaves(arrays):,} leaves, {arrays.parents.size:,} nodes, " + (
        f"{' > '.join(names)}>"
    )


def text(root: str, names: Sequence[str], arrays: Arrays, columns: Sequence[Column]) -> str:
    """Return the first nodes as an indented drawing."""
    below = _below(0, "", arrays, columns)
    lines = [line(root, names, arrays), root, *islice(below, MOST_LINES)]
    if next(below, None) is not None:
        lines.append("...")
    return "\n".join(lines)


def html(root: str, names: Sequence[str], arrays: Arrays, columns: Sequence[Column]) -> str:
    """Return a table of levels for a notebook; labels are text, never markup."""
    rows = []
    for depth, name in enumerate(names):
        start, stop = arrays.level_offsets[depth : depth + 2].tolist()
        first = [_label(node, arrays, columns) for node in range(start, min(stop, start + 3))]
        examples = ", ".join(first) if depth else root
        more = ", ..." if stop - start > 3 else ""
        rows.append(
            f"<tr><td>{escape(name)}</td><td>{stop - start:,}</td>"
            f"<td>{escape(examples)}{more}</td></tr>"
        )
    head = "<tr><th>level</th><th>nodes</th><th>first</th></tr>"
    caption = f"<caption>{escape(root)}: {_leaves(arrays):,} leaves</caption>"
    return f"<table>{caption}{head}{''.join(rows)}</table>"


def _leaves(arrays: Arrays) -> int:
    """Return the number of leaves."""
    return int((arrays.child_offsets[1:] == arrays.child_offsets[:-1]).sum())


def _label(node: int, arrays: Arrays, columns: Sequence[Column]) -> str:
    """Return the last label of a node's path."""
    return str(path_of(arrays, columns, node)[-1]) if node else ""


def _below(node: int, indent: str, arrays: Arrays, columns: Sequence[Column]) -> Iterator[str]:
    """Yield the drawing of a node's first children and of what lies below them."""
    low, high = arrays.child_offsets[node : node + 2].tolist()
    shown_ones = range(low, min(high, low + MOST_CHILDREN))
    for child in shown_ones:
        last = child == high - 1
        yield f"{indent}{'└─' if last else '├─'} {_label(child, arrays, columns)}"
        yield from _below(child, indent + ("   " if last else "│  "), arrays, columns)
    if high > shown_ones.stop:
        yield f"{indent}└─ ... {high - shown_ones.stop:,} more"
