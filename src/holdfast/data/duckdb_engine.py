"""Rows in files, counted by the embedded engine; the keeper of `duckdb`.

DuckDB prints the row it stumbled on. So its errors end in `asked`, outside the handler, and
neither text nor cause nor context goes on.

Claim.      The engine opens the one file, writes in its private folder alone, loads nothing, and
            none of its errors gets out.
Reason.     docs/theory/counting.md#the-embedded-engine
Checked by. tests/data/test_engines.py
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any, TypeVar

import duckdb
import numpy as np

from holdfast.data import csv_lines
from holdfast.data.dialect import Dialect, Kind
from holdfast.data.failure import Groups, groups, not_counted, unreadable
from holdfast.data.names import advice
from holdfast.data.question import Question, sql
from holdfast.data.sources import CsvFile, DuckdbFile, File, ParquetFile, check_file
from holdfast.data.spill import spill_folder
from holdfast.foundation.errors import BadDeclaration, Fault, HoldfastError, shown

Answer = TypeVar("Answer")
Settings = dict[str, str | bool | int | float | list[str]]
FOREIGN = (duckdb.Error, RuntimeError, ValueError, TypeError, OSError, MemoryError)
CLOSED = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_persistent_secrets": "false",
    "python_enable_replacements": "false",
    "preserve_insertion_order": "false",
}
WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
KINDS = {
    **dict.fromkeys([*WHOLE, *("U" + name for name in WHOLE)], Kind.WHOLE),
    **dict.fromkeys(["FLOAT", "DOUBLE"], Kind.FLOAT),
    **dict.fromkeys(["VARCHAR", "ENUM", "UUID", '"NULL"'], Kind.TEXT),
    "DECIMAL": Kind.DECIMAL,
    "BOOLEAN": Kind.TRUTH,
    "DATE": Kind.DAY,
}
TABLES = (
    "SELECT schema_name || '.' || table_name, table_name FROM duckdb_tables() "
    "WHERE database_name = 'data' UNION ALL SELECT schema_name || '.' || view_name, view_name "
    "FROM duckdb_views() WHERE database_name = 'data' AND NOT internal ORDER BY 1"
)


class DuckdbDialect(Dialect):
    """DuckDB's words."""

    def name(self, column: str) -> str:
        """Return the quoted name of a column."""
        return '"' + column.replace('"', '""') + '"'

    def plain(self, column: str, kind: Kind) -> str:
        """Return a column without its collation, which a column of a DuckDB file can have."""
        if kind is Kind.TEXT:
            return f"decode(encode(CAST({column} AS VARCHAR)))"
        return column

    def matches_whole(self, cell: str) -> str:
        """Return whether the whole text is a whole number of at most 18 digits."""
        return f"regexp_full_match({cell}, '-?[0-9]{{1,18}}(?:[.]0*)?')"

    def hashed(self, text: str) -> str:
        """Return the SHA-256 of a text."""
        return f"sha256({text})"

    def up_to(self, count: str) -> str:
        """Return one row for each of 1, ..., count."""
        return f"unnest(range(1, {count} + 1))"


class DuckdbTable:
    """The rows of one file."""

    def __init__(self, connection: Any, source: File, subject: str) -> None:
        self._connection, self._source, self._subject = connection, source, subject
        self._header = csv_lines.header_of(source.path) if isinstance(source, CsvFile) else []
        self._file = _text(source.path.as_posix())
        self._rows = ""

    def find(self) -> None:
        """Find the table; where there is no name, the only one."""
        match self._source:
            case ParquetFile():
                self._rows = f"read_parquet({self._file}, hive_partitioning=false)"
            case DuckdbFile(table=table):
                self._ask(f"ATTACH {self._file} AS data (READ_ONLY)")
                self._rows = f"data.{self._table('.'.join(table))}"

    def close_the_outside(self) -> None:
        """Let the engine open this one file and nothing else, for good."""
        allowed = "" if isinstance(self._source, DuckdbFile) else self._file
        self._ask(
            f"SET allowed_paths = [{allowed}]; SET enable_external_access = false; "
            "SET lock_configuration = true"
        )

    def kinds(self) -> Mapping[str, Kind | None]:
        """Return what the columns are; no row is read."""
        return self._kinds

    @cached_property
    def _kinds(self) -> Mapping[str, Kind | None]:
        if isinstance(self._source, CsvFile):
            return dict.fromkeys(self._header, Kind.TEXT)
        described = self._ask(f"DESCRIBE SELECT * FROM {self._rows}").fetchall()
        return {name: _kind(kind) for name, kind, *_ in described}

    def relation(self) -> Any:
        """Return the whole table, for a public list."""
        return asked(
            lambda: self._connection.sql(f"SELECT * FROM {self._rows}"), unreadable(self._subject)
        )

    def tally(self, question: Question) -> Groups:
        """Return leaves and their counts; whatever goes wrong has one fixed text."""
        kinds = {name: kind for name, kind in self.kinds().items() if kind is not None}
        return asked(lambda: self._tally(question, kinds), not_counted())

    def _tally(self, question: Question, kinds: Mapping[str, Kind]) -> Groups:
        names = [f"l{place}" for place in range(len(question.columns))]
        texts = [np.array(column.texts, dtype=object) for column in question.columns]
        leaves = {"leaf": np.arange(question.leaves), **dict(zip(names, texts, strict=True))}
        self._connection.register("leaves", leaves)
        held = f"SELECT * FROM {self._rows}"
        if isinstance(self._source, CsvFile):
            held = csv_lines.rows(self._file, self._header, question.names)
        query = sql(question, kinds, DuckdbDialect(), f"held AS ({held})")
        found = self._connection.execute(query).fetchnumpy()
        return groups(found["leaf"], found["n"])

    def _table(self, name: str) -> str:
        """Return the quoted name of a table of the file."""
        rows = self._ask(TABLES).fetchall()
        known = {key: full for full, short in rows for key in (short, full)}
        every = sorted({full for full, _ in rows})
        if not name and len(every) == 1:
            name = every[0]
        if name not in known:
            asked_for = "a table of the file"
            remedy = advice(name, sorted(known)) if name else f"Write #table. {advice('', every)}"
            fault = Fault(self._subject, asked_for, shown(name) if name else "no name", remedy)
            raise BadDeclaration(fault)
        return ".".join(map(DuckdbDialect().name, known[name].split(".", 1)))

    def _ask(self, statement: str) -> Any:
        return asked(lambda: self._connection.execute(statement), unreadable(self._subject))


@contextmanager
def opened(source: File, subject: str = "source") -> Iterator[DuckdbTable]:
    """Yield the rows of a file, in an engine that is shut off from everything else."""
    check_file(source.path, subject)
    with spill_folder() as folder:
        config: Settings = {**CLOSED, "temp_directory": str(folder)}
        connection = asked(lambda: duckdb.connect(config=config), unreadable(subject))
        try:
            table = DuckdbTable(connection, source, subject)
            table.find()
            table.close_the_outside()
            yield table
        finally:
            connection.close()


def asked(act: Callable[[], Answer], error: HoldfastError) -> Answer:
    """Return what the engine answers; where it fails, raise this error and nothing of its own."""
    try:
        return act()
    except FOREIGN:
        pass
    raise error


def _kind(written: str) -> Kind | None:
    """Return the kind of a column from its type as DuckDB writes it; a list has none."""
    return None if written.endswith("]") else KINDS.get(written.partition("(")[0])


def _text(text: str) -> str:
    """Return a text as SQL has it."""
    return "'" + text.replace("'", "''") + "'"
