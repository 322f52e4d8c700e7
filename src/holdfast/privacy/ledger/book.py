"""A book: a store, its key and its witness; each vouches for the others."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from holdfast.foundation.errors import BadLedger, Fault
from holdfast.privacy.ledger.account import Account, opened
from holdfast.privacy.ledger.chain import Key, same
from holdfast.privacy.ledger.event import Chained, Event, Head
from holdfast.privacy.ledger.store import Reading, Store, Writing, damaged
from holdfast.privacy.ledger.witness import Witness


@dataclass(frozen=True, slots=True)
class Step:
    """What is to be written next: one event, and the bytes that go with it."""

    event: Event
    outputs: tuple[tuple[str, bytes], ...] = ()


Choose = Callable[[Account], Step | None]


class Book:
    """Reads and writes a store; believes only what the key and the witness confirm.

    What was verified once is kept, so that each further look verifies only what is new; a book
    that was just opened verifies every event.
    """

    __slots__ = ("_account", "key", "store", "witness")

    def __init__(self, store: Store, key: Key, witness: Witness) -> None:
        self.store, self.key, self.witness = store, key, witness
        self._account: Account | None = None

    def read(self) -> Account:
        """Return the account; a witness that a crash left behind is brought up to date.

        The witness is read before the store: it is written after, so it is never ahead.
        """
        seen, known = self.witness.last(), self._account
        account = verified(self.key, self.store.read(_start(known)), known)
        check_witness(account, seen)
        if seen.seq < account.head.seq:
            self.witness.add(account.head)
        self._account = account
        return account

    def read_afresh(self) -> Account:
        """Return the account with every event verified again."""
        self._account = None
        return self.read()

    def write(self, choose: Choose) -> bool:
        """Write what `choose` says, seeing the account that no other writer can change.

        The commit comes first, then the witness. Returns whether anything was written.
        """
        known, written = self._account, list[Account]()
        with self.witness.held() as (seen, add):

            def decide(reading: Reading) -> Writing | None:
                written.clear()
                account = verified(self.key, reading, known)
                check_witness(account, seen)
                step = choose(account)
                if step is None:
                    return None
                link = self.key.chained(account.head.mac, step.event)
                written.append(account.extended([link]))
                head = self.key.sealed(written[0].head)
                return Writing((link,), head, step.outputs)

            self.store.change(_start(known), decide)
            if written:
                add(written[0].head)
                self._account = written[0]
        return bool(written)


def _start(known: Account | None) -> int:
    """Return from which event on to read: the last known one is read again and compared."""
    return known.head.seq if known else 0


def chain(key: Key, before: str, events: Iterable[Event]) -> list[Chained]:
    """Return events chained one to the next."""
    links = list[Chained]()
    for event in events:
        links.append(key.chained(links[-1].mac if links else before, event))
    return links


def verified(key: Key, reading: Reading, known: Account | None = None) -> Account:
    """Return the account that a reading gives, after what is known; refuse what does not fit."""
    if not same(reading.head.seal, key.code("head", reading.head.canonical())):
        raise damaged("a head that was not written with this key")
    if not reading.events:
        raise damaged("events that are missing")
    first, *rest = reading.events
    if known is None:
        _check(key, "", [first])
        known = opened(first)
    elif (first.event.seq, first.mac) != (known.head.seq, known.head.mac):
        raise damaged("another ledger than a moment ago")
    _check(key, first.mac, rest)
    account = known.extended(rest)
    if replace(reading.head, seal="") != account.head:
        raise damaged("a head that does not agree with the events")
    if reading.count != account.events:
        raise damaged("another number of events than its head says")
    return account


def _check(key: Key, before: str, links: Iterable[Chained]) -> None:
    """Refuse a link whose code is not the one of its event after the link before."""
    for link in links:
        if not same(link.mac, key.chained(before, link.event).mac):
            raise damaged("an event that was not written with this key, in this place")
        before = link.mac


def check_witness(account: Account, seen: Head) -> None:
    """Refuse a ledger that stands behind its witness, or on another branch than it."""
    if seen.seq > account.head.seq:
        found = f"{account.head.seq} events where the witness has seen {seen.seq}: rolled back"
    elif account.macs.get(seen.seq) != seen.mac:
        found = "events that the witness has not seen at their place"
    else:
        return
    raise BadLedger(
        Fault(
            "ledger",
            "every event that its witness has seen",
            found,
            "Bring back the newest file, or restore a backup with this witness.",
        )
    )
