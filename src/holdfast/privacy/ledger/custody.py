"""Custody: making, opening, copying, restoring and moving a ledger with its key and witness."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from holdfast.foundation.errors import BadLedger, BadParameter, Fault
from holdfast.privacy.ledger import private_files
from holdfast.privacy.ledger.account import Account
from holdfast.privacy.ledger.book import Book, Step, chain, check_witness, verified
from holdfast.privacy.ledger.chain import Key, key_of
from holdfast.privacy.ledger.event import MOVED, Chained, Event, Head
from holdfast.privacy.ledger.sqlite_store import SqliteStore
from holdfast.privacy.ledger.store import POSTGRES, Reading, Store, Writing, path_of, store_at
from holdfast.privacy.ledger.witness import Witness, line_of

BACKUP, BACKUP_WITNESS = "ledger.sqlite", "ledger.witness"


class Places(NamedTuple):
    """Where a ledger, its key and its witness stand."""

    place: str | Path
    key: Path
    witness: Path


def is_address(place: object) -> bool:
    """Return whether a place is the address of a database server."""
    return isinstance(place, str) and place.startswith(POSTGRES)


def places(place: str | Path, key: str | Path | None, witness: str | Path | None) -> Places:
    """Return where the three stand: key and witness beside the file, unless given."""
    if is_address(place):
        if key is None or witness is None:
            raise BadParameter(
                Fault(
                    "ledger",
                    "a path of the key and a path of the witness",
                    "an address of a server alone",
                    'Give key="..." and witness="...", on a disk that is not the server\'s.',
                )
            )
        return Places(place, path_of(key, "key"), path_of(witness, "witness"))
    path = path_of(place, "place")
    beside = [path.with_name(path.name + end) for end in (".key", ".witness")]
    given = [
        path_of(kept, word) if kept is not None else usual
        for kept, word, usual in zip((key, witness), ("key", "witness"), beside, strict=True)
    ]
    if len({path, *given}) < 3:
        raise BadParameter(
            Fault("ledger", "three files", "one file for two", "Give each a path of its own.")
        )
    return Places(path, *given)


def book_at(at: Places) -> Book:
    """Return the book that stands at these places."""
    store = store_at(at.place)
    if store.gone():
        raise BadLedger(
            Fault(
                f"ledger {store}",
                "a ledger at its place",
                "nothing there",
                "Look at the path, or make a ledger with Ledger.create.",
            )
        )
    key = key_of(private_files.read(at.key, secret=True))
    return Book(store, key, Witness(at.witness, key))


def make(at: Places, genesis: Event) -> None:
    """Make a ledger: its key, its witness, and at last the ledger itself."""
    store = store_at(at.place)
    _check_vacant(store, at.key, at.witness)
    text = private_files.fresh_key()
    key = key_of(text)
    private_files.make(at.key, text)
    with _or_remove(at.key):
        _fill(store, key, at.witness, key.chained("", genesis))


def _fill(store: Store, key: Key, witness: Path, genesis: Chained) -> None:
    event = genesis.event
    head = key.sealed(Head(0, genesis.mac, 0, 0, event.neighbours, event.unit))
    private_files.make(witness, line_of(key, head))
    with _or_remove(witness):
        store.make(Writing((genesis,), head))


@contextmanager
def _or_remove(path: Path) -> Iterator[None]:
    """Where the making fails, remove the file that was made for it."""
    done = False
    try:
        yield
        done = True
    finally:
        if not done:
            private_files.remove(path)


def _check_vacant(store: Store, *files: Path) -> None:
    """Refuse to make a ledger where anything stands already."""
    found = [path.name for path in files if private_files.stands(path)]
    found += [] if store.gone() else [str(store)]
    if found:
        raise BadLedger(
            Fault(
                f"ledger {store}",
                "a place where nothing stands",
                ", ".join(found),
                "Open it with Ledger(place); remove files only where no ledger was ever opened.",
            )
        )


def backup(book: Book, folder: str | Path) -> None:
    """Write what stands in a store to a new SQLite file, and its witness beside it."""
    path = path_of(folder, "folder")
    target = SqliteStore(path / BACKUP)
    _check_vacant(target, path / BACKUP_WITNESS)
    private_files.make_folder(path)
    last, content = book.witness.last(), private_files.read(book.witness.path)
    reading = book.store.read(0)
    check_witness(verified(book.key, reading), last)
    private_files.make(path / BACKUP_WITNESS, content)
    target.make(_whole(book.store, book.key, reading))


def _whole(store: Store, key: Key, reading: Reading, further: tuple[Event, ...] = ()) -> Writing:
    """Return all that was read of a store as one writing, with further events at its end."""
    account = verified(key, reading)
    links = chain(key, account.head.mac, further)
    names = [entry.name for entry in account.entries.values() if entry.output]
    outputs = ((name, store.output(name)) for name in names)
    head = key.sealed(account.extended(links).head)
    return Writing((*reading.events, *links), head, outputs)


def restore(folder: str | Path, at: Places) -> None:
    """Make a ledger from a backup, under the surviving key and beside the surviving witness.

    What the witness saw spent after the backup is booked as lost; names of that time are gone.
    """
    path, store = path_of(folder, "backup"), store_at(at.place)
    _check_vacant(store)
    key = key_of(private_files.read(at.key, secret=True))
    kept = Book(SqliteStore(path / BACKUP), key, Witness(path / BACKUP_WITNESS, key))
    reading = kept.store.read(0)
    account = verified(key, reading)
    check_witness(account, kept.witness.last())
    survivor = Witness(at.witness, key)
    heads = survivor.heads()
    seen = survivor.last()
    if seen.state == MOVED:
        raise BadLedger(
            Fault(
                "witness",
                "the witness of the place where the ledger is in use",
                "one that saw it move away",
                "Give the witness of the place it moved to: debits there must not be forgotten.",
            )
        )
    if seen.seq <= account.head.seq:
        check_witness(account, seen)
    elif any(head.mac != account.macs.get(head.seq, head.mac) for head in heads):
        raise BadLedger(
            Fault(
                "witness",
                "the witness of the ledger that was backed up",
                "one that saw other events",
                "Give the witness that the lost ledger wrote to.",
            )
        )
    further = _lost(account, seen)
    writing = _whole(kept.store, key, reading, further)
    store.make(writing)
    survivor.add(writing.head)


def _lost(account: Account, seen: Head) -> tuple[Event, ...]:
    """Return the event that books what was spent between a backup and its witness's last line."""
    if seen.seq <= account.head.seq:
        return ()
    return (
        Event(
            seen.seq + 1,
            "lost",
            cost=seen.cost - account.head.cost,
            delta=seen.delta - account.head.delta,
            neighbours=seen.neighbours,
            unit=seen.unit,
            output=seen.mac,
            note="names and bytes of this time are not known",
        ),
    )


def move(book: Book, old: Places, at: Places) -> None:
    """Close a book by an event, then copy it to new places, where a further event opens it.

    Closed first: were the copy made first, a crash would leave two ledgers that both spend.
    A move that was cut short is done again with the same place.
    """
    store = store_at(at.place)
    new = [path for path, kept in zip(at[1:], old[1:], strict=True) if path != kept]
    _check_vacant(store, *new)
    note = str(store)

    def close(account: Account) -> Step | None:
        if account.moved == note:
            return None
        account.check_open()
        return Step(Event(account.head.seq + 1, "moved", note=note))

    copies = {at.key: private_files.read(old.key), at.witness: private_files.read(old.witness)}
    with ExitStack() as kept:
        for path in new:
            private_files.make(path, copies[path])
            kept.enter_context(_or_remove(path))
        book.write(close)
        reading = book.store.read(0)
        arrived = Event(reading.head.seq + 1, "arrived")
        writing = _whole(book.store, book.key, reading, (arrived,))
        store.make(writing)
    Witness(at.witness, book.key).add(writing.head)
