"""A debit: what pays for a name, once."""

from holdfast.foundation.errors import BadParameter, Burnt, Fault
from holdfast.privacy.ledger.account import Account, Entry
from holdfast.privacy.ledger.book import Step
from holdfast.privacy.ledger.cost import Cost
from holdfast.privacy.ledger.event import Event


def debit(account: Account, kind: str, name: str, asked: Cost, request: str = "") -> Step:
    """Return the debit that pays for a name, or refuse it."""
    cost = account.settled(asked)
    account.admit(cost)
    return Step(
        Event(
            account.head.seq + 1,
            kind,
            name,
            request,
            cost.cost,
            cost.delta,
            cost.neighbours,
            cost.unit,
        )
    )


def check_again(account: Account, entry: Entry, asked: Cost, request: str) -> None:
    """Refuse a name that was booked for something else, or whose draw was lost."""
    cost = account.settled(asked)
    before = (entry.request, entry.cost, entry.neighbours, entry.unit)
    now = (request, account.terms.amount(cost.cost, cost.delta), cost.neighbours, cost.unit)
    if entry.state == "spent" or before != now:
        raise taken(entry.name, "the request and the cost that this name was booked with")
    if entry.state == "reserved":
        raise Burnt(
            Fault(
                f"release {entry.name!r}",
                "bytes that were drawn and sealed",
                "a debit without them: a crash, an error in the draw, or a draw under way",
                "Where another process draws it now, ask again later; else take another name.",
            )
        )


def taken(name: str, asked: str) -> BadParameter:
    """Return the refusal of a name that stands in the ledger already."""
    return BadParameter(
        Fault(f"name {name!r}", asked, "a name that is taken", "Take another name.")
    )
