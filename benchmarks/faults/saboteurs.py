"""Ledgers that are broken on purpose; each must be caught by the fault named with it."""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.faults import crowds, edits, flips, kills, rollbacks
from benchmarks.faults.site import Site
from benchmarks.faults.tally import Tally, replaced
from holdfast.foundation.errors import Burnt, HoldfastError
from holdfast.privacy.ledger import book, custody, private_files
from holdfast.privacy.ledger.account import Account, opened
from holdfast.privacy.ledger.event import Event, framed, values
from holdfast.privacy.ledger.ledger import Ledger
from holdfast.privacy.ledger.sqlite_store import ADD_EVENT, SET_HEAD, SqliteStore


def _stale_change(store: SqliteStore, start: int, decide: Any) -> None:
    """Read first and write later, as a SELECT and an UPDATE without a lock do."""
    writing = decide(store.read(start))
    if writing is None:
        return
    time.sleep(0.002)  # another writer comes between, on any machine
    with store._connection() as connection:
        for link in writing.events:
            statement = ADD_EVENT.replace("INSERT", "INSERT OR REPLACE")
            connection.execute(statement, (*values(link.event), link.mac))
        connection.execute(SET_HEAD, values(writing.head))


@contextmanager
def without_a_lock() -> Iterator[None]:
    """Check the budget in one transaction, book in another."""
    with ExitStack() as stack:
        stack.enter_context(replaced(SqliteStore, "change", _stale_change))
        stack.enter_context(replaced(fcntl, "flock", lambda number, how: None))
        stack.enter_context(replaced(book, "check_witness", lambda account, seen: None))
        stack.enter_context(replaced(book, "verified", _unverified))
        yield


def _unverified(key: Any, reading: Any, known: Any = None) -> Any:
    """Return the account that the head row claims, with the entries as they stand."""
    account = opened(reading.events[0]) if known is None else known
    with suppress(HoldfastError):
        account = account.extended(reading.events[1:])
    return replace(account, head=replace(reading.head, seal=""))


def believing_the_head() -> AbstractContextManager[None]:
    """Take what is spent from the head row, which no code covers."""
    return replaced(book, "verified", _unverified)


def without_costs_in_the_code() -> AbstractContextManager[None]:
    """Leave costs out of what an event's code covers, and the head unchecked."""

    def canonical(event: Event) -> bytes:
        return framed(str(field).encode() for field in values(replace(event, cost=0)))

    return replaced(Event, "canonical", canonical)


@contextmanager
def without_a_witness() -> Iterator[None]:
    """Never compare the ledger with its witness."""
    with replaced(book, "check_witness", lambda account, seen: None):
        yield


def without_digests() -> AbstractContextManager[None]:
    """Hand out sealed bytes unchecked."""
    return replaced(Ledger, "_sealed", lambda ledger, name: ledger._book.store.output(name))


def drawing_first() -> AbstractContextManager[None]:
    """Draw before the debit."""
    kept = Ledger.release

    def release(ledger: Any, name: Any, request: Any, paper: Any, draw: Any, publish: Any) -> bytes:
        if all(entry.name != name for entry in ledger.entries):
            output = draw()
            return kept(ledger, name, request, paper, lambda: output, publish)
        return kept(ledger, name, request, paper, draw, publish)

    return replaced(Ledger, "release", release)


def drawing_again() -> AbstractContextManager[None]:
    """Draw a burnt name once more for its old debit."""
    kept = Ledger.release

    def release(ledger: Any, name: Any, request: Any, paper: Any, draw: Any, publish: Any) -> bytes:
        try:
            return kept(ledger, name, request, paper, draw, publish)
        except Burnt:
            ledger._seal(name, draw)
            return kept(ledger, name, request, paper, draw, publish)

    return replaced(Ledger, "release", release)


def publishing_before_sealing() -> AbstractContextManager[None]:
    """Let the bytes out before they are kept."""
    kept = Ledger.release

    def release(ledger: Any, name: Any, request: Any, paper: Any, draw: Any, publish: Any) -> bytes:
        def out() -> bytes:
            output: bytes = draw()
            publish(output)
            return output

        return kept(ledger, name, request, paper, out, publish)

    return replaced(Ledger, "release", release)


def keeping_half_lines() -> AbstractContextManager[None]:
    """Add a witness line after whatever an earlier crash left."""

    def end(file: Any) -> int:
        return os.fstat(file._number).st_size

    return replaced(private_files.Held, "_end_of_lines", end)


def restoring_without_the_loss() -> AbstractContextManager[None]:
    """Forget what was spent after the backup."""
    kept = custody._lost

    def lost(account: Any, seen: Any) -> Any:
        return tuple(replace(event, cost=0) for event in kept(account, seen))

    return replaced(custody, "_lost", lost)


@contextmanager
def moving_without_closing() -> Iterator[None]:
    """Copy a ledger and close the copy alone, so that the old one goes on."""
    kept_write, kept_whole = book.Book.write, custody._whole

    def write(it: Any, choose: Any) -> Any:
        def but_moved(account: Any) -> Any:
            step = choose(account)
            return None if step and step.event.kind == "moved" else step

        return kept_write(it, but_moved)

    def whole(store: Any, key: Any, reading: Any, further: Any = ()) -> Any:
        number = reading.head.seq + 1
        both = (Event(number, "moved", note="there"), Event(number + 1, "arrived"))
        return kept_whole(store, key, reading, both)

    with replaced(book.Book, "write", write), replaced(custody, "_whole", whole):
        yield


def with_a_wide_budget() -> AbstractContextManager[None]:
    """Grant one unit more than the total."""
    kept = Account.admit

    def admit(account: Any, cost: Any) -> None:
        kept(account, replace(cost, cost=cost.cost - 10**12))

    return replaced(Account, "admit", admit)


Sabotage = Callable[[], AbstractContextManager[None]]
SABOTEURS: dict[Sabotage, Callable[[Path], Tally]] = {
    without_a_lock: lambda folder: crowds.budget_held(Site(folder), 8, 50, 200),
    with_a_wide_budget: lambda folder: crowds.budget_held(Site(folder), 4, 10, 20),
    believing_the_head: edits.edited,
    without_costs_in_the_code: edits.edited,
    without_a_witness: rollbacks.rolled_back,
    without_digests: lambda folder: flips.flipped(folder, 100, log=False),
    drawing_first: lambda folder: kills.at_each_step(Site(folder), 1),
    drawing_again: lambda folder: kills.at_each_step(Site(folder), 1),
    publishing_before_sealing: lambda folder: kills.at_each_step(Site(folder), 1),
    keeping_half_lines: lambda folder: kills.at_each_step(Site(folder), 1),
    restoring_without_the_loss: lambda folder: kills.while_restoring(folder, 1),
    moving_without_closing: lambda folder: kills.while_moving(folder, 1),
}


def caught(sabotage: Sabotage, folder: Path) -> Tally:
    """Run the fault that must catch a broken ledger; it passes where the ledger fails."""
    tally = Tally(f"saboteur {sabotage.__name__.replace('_', ' ')}")
    with sabotage():
        found = SABOTEURS[sabotage](folder)
    tally.count([] if found.failures else ["not caught"], f"caught by: {found.name.strip()}")
    return tally
