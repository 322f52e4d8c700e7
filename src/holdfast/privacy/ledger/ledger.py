"""The ledger of one data set: what has been spent on it, and the bytes that were released.

Claim.      No more is ever spent than the total; no name is drawn twice; a debit is on disk and
            witnessed before its draw begins, and is never taken back.
Reason.     docs/theory/ledger.md
Checked by. tests/privacy/ledger/test_crashes.py
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Unpack

from holdfast.foundation.errors import BadParameter, Fault, HoldfastError, shown
from holdfast.noise.budget import BudgetWords
from holdfast.noise.sensitivity import neighbours_of
from holdfast.privacy.ledger import custody
from holdfast.privacy.ledger.account import Account, Entry
from holdfast.privacy.ledger.amount import Amount, terms_of
from holdfast.privacy.ledger.book import Step
from holdfast.privacy.ledger.chain import same
from holdfast.privacy.ledger.cost import certified, unit_of, worded
from holdfast.privacy.ledger.debit import check_again, debit, taken
from holdfast.privacy.ledger.event import Event
from holdfast.privacy.ledger.store import damaged

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
Place = str | Path


class Ledger:
    """What has been spent on one data set, on disk; opening it checks every event.

    `place` is a path (SQLite) or a postgresql:// address. The key and the witness stand beside
    the file, as `place.key` and `place.witness`, unless given.
    """

    __slots__ = ("_book", "_places")

    def __init__(
        self, place: Place, key: Place | None = None, witness: Place | None = None
    ) -> None:
        self._places = custody.places(place, key, witness)
        self._book = custody.book_at(self._places)
        self._book.read()

    @classmethod
    def create(
        cls,
        place: Place,
        *,
        neighbours: object = None,
        unit: object = None,
        key: Place | None = None,
        witness: Place | None = None,
        **budget: Unpack[BudgetWords],
    ) -> "Ledger":
        """Make a ledger with this budget: epsilon or rho, and delta (10^-12 where left out).

        The relation and the unit are those of the first debit where they are left out.
        """
        terms = terms_of(budget)
        genesis = Event(
            0,
            "genesis",
            cost=terms.total,
            delta=terms.delta,
            neighbours="" if neighbours is None else str(neighbours_of(neighbours)),
            unit="" if unit is None else unit_of(unit),
            note=terms.currency,
        )
        places = custody.places(place, key, witness)
        custody.make(places, genesis)
        return cls(*places)

    def spend(self, name: str, *, certificate: object = None, **cost: Unpack[BudgetWords]) -> Entry:
        """Book a cost without bytes; a name is booked once, for there is nothing to give again."""
        check_name(name)
        if certificate is not None and cost:
            raise BadParameter(
                Fault("cost", "a certificate or a cost", "both", "Leave one of them out.")
            )
        account = self._book.read()
        currency = account.terms.currency
        asked = certified(certificate, currency) if certificate is not None else None
        asked = asked or worded(cost, currency)

        def choose(account: Account) -> Step:
            if name in account.entries:
                raise taken(name, "a name that was not booked before")
            return debit(account, "spent", name, asked)

        choose(account)
        self._book.write(choose)
        return self._entry(name)

    def release(
        self,
        name: str,
        request: bytes | str,
        certificate: object,
        draw: Callable[[], bytes],
        publish: Callable[[bytes], object] | None = None,
    ) -> bytes:
        """Return the bytes of this name: paid for first, drawn once, and the same ever after.

        `publish` is called with the bytes, again on each call until it has returned once.
        """
        check_name(name)
        account = self._book.read()
        asked = certified(certificate, account.terms.currency)
        digest = self._digest("request", _as_bytes(request))

        def choose(account: Account) -> Step | None:
            entry = account.entries.get(name)
            if entry is None:
                return debit(account, "reserved", name, asked, digest)
            check_again(account, entry, asked, digest)
            return None

        if choose(account) is not None and self._book.write(choose):
            self._seal(name, draw)
        output = self._sealed(name)
        if publish is not None and self._entry(name).state == "sealed":
            publish(output)
            self._mark_published(name)
        return output

    def _seal(self, name: str, draw: Callable[[], bytes]) -> None:
        """Draw, and keep the bytes before anyone sees them."""
        output = draw()
        if type(output) is not bytes:
            found = f"a {type(output).__name__}; the name is burnt"
            raise BadParameter(Fault("draw", "bytes", found, "Turn the table into bytes."))
        digest = self._digest("output", output)

        def choose(account: Account) -> Step:
            account.check_open()
            sealed = Event(account.head.seq + 1, "sealed", name, output=digest)
            return Step(sealed, ((name, output),))

        self._book.write(choose)

    def _sealed(self, name: str) -> bytes:
        """Return the bytes that were sealed, where their digest stands in the chain."""
        entry, output = self._entry(name), self._book.store.output(name)
        if not same(self._digest("output", output), entry.output):
            raise damaged("sealed bytes that are not those in the chain")
        return output

    def _mark_published(self, name: str) -> None:
        def choose(account: Account) -> Step | None:
            if account.entries[name].state == "published":
                return None
            account.check_open()
            return Step(Event(account.head.seq + 1, "published", name))

        self._book.write(choose)

    def _digest(self, purpose: str, content: bytes) -> str:
        """Return a keyed digest: without the key it confirms no guess."""
        return self._book.key.code(purpose, content)

    def _entry(self, name: str) -> Entry:
        return self._book.read().entries[name]

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Return every debit, in the order in which they were booked."""
        return tuple(self._book.read().entries.values())

    @property
    def total(self) -> Amount:
        """Return what may be spent in all."""
        return self._book.read().total

    @property
    def spent(self) -> Amount:
        """Return what is spent."""
        return self._book.read().spent

    @property
    def left(self) -> Amount:
        """Return what is left."""
        return self._book.read().left

    @property
    def neighbours(self) -> str | None:
        """Return the relation that the ledger carries, or None before the first debit."""
        return self._book.read().head.neighbours or None

    @property
    def unit(self) -> str | None:
        """Return the unit that the ledger carries, or None before the first debit."""
        return self._book.read().head.unit or None

    def verify(self) -> None:
        """Check everything again: each event, the head, the witness, the pages, all bytes."""
        account = self._book.read_afresh()
        self._book.witness.heads()
        self._book.store.check()
        for entry in account.entries.values():
            if entry.output:
                self._sealed(entry.name)

    def backup(self, folder: Place) -> None:
        """Write a verified copy, and the witness as it stands, to a new folder; not the key."""
        self.verify()
        custody.backup(self._book, folder)

    @classmethod
    def restore(
        cls,
        backup: Place,
        place: Place,
        *,
        key: Place | None = None,
        witness: Place | None = None,
    ) -> "Ledger":
        """Bring a backup back, and book as lost what the surviving witness saw spent since."""
        places = custody.places(place, key, witness)
        custody.restore(backup, places)
        return cls(*places)

    def move(
        self, place: Place, *, key: Place | None = None, witness: Place | None = None
    ) -> "Ledger":
        """Close this ledger for good and return it as it goes on at the new place."""
        self.verify()
        old = self._places
        if custody.is_address(place):
            key, witness = key or old.key, witness or old.witness
        places = custody.places(place, key, witness)
        custody.move(self._book, old, places)
        return Ledger(*places)

    def __repr__(self) -> str:
        try:
            account = self._book.read()
        except HoldfastError as error:
            return f"<ledger {self._book.store} that cannot be used: {error.faults[0].found}>"
        words = [account.head.neighbours, account.head.unit]
        kind = ", ".join(word for word in words if word) or "relation and unit of the first debit"
        kind += f"; moved to {account.moved}" if account.moved else ""
        return (
            f"<ledger {self._book.store}: spent {account.spent}; left {account.left}; "
            f"total {account.total}; {kind}; {len(account.entries)} entries>"
        )

    def __reduce__(self) -> tuple[object, ...]:
        """Have a pickle carry the places alone; it opens the ledger again."""
        return Ledger, tuple(self._places)


def check_name(name: object) -> None:
    """Refuse what is no name of a release."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        asked = "at most 64 letters, digits, dots, hyphens and underscores, a letter or digit first"
        raise BadParameter(Fault("name", asked, shown(name), 'Write for example "trips-2022".'))


def _as_bytes(request: object) -> bytes:
    if isinstance(request, str):
        return request.encode("utf-8", "surrogatepass")
    if type(request) is not bytes:
        found = f"a {type(request).__name__}"
        raise BadParameter(Fault("request", "bytes or text", found, "Write the plan as bytes."))
    return request
