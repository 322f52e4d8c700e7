"""An account is the fold of its events; a chain that tells no possible history is refused.

Only the key holder could write such a chain: these are slips of ours, not attacks.
"""

import pytest

from holdfast.foundation.errors import BadLedger
from holdfast.privacy.ledger.account import opened
from holdfast.privacy.ledger.book import chain, verified
from holdfast.privacy.ledger.chain import Key
from holdfast.privacy.ledger.cost import Cost
from holdfast.privacy.ledger.event import Event, Head
from holdfast.privacy.ledger.store import Reading

KEY = Key(bytes(32))
GENESIS = Event(0, "genesis", cost=10, delta=5, note="epsilon")


def folded(*events):
    first, *rest = chain(KEY, "", [GENESIS, *events])
    return opened(first).extended(rest)


def test_events_add_up():
    account = folded(
        Event(1, "spent", "a", cost=2, delta=1, neighbours="add-remove", unit="row"),
        Event(2, "reserved", "b", cost=3),
        Event(3, "sealed", "b", output="o"),
        Event(4, "published", "b"),
        Event(7, "lost", cost=1, delta=2, output="seen"),
    )
    head = account.head
    assert (head.seq, head.cost, head.delta, head.neighbours) == (7, 6, 3, "add-remove")
    assert [entry.state for entry in account.entries.values()] == ["spent", "published", "lost"]
    assert account.macs[6] == "seen"
    account.admit(Cost(4, 2))


IMPOSSIBLE = {
    "a gap": [Event(2, "spent", "a", cost=1)],
    "a repetition": [Event(0, "spent", "a", cost=1)],
    "a name twice": [Event(1, "spent", "a"), Event(2, "spent", "a")],
    "a name reserved twice": [Event(1, "reserved", "a"), Event(2, "reserved", "a")],
    "sealed before it is paid": [Event(1, "sealed", "a")],
    "sealed twice": [
        Event(1, "reserved", "a"),
        Event(2, "sealed", "a"),
        Event(3, "sealed", "a"),
    ],
    "published before it is sealed": [Event(1, "reserved", "a"), Event(2, "published", "a")],
    "sealed without bytes to seal": [Event(1, "spent", "a"), Event(2, "sealed", "a")],
    "a debit after a move": [Event(1, "moved", note="there"), Event(2, "spent", "a")],
    "an arrival without a move": [Event(1, "arrived")],
    "a second genesis": [Event(1, "genesis", cost=10, note="epsilon")],
    "an unknown kind": [Event(1, "refund", "a", cost=-1)],
    "a loss that goes back": [Event(1, "spent", "a"), Event(1, "lost", cost=1)],
}


@pytest.mark.parametrize("events", IMPOSSIBLE.values(), ids=IMPOSSIBLE.keys())
def test_an_impossible_history_is_refused(events):
    with pytest.raises(BadLedger):
        folded(*events)


@pytest.mark.parametrize(
    "event", [Event(0, "spent", "a"), Event(1, "genesis"), Event(0, "genesis", note="delta")]
)
def test_what_is_no_genesis_is_refused(event):
    with pytest.raises(BadLedger, match="genesis"):
        opened(KEY.chained("", event))


def test_a_reading_that_does_not_fit_is_refused():
    links = tuple(chain(KEY, "", [GENESIS, Event(1, "spent", "a", cost=2)]))
    head = KEY.sealed(opened(links[0]).extended(links[1:]).head)
    assert verified(KEY, Reading(head, links, 2)).head.cost == 2
    other = KEY.sealed(Head(1, links[1].mac, 1, 0, "", ""))
    for reading in (
        Reading(head, links, 3),
        Reading(head, links[:1], 1),
        Reading(head, links[1:], 1),
        Reading(head, (), 0),
        Reading(other, links, 2),
    ):
        with pytest.raises(BadLedger):
            verified(KEY, reading)
    with pytest.raises(BadLedger, match="key"):
        verified(Key(bytes(31) + b"\1"), Reading(head, links, 2))
