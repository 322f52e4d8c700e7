"""Events of a ledger: what is written once and never changed."""

from collections.abc import Iterable
from dataclasses import astuple, dataclass

KINDS = ("genesis", "spent", "reserved", "sealed", "published", "lost", "moved", "arrived")


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
        return framed(str(field).encode() for field in astuple(self))


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
    seal: str = ""

    def canonical(self) -> bytes:
        """Return the bytes that its seal covers."""
        return framed(str(field).encode() for field in astuple(self)[:-1])
