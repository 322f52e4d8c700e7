"""The published numbers as tables: the upper levels first, every node or the first leaves last.

Checked by. tests/publication/report/test_report.py
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from holdfast.publication.report.markup import Html, cell, joined, tag
from holdfast.publication.report.numerals import grouped
from holdfast.publication.report.reported import Reported
from holdfast.worlds.hierarchy import Hierarchy

MOST_ABOVE = 60  # rows of the first table
MOST_WHOLE = 600  # rows of a tree that is shown whole
MOST_BETWEEN, MOST_LEAVES = 300, 300
MOST_ROOM, NAME, GAP = 80, 10, 2  # columns of type: in all, for a name, beside a number


@dataclass(frozen=True, slots=True)
class Part:
    """Some nodes to be shown together."""

    caption: str
    nodes: Sequence[int]


def first_part(tree: Hierarchy) -> Part:
    """Return the whole of a small tree, or the levels from the top that fit in one view."""
    if tree.size <= MOST_ABOVE:
        return Part(f"All {grouped(tree.size)} numbers", list(depth_first(tree)))
    stop = _edge(tree, MOST_ABOVE)
    named = "The whole" if stop == 1 else "The upper levels"
    return Part(f"{named}: {grouped(stop)} of {grouped(tree.size)} numbers", range(stop))


def later_parts(tree: Hierarchy) -> Iterator[Part]:
    """Yield what the first part leaves out, as far as a page can show it."""
    if tree.size <= MOST_ABOVE:
        return
    if tree.size <= MOST_WHOLE:
        yield Part(f"All {grouped(tree.size)} numbers", list(depth_first(tree)))
        return
    start, stop = _edge(tree, MOST_ABOVE), _edge(tree, MOST_BETWEEN)
    if stop > start:
        yield Part(f"The levels between: {grouped(stop - start)} numbers", range(start, stop))
    leaves = tree.leaf_nodes[:MOST_LEAVES].tolist()
    total = tree.leaf_nodes.size
    yield Part(f"The first {grouped(len(leaves))} of {grouped(total)} leaves", leaves)


def is_cut(tree: Hierarchy) -> bool:
    """Return whether the page leaves numbers out."""
    return tree.size > MOST_WHOLE


def _edge(tree: Hierarchy, most: int) -> int:
    """Return the number of nodes of all levels that together have no more than this."""
    edges = tree.arrays.level_offsets
    return int(edges[np.searchsorted(edges, most, side="right") - 1])


def depth_first(tree: Hierarchy) -> Iterator[int]:
    """Yield the nodes of a tree, each before what lies below it."""
    offsets = tree.arrays.child_offsets.tolist()
    waiting = [0]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(range(*offsets[node : node + 2])))


def nodes_table(reported: Reported, part: Part) -> Html:
    """Return some nodes as a table: level columns, label, value, interval, and a note."""
    names = reported.tree.level_names[1:]
    depth = max(1, *(len(reported.tree.paths[node]) for node in part.nodes))
    labelled = any(node in reported.label_of for node in part.nodes)
    noted = any(reported.wide[node] for node in part.nodes)
    head = [tag("th", cell(name), scope="col") for name in names[:depth]]
    head += [tag("th", "label", scope="col")] if labelled else []
    head += [tag("th", name, scope="col", class_="n") for name in ("value", "lower", "upper")]
    head += [tag("th", "note", scope="col")] if noted else []
    columns = Columns(depth, labelled, noted)
    rows = joined((_row(reported, node, columns) for node in part.nodes), "\n")
    caption = f"{'REHEARSAL: ' if reported.rehearsal else ''}{part.caption}"
    table = tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", *head)),
        tag("tbody", rows),
        class_="deep" if _room(reported, columns) > MOST_ROOM else "nodes",
    )
    return tag("div", table, class_="scroll", role="region", aria_label=caption, tabindex=0)


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns a table has: so many levels, and whether labels and notes."""

    depth: int
    labelled: bool
    noted: bool


def _room(reported: Reported, columns: Columns) -> int:
    """Return the columns of type that a row needs; where they are too many, rows become cards."""
    ends = (reported.value, reported.lower, reported.upper)
    digits = (max(len(grouped(int(end(vector)))) for end in (np.min, np.max)) for vector in ends)
    return NAME * (columns.depth + columns.labelled) + sum(digits) + GAP * len(ends)


def _row(reported: Reported, node: int, columns: Columns) -> Html:
    """Return one node."""
    value, lower, upper = (
        grouped(int(vector[node])) for vector in (reported.value, reported.lower, reported.upper)
    )
    cells = [*_name(reported, node, columns.depth)]
    if columns.labelled:
        name = reported.label_of.get(node)
        cells.append(tag("td", class_="none") if name is None else _cell("td", name, "label"))
    cells += [
        tag("td", value, class_="n value"),
        tag("td", lower, class_="n lower"),
        tag("td", upper, class_="n upper"),
    ]
    if columns.noted:
        note = tag("td", "wide", class_="note") if reported.wide[node] else tag("td", class_="none")
        cells.append(note)
    return tag("tr", *cells)


def _name(reported: Reported, node: int, depth: int) -> Iterator[Html]:
    """Yield the level columns of one node: those above it, its own, and the empty ones."""
    path = reported.tree.paths[node]
    if not path:
        whole = reported.named("root")
        yield tag("th", cell(whole), scope="row", colspan=depth if depth > 1 else None)
        return
    for name in path[:-1]:
        yield _cell("td", name, "above")
    yield tag("th", cell(path[-1]), scope="row")
    left = depth - len(path)
    if left:
        yield tag("td", class_="none", colspan=left if left > 1 else None)


def _cell(kind: str, name: object, class_: str) -> Html:
    """Return a cell with a name."""
    return tag(kind, cell(name), class_=class_)
