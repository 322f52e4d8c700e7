"""Rows in a table or view of the user's own Spark session, counted there."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from holdfast.data.dialect import Dialect, Kind
from holdfast.data.failure import Groups, groups, not_counted, unreadable
from holdfast.data.question import Question, sql
from holdfast.data.sources import SparkTable
from holdfast.foundation.errors import HoldfastError

Answer = TypeVar("Answer")
FOREIGN = (PySparkException, Py4JError, RuntimeError, ValueError, TypeError, OSError, MemoryError)
KINDS = {
    **dict.fromkeys(["tinyint", "smallint", "int", "bigint"], Kind.WHOLE),
    **dict.fromkeys(["float", "double"], Kind.FLOAT),
    **dict.fromkeys(["string", "char", "varchar", "void"], Kind.TEXT),
    "decimal": Kind.DECIMAL,
    "boolean": Kind.TRUTH,
    "date": Kind.DAY,
}


class SparkDialect(Dialect):
    """Spark's words; braces are the formatter's own, so one of ours is written twice."""

    text_type = "STRING"

    def name(self, column: str) -> str:
        """Return the quoted name of a column."""
        return "`" + column.replace("`", "``").replace("{", "{{").replace("}", "}}") + "`"

    def plain(self, column: str, kind: Kind) -> str:
        """Return a column without its collation."""
        if kind is Kind.TEXT:
            return f"collate(CAST({column} AS STRING), 'UTF8_BINARY')"
        return column

    def matches_whole(self, cell: str) -> str:
        """Return whether the whole text is a whole number of at most 18 digits."""
        return f"regexp_extract({cell}, '^-?[0-9]{{{{1,18}}}}(?:[.]0*)?', 0) = {cell}"

    def hashed(self, text: str) -> str:
        """Return the SHA-256 of a text."""
        return f"sha2({text}, 256)"

    def up_to(self, count: str) -> str:
        """Return one row for each of 1, ..., count."""
        return f"explode(sequence(1, {count}))"

    def added(self, cell: str) -> str:
        """Return the sum of whole numbers; one of 64 bits would stop where it has no room."""
        return f"sum(CAST({cell} AS DECIMAL(38, 0)))"

    def is_integer(self, cell: str, kind: Kind) -> str:
        """Return whether a number has no fraction."""
        return f"rint({cell}) = {cell}" if kind is Kind.FLOAT else f"{cell} % 1 = 0"


class OpenTable:
    """The rows of one table."""

    def __init__(self, session: SparkSession, frame: Any) -> None:
        self._session, self._frame = session, frame

    def kinds(self) -> Mapping[str, Kind | None]:
        """Return what the columns are; no row is read."""
        types = asked(lambda: self._frame.dtypes, unreadable("source"))
        return {name: KINDS.get(kind.partition("(")[0].partition(" ")[0]) for name, kind in types}

    def tally(self, question: Question) -> Groups:
        """Return leaves and their counts; whatever goes wrong has one fixed text."""
        kinds = {name: kind for name, kind in self.kinds().items() if kind is not None}
        return asked(lambda: self._tally(question, kinds), not_counted())

    def _tally(self, question: Question, kinds: Mapping[str, Kind]) -> Groups:
        names = "".join(f", l{place} string" for place in range(len(question.columns)))
        texts = [column.texts for column in question.columns]
        rows = list(zip(range(question.leaves), *texts, strict=True))
        leaves = self._session.createDataFrame(rows, f"leaf bigint{names}")
        tables = "held AS (SELECT * FROM {held_rows}), leaves AS (SELECT * FROM {listed})"
        query = sql(question, kinds, SparkDialect(), tables)
        found = self._session.sql(query, held_rows=self._frame, listed=leaves).collect()
        return groups([row["leaf"] for row in found], [row["n"] for row in found])


@contextmanager
def opened(source: SparkTable) -> Iterator[OpenTable]:
    """Yield the rows of a table in the session that is running, or in a new one."""

    def open_it() -> OpenTable:
        session = SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()
        name = ".".join("`" + part.replace("`", "``") + "`" for part in source.table)
        return OpenTable(session, session.table(name))

    yield asked(open_it, unreadable("source", "no Spark session that knows this table"))


def asked(act: Callable[[], Answer], error: HoldfastError) -> Answer:
    """Return what Spark answers; where it fails, raise this error and nothing of its own."""
    try:
        return act()
    except FOREIGN:
        pass
    raise error
