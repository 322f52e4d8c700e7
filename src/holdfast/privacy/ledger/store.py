"""Where a ledger is kept: what a store must do, and the store that stands at a place."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from holdfast.foundation.errors import BadLedger, BadParameter, Fault
from holdfast.privacy.ledger.event import EVENT_FIELDS, HEAD_FIELDS, Chained, Event, Head

POSTGRES = ("postgresql://", "postgres://")
INSTALL = "Run pip install 'holdfast[postgres]'."
WHOLE = frozenset({"seq", "cost", "delta"})


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read at one moment: the head, the events from some number on, how many in all."""

    head: Head
    events: tuple[Chained, ...]
    count: int


@dataclass(frozen=True, slots=True)
class Writing:
    """What is written at one moment, all of it or nothing."""

    events: tuple[Chained, ...]
    head: Head
    outputs: Iterable[tuple[str, bytes]] = ()


Decide = Callable[[Reading], Writing | None]


class Store(Protocol):
    """Keeps events, one head and sealed bytes; believes nothing and decides nothing."""

    def __str__(self) -> str:
        """Return how the place is shown: without passwords."""

    def make(self, writing: Writing) -> None:
        """Make a new store with this in it; refuse a place where something stands."""

    def read(self, start: int) -> Reading:
        """Return the head, and the events from number `start` on."""

    def change(self, start: int, decide: Decide) -> None:
        """Read and write in one transaction that no other writer can come between."""

    def output(self, name: str) -> bytes:
        """Return the sealed bytes of a name."""

    def check(self) -> None:
        """Have the engine look for damage of its own."""

    def gone(self) -> bool:
        """Return whether nothing stands at the place."""


def store_at(place: str | Path) -> Store:
    """Return the store at a place: a path (SQLite), or a postgresql:// address."""
    if isinstance(place, str) and place.startswith(POSTGRES):
        try:
            from holdfast.privacy.ledger.postgres_store import PostgresStore
        except ImportError:
            raise BadLedger(
                Fault("place", "psycopg, to reach a server", "no psycopg", INSTALL)
            ) from None
        return PostgresStore(place)
    from holdfast.privacy.ledger.sqlite_store import SqliteStore

    return SqliteStore(path_of(place, "place"))


def path_of(place: object, subject: str) -> Path:
    """Return a place as an absolute path; links in its folders are followed, its own is not."""
    if not isinstance(place, str | Path) or not str(place):
        raise BadParameter(
            Fault(subject, "a path", f"a {type(place).__name__}", 'Give e.g. "budget.sqlite".')
        )
    return Path(place).absolute()


def event_of(row: tuple[object, ...]) -> Chained:
    """Return an event from a row; one of other types is refused."""
    *values, mac = _typed(row, (*EVENT_FIELDS, "mac"))
    return Chained(Event(*values), mac)  # type: ignore[arg-type]


def head_of(row: tuple[object, ...]) -> Head:
    """Return the head from its row; one of other types is refused."""
    return Head(*_typed(row, HEAD_FIELDS))  # type: ignore[arg-type]


def _typed(row: tuple[object, ...], fields: tuple[str, ...]) -> list[int | str]:
    """Return the row's values, whole numbers and text as the fields ask; text may be bytes."""
    values: list[int | str] = []
    for field, value in zip(fields, row, strict=True):
        if field in WHOLE and type(value) is int:
            values.append(value)
        elif field not in WHOLE and isinstance(value, bytes) and value.isascii():
            values.append(value.decode("ascii"))
        elif field not in WHOLE and isinstance(value, str):
            values.append(value)
        else:
            raise damaged("a row of another form")
    return values


def damaged(found: str) -> BadLedger:
    """Return the refusal of a store whose content is not what was written."""
    return BadLedger(Fault("ledger", "what was written to it", found, "Restore a backup."))
