"""What is public about the data: where the rows lie, and how they are read as counts.

Claim.      A declaration is checked at birth, all its faults are told at once, and it holds
            nothing that is not public: an address with a password is refused.
Reason.     docs/theory/counting.md#what-is-public
Checked by. tests/data/test_declaration.py
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from holdfast.data.sources import faults_of_domain, source_of
from holdfast.data.spreadsheet import fault_of_text
from holdfast.foundation.errors import BadDeclaration, Fault, raise_all, shown

DROP = "drop"
MOST_ROWS = 10**6
NAME = "the name of a column"


@dataclass(frozen=True, slots=True)
class Person:
    """The column that says whose a row is, and how many rows of one person count."""

    column: str
    rows: int

    def __post_init__(self) -> None:
        faults = list(_unnamed("person column", self.column))
        if type(self.rows) is not int or not 1 <= self.rows <= MOST_ROWS:
            asked = f"a whole number from 1 to {MOST_ROWS}"
            remedy = "Say how many rows of one person may count."
            faults.append(Fault("rows of a person", asked, shown(self.rows), remedy))
        raise_all(BadDeclaration, faults)


@dataclass(frozen=True, slots=True)
class Declaration:
    """Where the rows are, which leaves there are, and the rules that turn the one to the other."""

    source: str
    levels: tuple[str, ...]
    domain: str
    root: str = "total"
    key: tuple[tuple[str, str], ...] = ()
    label: str | None = None
    count: str | None = None
    outside: str | tuple[str, ...] = DROP
    person: Person | None = None

    def __post_init__(self) -> None:
        faults = [*_faults_of_places(self), *_faults_of_columns(self), *_faults_of_rules(self)]
        raise_all(BadDeclaration, faults)

    @property
    def matched(self) -> tuple[tuple[str, str], ...]:
        """Return which column of the rows is matched with which of the domain."""
        return self.key or tuple((level, level) for level in self.levels)


def _faults_of_places(declaration: Declaration) -> Iterator[Fault]:
    """Yield what is wrong with the form of the source's address and the domain's path."""
    try:
        source_of(declaration.source, Path("/"))
    except BadDeclaration as error:
        yield from error.faults
    yield from faults_of_domain(declaration.domain)


def _faults_of_columns(declaration: Declaration) -> Iterator[Fault]:
    """Yield what is wrong with the names of columns."""
    yield from _unlisted("levels", declaration.levels)
    pairs: Any = declaration.key
    if not isinstance(pairs, tuple) or not all(
        isinstance(pair, tuple) and len(pair) == 2 for pair in pairs
    ):
        asked = "pairs of a column of the rows and one of the domain"
        yield Fault("key", asked, shown(pairs), 'Write for example { PULocationID = "ID" }.')
    elif pairs:
        yield from _unlisted("key, columns of the rows", tuple(mine for mine, _ in pairs))
        yield from _unlisted("key, columns of the domain", tuple(theirs for _, theirs in pairs))
    for subject in ("label", "count"):
        name = getattr(declaration, subject)
        if name is not None:
            yield from _unnamed(subject, name)


def _faults_of_rules(declaration: Declaration) -> Iterator[Fault]:
    """Yield what is wrong with the root, the rule for rows outside, and the bound."""
    root: Any = declaration.root
    if not isinstance(root, str) or not root.strip():
        yield Fault("root", "a name for the whole", shown(root), "Name the root.")
    else:
        yield from fault_of_text("root", root)
    path: Any = declaration.outside
    labels = (path,) if isinstance(path, str) else path
    good = isinstance(labels, tuple) and labels and all(isinstance(part, str) for part in labels)
    if not good or not all(labels):
        remedy = 'Write "drop", the name of a leaf, or its labels from the top down.'
        yield Fault("outside", '"drop" or a leaf', shown(path), remedy)
    person: Any = declaration.person
    if person is not None and not isinstance(person, Person):
        yield Fault("person", "a Person or None", shown(person), "Write Person(column, rows).")


def _unnamed(subject: str, name: Any) -> Iterator[Fault]:
    """Yield a fault where this is no name of a column."""
    if not isinstance(name, str) or not name or not name.isprintable():
        yield Fault(subject, NAME, shown(name), "Name it as the file does.")


def _unlisted(subject: str, names: Any) -> Iterator[Fault]:
    """Yield a fault where this is no tuple of different names."""
    listed: Iterable[Any] = names if isinstance(names, tuple) else ()
    if not names or not listed:
        yield Fault(subject, "names of columns", shown(names), 'Write for example ["Borough"].')
    elif len(set(listed)) < len(names):
        yield Fault(subject, "different columns", "one twice", "Name each once.")
    for name in listed:
        yield from _unnamed(subject, name)
