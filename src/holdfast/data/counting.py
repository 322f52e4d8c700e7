"""From rows to a confidential count for every leaf of the domain.

Claim.      What the rows hold changes the counts and nothing else: no error, no text, no file.
Reason.     docs/theory/counting.md#rows-never-fail
Checked by. tests/data/test_confidential_rows.py
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol, assert_never

import numpy as np
import numpy.typing as npt

from holdfast.data.declaration import DROP, Declaration
from holdfast.data.dialect import COUNTABLE, Kind
from holdfast.data.domain import Domain, read_domain, texts_of
from holdfast.data.failure import Groups
from holdfast.data.names import missing
from holdfast.data.question import Column, Question
from holdfast.data.sources import (
    CsvFile,
    DuckdbFile,
    ParquetFile,
    PostgresTable,
    Source,
    SparkTable,
    source_of,
)
from holdfast.foundation.confidential import Confidential
from holdfast.foundation.errors import BadDeclaration, Fault, HoldfastError, raise_all, shown
from holdfast.foundation.randomness import Chance, check_chance

Counts = npt.NDArray[np.int64]
KEY = 2**256


class Table(Protocol):
    """The rows, as an engine has them."""

    def kinds(self) -> Mapping[str, Kind | None]:
        """Return what the columns are; no row is read."""

    def tally(self, question: Question) -> Groups:
        """Return leaves and their counts."""


def count(
    declaration: Declaration, domain: Domain, folder: Path, chance: Chance
) -> Confidential[Counts]:
    """Return the counts in the order of the domain's leaves, in an envelope."""
    check_chance(chance)
    question = _question(declaration, domain, chance)
    with _opened(source_of(declaration.source, folder)) as table:
        raise_all(BadDeclaration, list(_faults_of_columns(declaration, table.kinds())))
        found = table.tally(question)
    counts = np.zeros(question.leaves, dtype=np.int64)
    counts[found.leaves] = found.counts
    return Confidential(counts, f"table of counts, {question.leaves} leaves")


def describe(declaration: Declaration, folder: Path) -> None:
    """Check all that is public about source and domain, and raise every fault at once."""
    faults: list[Fault] = []
    try:
        domain = read_domain(declaration, folder)
        _leaf_outside(declaration, texts_of(domain.tree))
    except HoldfastError as error:
        faults += error.faults
    try:
        with _opened(source_of(declaration.source, folder)) as table:
            faults += _faults_of_columns(declaration, table.kinds())
    except HoldfastError as error:
        faults += error.faults
    raise_all(BadDeclaration, faults)


def _opened(source: Source) -> AbstractContextManager[Table]:
    """Return the rows in their engine, which is imported here and not before."""
    match source:
        case ParquetFile() | CsvFile() | DuckdbFile():
            from holdfast.data import duckdb_engine

            return duckdb_engine.opened(source)
        case PostgresTable():
            return _server(source)
        case SparkTable():
            return _session(source)
        case _:
            assert_never(source)


def _server(source: PostgresTable) -> AbstractContextManager[Table]:
    """Return the rows of a PostgreSQL table."""
    try:
        from holdfast.data import postgres_engine
    except ModuleNotFoundError as error:
        missing_module = error.name
    else:
        return postgres_engine.opened(source)
    raise _no_engine("postgres", missing_module)


def _session(source: SparkTable) -> AbstractContextManager[Table]:
    """Return the rows of a Spark table."""
    try:
        from holdfast.data import spark_engine
    except ModuleNotFoundError as error:
        missing_module = error.name
    else:
        return spark_engine.opened(source)
    raise _no_engine("spark", missing_module)


def _no_engine(extra: str, module: str | None) -> BadDeclaration:
    """Return the error of an engine that is not installed."""
    found = f"no module {shown(module or extra)}"
    return BadDeclaration(
        Fault("source", f"the engine {extra}", found, f"Run pip install 'holdfast[{extra}]'.")
    )


def _question(declaration: Declaration, domain: Domain, chance: Chance) -> Question:
    """Return what is asked of the engine, under a fresh key where rows have to be chosen."""
    texts = texts_of(domain.tree)
    key = f"{chance.below(KEY):064x}" if declaration.person is not None else ""
    columns = _columns(declaration, domain, texts)
    leaf = _leaf_outside(declaration, texts)
    return Question(columns, declaration.count, declaration.person, leaf, key)


def _columns(
    declaration: Declaration, domain: Domain, texts: Sequence[Sequence[str]]
) -> tuple[Column, ...]:
    """Return the columns of the rows, with the texts that leaves are matched by."""
    if not declaration.key:
        columns = domain.tree.columns
        whole = [type(column.label(0)) is int for column in columns]
        nothing = [[""] * len(texts[0])] * (len(declaration.levels) - len(columns))
        levels = zip(declaration.levels, [*texts, *nothing], strict=True)
        return tuple(
            Column(name, level, all(whole[place : place + 1]))
            for place, (name, level) in enumerate(levels)
        )
    if domain.keys is None:
        remedy = "Read the domain with this declaration."
        raise BadDeclaration(Fault("key", "a domain with its keys", "none", remedy))
    return tuple(
        Column(mine, [str(label) for label in labels], all(type(label) is int for label in labels))
        for (mine, _), labels in zip(declaration.key, domain.keys, strict=True)
    )


def _leaf_outside(declaration: Declaration, texts: Sequence[Sequence[str]]) -> int | None:
    """Return the place of the leaf that takes the rows outside, or None where they drop."""
    asked = declaration.outside
    if asked == DROP:
        return None
    paths = [tuple(filter(None, path)) for path in zip(*texts, strict=True)]
    alone = isinstance(asked, str)
    found = [place for place, path in enumerate(paths) if (path[-1] if alone else path) == asked]
    if len(found) == 1:
        return found[0]
    number = "two leaves of this name" if found else "no such leaf"
    remedy = f"{shown(asked)}: give all labels of one leaf, from the top down."
    raise BadDeclaration(Fault("outside", '"drop" or a leaf of the domain', number, remedy))


def _faults_of_columns(
    declaration: Declaration, kinds: Mapping[str, Kind | None]
) -> Iterator[Fault]:
    """Yield the columns that are missing, or whose cells cannot be read."""
    person = [declaration.person.column] if declaration.person else []
    counts = [declaration.count] if declaration.count is not None else []
    labels = [mine for mine, _ in declaration.matched]
    yield from missing("source", [*labels, *counts, *person], kinds)
    for name in labels:
        if kinds.get(name, Kind.TEXT) is None:
            asked = "text, numbers, days, or true and false"
            yield Fault(name, asked, "another type", "Turn it into text in a view or a new file.")
    for name in (*counts, *person):
        if kinds.get(name, Kind.TEXT) not in COUNTABLE:
            yield Fault(name, "numbers or text", "another type", "Turn it into one of these.")
