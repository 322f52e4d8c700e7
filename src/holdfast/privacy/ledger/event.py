"""Events of a ledger: what is written once and never changed."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from operator import attrgetter

OPEN, MOVED = "open", "moved"


def framed(parts: Iterable[bytes]) -> bytes:
    """Return the parts, each after its length: no two lists give the same bytes.

    >>> framed([b"ab", b""]) == framed([b"a", b"b"])
    False
    """
    return b"".join(len(part).to_bytes(8, "big") + part for part in parts)


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the record. `request` and `output` are keyed digests; costs are units.

    A genesis carries the totals as its costs and the currency as its note; a `lost` event
    carries as its output the code of the event that it follows; a `moved` one notes where to.
    """

    seq: int
    kind: str
    name: str = ""
    request: str = ""
    cost: int = 0
    delta: int = 0
    neighbours: str = ""
    unit: str = ""
    output: str = ""
    note: str = ""

    def canonical(self) -> bytes:
        """Return bytes that no other event has."""
        return framed(str(value).encode() for value in values(self))


@dataclass(frozen=True, slots=True)
class Chained:
    """An event and its code, which covers it and all before it."""

    event: Event
    mac: str


@dataclass(frozen=True, slots=True)
class Head:
    """Where a ledger stands: its last event and what is spent; the only row that changes."""

    seq: int
    mac: str
    cost: int
    delta: int
    neighbours: str
    unit: str
    state: str = OPEN
    seal: str = ""

    def canonical(self) -> bytes:
        """Return the bytes that its seal covers."""
        return framed(str(value).encode() for value in values(self)[:-1])


EVENT_FIELDS = tuple(field.name for field in fields(Event))
HEAD_FIELDS = tuple(field.name for field in fields(Head))
_VALUES = {Event: attrgetter(*EVENT_FIELDS), Head: attrgetter(*HEAD_FIELDS)}


def values(record: Event | Head) -> tuple[int | str, ...]:
    """Return the fields of a record in their order; `astuple` takes twenty times as long."""
    found: tuple[int | str, ...] = _VALUES[type(record)](record)
    return found
