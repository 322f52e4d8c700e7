"""Small tables of figures, which on a narrow screen become cards.

Checked by. tests/publication/report/test_report.py
"""

from collections.abc import Iterable, Sequence

from holdfast.publication.report.markup import Html, cell, joined, tag


def figures(caption: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Html:
    """Return a table whose first column names the row and whose other cells are figures."""
    first, *others = columns
    head = [tag("th", first, scope="col")]
    head += [tag("th", name, scope="col", class_="n") for name in others]
    body = joined((_row(others, *row) for row in rows), "\n")
    table = tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", *head)),
        tag("tbody", body),
        class_="figures",
    )
    return tag("div", table, class_="scroll", role="region", aria_label=caption, tabindex=0)


def _row(columns: Sequence[str], name: object, *values: object) -> Html:
    """Return a row; each cell repeats its column's name for the cards."""
    cells = [
        tag("td", value, class_="n", data_name=column)
        for column, value in zip(columns, values, strict=True)
    ]
    return tag("tr", tag("th", cell(name), scope="row"), *cells)
