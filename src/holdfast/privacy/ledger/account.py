"""An account: what a chain of events adds up to.

Claim.      Spent totals and states are folds of the events; nothing else is ever believed.
Reason.     docs/theory/ledger.md#the-chain
Checked by. tests/privacy/ledger/test_hand_edits.py
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from holdfast.foundation.errors import BadLedger, BadParameter, Fault, OverBudget
from holdfast.privacy.ledger.amount import Amount, Currency, Terms
from holdfast.privacy.ledger.cost import Cost
from holdfast.privacy.ledger.event import MOVED, OPEN, Chained, Event, Head

USUAL_RELATION = ("add-remove", "row")
CURRENCIES: dict[str, Currency] = {"epsilon": "epsilon", "rho": "rho"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One debit: its name, its cost, and how far its release came.

    The state is "spent" (booked without bytes), "reserved" (paid, not drawn yet or burnt),
    "sealed" (its bytes are kept), "published", or "lost" (booked when a backup was restored).
    """

    name: str
    state: str
    cost: Amount
    neighbours: str
    unit: str
    request: str = field(repr=False)
    output: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Account:
    """Terms, totals and entries after some event."""

    terms: Terms
    head: Head
    entries: dict[str, Entry]
    macs: dict[int, str]  # of every event, and of those that a lost event stands for
    events: int = 1
    moved: str = ""

    @property
    def spent(self) -> Amount:
        """Return what is spent."""
        return self.terms.amount(self.head.cost, self.head.delta)

    @property
    def left(self) -> Amount:
        """Return what is left; a restored ledger may have spent more than its total."""
        terms, head = self.terms, self.head
        return terms.amount(max(0, terms.total - head.cost), max(0, terms.delta - head.delta))

    @property
    def total(self) -> Amount:
        """Return what may be spent in all."""
        return self.terms.amount(self.terms.total, self.terms.delta)

    def extended(self, chained: Iterable[Chained]) -> "Account":
        """Return the account after further events, whose codes are verified already."""
        account = replace(self, entries=dict(self.entries), macs=dict(self.macs))
        for link in chained:
            account = _after(account, link)
        return account

    def settled(self, cost: Cost) -> Cost:
        """Return the cost with its relation and unit, or refuse those that are not the ledger's."""
        settled = []
        for word, usual in zip(("neighbours", "unit"), USUAL_RELATION, strict=True):
            carried, asked = getattr(self.head, word), getattr(cost, word)
            if carried and asked and carried != asked:
                raise BadParameter(
                    Fault(
                        word,
                        f'"{carried}", which this ledger carries',
                        f'"{asked}"',
                        "Use a ledger of its own: costs of two kinds do not add up.",
                    )
                )
            settled.append(asked or carried or usual)
        return Cost(cost.cost, cost.delta, *settled)

    def check_open(self) -> None:
        """Refuse any change of a ledger that moved."""
        if self.moved:
            raise BadLedger(
                Fault(
                    "ledger",
                    "one that is in use",
                    f"one that moved to {self.moved}",
                    "Open it there.",
                )
            )

    def admit(self, cost: Cost) -> None:
        """Refuse a cost that is more than what is left, and any cost where the ledger moved."""
        self.check_open()
        head, terms = self.head, self.terms
        if head.cost + cost.cost <= terms.total and head.delta + cost.delta <= terms.delta:
            return
        raise OverBudget(
            Fault(
                "budget",
                str(terms.amount(cost.cost, cost.delta)),
                f"left: {self.left}; spent: {self.spent}; total: {self.total}",
                "Ask for less: what is spent does not come back.",
            )
        )


def opened(genesis: Chained) -> Account:
    """Return the account of a ledger that has spent nothing."""
    event = genesis.event
    currency = CURRENCIES.get(event.note)
    if event.kind != "genesis" or event.seq or currency is None:
        raise _broken("no genesis at its start")
    head = Head(0, genesis.mac, 0, 0, event.neighbours, event.unit)
    return Account(Terms(currency, event.cost, event.delta), head, {}, {0: genesis.mac})


def _after(account: Account, link: Chained) -> Account:
    """Return the account after one more event."""
    event, head = link.event, account.head
    follows = event.seq == head.seq + 1 or (event.kind == "lost" and event.seq > head.seq)
    closed = bool(account.moved) != (event.kind == "arrived")
    if not follows or closed:
        raise _broken("an event that cannot follow the one before it")
    account.macs[event.seq] = link.mac
    _enter(account, event)
    return replace(
        account,
        events=account.events + 1,
        moved=event.note if event.kind == "moved" else "",
        head=Head(
            event.seq,
            link.mac,
            head.cost + event.cost,
            head.delta + event.delta,
            head.neighbours or event.neighbours,
            head.unit or event.unit,
            MOVED if event.kind == "moved" else OPEN,
        ),
    )


def _enter(account: Account, event: Event) -> None:
    """Enter one event in the entries of an account that is being made."""
    entries = account.entries
    match event.kind:
        case "spent" | "reserved" if event.name not in entries:
            entries[event.name] = _entry(account, event, event.name)
        case "lost":
            entries[f"(lost {event.seq})"] = _entry(account, event, f"(lost {event.seq})")
            account.macs[event.seq - 1] = event.output
        case "sealed" if event.name in entries and entries[event.name].state == "reserved":
            sealed = replace(entries[event.name], state="sealed", output=event.output)
            entries[event.name] = sealed
        case "published" if event.name in entries and entries[event.name].state == "sealed":
            entries[event.name] = replace(entries[event.name], state="published")
        case "moved" | "arrived":
            pass
        case _:
            raise _broken(f"a {event.kind!r} event that cannot stand where it does")


def _entry(account: Account, event: Event, name: str) -> Entry:
    cost = account.terms.amount(event.cost, event.delta)
    return Entry(name, event.kind, cost, event.neighbours, event.unit, event.request)


def _broken(found: str) -> BadLedger:
    return BadLedger(Fault("ledger", "a chain of events", found, "Restore a backup."))
