"""The one expression from rows to a count per leaf, in SQL that every engine understands.

Claim.      With a bound of k, one person changes the counts by at most k rows in total, whatever
            the order of the rows; which rows count is decided by a keyed hash alone.
Reason.     docs/theory/counting.md#one-person
Checked by. tests/data/test_person.py
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from holdfast.data.declaration import Person
from holdfast.data.dialect import EXACT, Dialect, Kind

MOST_CANDIDATES: Final = 1000  # rows of one person and leaf that can be chosen, at least
ROOM: Final = 2**62


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the rows, and the text it has to equal, leaf by leaf."""

    name: str
    texts: Sequence[str]
    whole: bool


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of an engine; `leaf` is where rows outside go, `key` is secret."""

    columns: tuple[Column, ...]
    count: str | None
    person: Person | None
    leaf: int | None
    key: str = field(repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the columns of the rows that are read."""
        others = [self.count, self.person.column if self.person else None]
        return tuple(column.name for column in self.columns) + tuple(n for n in others if n)

    @property
    def leaves(self) -> int:
        """Return the number of leaves."""
        return len(self.columns[0].texts)

    @property
    def most(self) -> int:
        """Return where a leaf's count is cut, so that no sum of all leaves leaves 64 bits."""
        return ROOM // self.leaves


def sql(question: Question, kinds: Mapping[str, Kind], dialect: Dialect, tables: str) -> str:
    """Return the query for (leaf, n); `tables` defines `held` (rows) and `leaves` (leaf, l0...)."""
    parts = [tables, f"read AS ({_read(question, kinds, dialect)})"]
    parts.append(f"grouped AS ({_grouped(question, dialect)})")
    parts.append(f"placed AS ({_placed(question, kinds, dialect)})")
    if question.person is not None:
        parts.append(f"candidates AS ({_candidates(question.person, dialect)})")
        parts.append(f"ranked AS ({_ranked(question, dialect)})")
        parts.append(f"counted AS ({_counted(question.person)})")
    else:
        parts.append("counted AS (SELECT leaf, n FROM placed)")
    total = f"least({dialect.added('n')}, {question.most})"
    last = f"SELECT leaf, CAST({total} AS BIGINT) AS n FROM counted GROUP BY leaf"
    return f"WITH {', '.join(parts)} {last}"


def _read(question: Question, kinds: Mapping[str, Kind], dialect: Dialect) -> str:
    """Return the columns that are needed, under short names."""
    named = [
        f"{dialect.plain(dialect.name(column.name), kinds[column.name])} AS c{place}"
        for place, column in enumerate(question.columns)
    ]
    if question.count is not None:
        cell = dialect.whole(dialect.name(question.count), kinds[question.count])
        named.append(f"{cell} AS w")
    if question.person is not None:
        name = question.person.column
        named.append(f"{dialect.plain(dialect.name(name), kinds[name])} AS p")
    return f"SELECT {', '.join(named)} FROM held"


def _grouped(question: Question, dialect: Dialect) -> str:
    """Return how many rows have the same cells; a cell that is no count counts as nothing."""
    cells = [f"c{place}" for place in range(len(question.columns))]
    cells += ["p"] if question.person is not None else []
    weight = f"CASE WHEN w > 0 AND w <= {EXACT} THEN w ELSE 0 END"
    number = "count(*)" if question.count is None else dialect.added(weight)
    listed = ", ".join(cells)
    return f"SELECT {listed}, {number} AS n FROM read GROUP BY {listed}"


def _placed(question: Question, kinds: Mapping[str, Kind], dialect: Dialect) -> str:
    """Return the groups with their leaf, by person where there is one."""
    equal = []
    for place, column in enumerate(question.columns):
        cell, kind = f"c{place}", kinds[column.name]
        text = dialect.text(cell, kind)
        if column.whole and kind is not Kind.WHOLE:
            text = dialect.written(dialect.whole(cell, kind))
        equal.append(f"coalesce({text}, '') = l{place}")
    join = "JOIN" if question.leaf is None else "LEFT JOIN"
    leaf = "leaf" if question.leaf is None else f"coalesce(leaf, {question.leaf})"
    found = f"grouped {join} leaves ON {' AND '.join(equal)}"
    if question.person is None:
        return f"SELECT {leaf} AS leaf, n FROM {found}"
    person = dialect.text("p", kinds[question.person.column])
    inner = f"SELECT {leaf} AS leaf, {person} AS person, n FROM {found}"
    empty = "person IS NOT NULL AND person <> ''"
    outer = f"SELECT leaf, person, {dialect.added('n')} AS n FROM ({inner}) AS each_group"
    return f"{outer} WHERE {empty} GROUP BY leaf, person"


def _candidates(person: Person, dialect: Dialect) -> str:
    """Return one row for each that could count: its person, its leaf, its number there."""
    most = max(MOST_CANDIDATES, person.rows)
    numbers = dialect.up_to(f"CAST(least(n, {most}) AS INTEGER)")
    return f"SELECT leaf, person, {numbers} AS i FROM placed WHERE n > 0"


def _ranked(question: Question, dialect: Dialect) -> str:
    """Return the candidates in the order of their keyed hashes, person by person."""
    leaf, i = dialect.written("leaf"), dialect.written("i")
    text = f"concat('{question.key}|', {leaf}, '|', {i}, '|', person)"
    order = f"row_number() OVER (PARTITION BY person ORDER BY {dialect.hashed(text)})"
    return f"SELECT leaf, {order} AS place FROM candidates"


def _counted(person: Person) -> str:
    """Return the first few candidates of each person, leaf by leaf."""
    chosen = f"SELECT leaf, count(*) AS n FROM ranked WHERE place <= {person.rows}"
    return f"{chosen} GROUP BY leaf"
