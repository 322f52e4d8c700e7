"""Rows in a table of a PostgreSQL server, counted there.

One transaction that may only read, at one moment; the leaves go to the server as arrays, so
nothing is made there, not even a temporary table.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import psycopg
from psycopg.rows import tuple_row

from holdfast.data.dialect import Dialect, Kind
from holdfast.data.failure import Groups, groups, not_counted, unreadable
from holdfast.data.question import Question, sql
from holdfast.data.sources import PostgresTable
from holdfast.foundation.errors import HoldfastError

Answer = TypeVar("Answer")
FOREIGN = (psycopg.Error, RuntimeError, ValueError, TypeError, OSError, MemoryError)
KINDS = {
    **dict.fromkeys([20, 21, 23], Kind.WHOLE),  # object numbers of PostgreSQL's own types
    **dict.fromkeys([700, 701], Kind.FLOAT),
    **dict.fromkeys([19, 25, 1042, 1043, 2950], Kind.TEXT),
    1700: Kind.DECIMAL,
    16: Kind.TRUTH,
    1082: Kind.DAY,
}
BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


class PostgresDialect(Dialect):
    """PostgreSQL's words; a per cent sign is psycopg's own, so one in a name is written twice."""

    float_type = "DOUBLE PRECISION"
    text_type = "TEXT"

    def name(self, column: str) -> str:
        """Return the quoted name of a column."""
        return '"' + column.replace('"', '""').replace("%", "%%") + '"'

    def plain(self, column: str, kind: Kind) -> str:
        """Return a column without its collation."""
        return f'CAST({column} AS TEXT) COLLATE "C"' if kind is Kind.TEXT else column

    def matches_whole(self, cell: str) -> str:
        """Return whether the whole text is a whole number of at most 18 digits."""
        return f"{cell} ~ '^-?[0-9]{{1,18}}(?:[.]0*)?$'"

    def hashed(self, text: str) -> str:
        """Return the SHA-256 of a text."""
        return f"sha256(convert_to({text}, 'UTF8'))"

    def up_to(self, count: str) -> str:
        """Return one row for each of 1, ..., count."""
        return f"generate_series(1, {count})"

    def integer(self, cell: str) -> str:
        """Return a cell as a number of 64 bits; the kinds and tests leave none without room."""
        return f"CAST({cell} AS BIGINT)"

    def is_integer(self, cell: str, kind: Kind) -> str:
        """Return whether a number has no fraction."""
        return f"trunc({cell}) = {cell}"


class OpenTable:
    """The rows of one table, within one transaction."""

    def __init__(self, connection: "psycopg.Connection[tuple[Any, ...]]", table: str) -> None:
        self._connection, self._table = connection, table

    def kinds(self) -> Mapping[str, Kind | None]:
        """Return what the columns are; no row is read."""
        empty = f"SELECT * FROM {self._table} LIMIT 0"
        columns = asked(lambda: self._connection.execute(empty).description)
        return {column.name: KINDS.get(column.type_code) for column in columns or ()}

    def tally(self, question: Question) -> Groups:
        """Return leaves and their counts; whatever goes wrong has one fixed text."""
        kinds = {name: kind for name, kind in self.kinds().items() if kind is not None}
        return asked(lambda: self._tally(question, kinds), not_counted())

    def _tally(self, question: Question, kinds: Mapping[str, Kind]) -> Groups:
        names = ", ".join(f"l{place}" for place in range(len(question.columns)))
        arrays = ", ".join(["%s::bigint[]", *["%s::text[]"] * len(question.columns)])
        leaves = f"leaves AS (SELECT * FROM unnest({arrays}) AS listed(leaf, {names}))"
        held = f"held AS (SELECT * FROM {self._table})"
        query = sql(question, kinds, PostgresDialect(), f"{held}, {leaves}")
        values = [list(range(question.leaves)), *(list(c.texts) for c in question.columns)]
        rows = self._connection.execute(query.encode(), values).fetchall()
        return groups([leaf for leaf, _ in rows], [n for _, n in rows])


@contextmanager
def opened(source: PostgresTable) -> Iterator[OpenTable]:
    """Yield the rows of a table, all as they stand at one moment."""
    connection = asked(
        lambda: psycopg.connect(source.address, autocommit=True, row_factory=tuple_row)
    )
    try:
        for statement in (BEGIN, "SET LOCAL datestyle = 'ISO'"):
            asked(lambda text=statement: connection.execute(text))  # type: ignore[misc]
        table = ".".join(map(PostgresDialect().name, source.table)).replace("%%", "%")
        yield OpenTable(connection, table)
    finally:
        connection.close()


def asked(act: Callable[[], Answer], error: HoldfastError | None = None) -> Answer:
    """Return what the server answers; where it fails, raise this error and nothing of its own.

    Before rows are read the error tells the state of SQL, such as 42P01: no such table.
    """
    try:
        return act()
    except FOREIGN as failure:
        state = getattr(failure, "sqlstate", None) or type(failure).__name__
    raise error or unreadable("source", f"PostgreSQL's answer {state}")
