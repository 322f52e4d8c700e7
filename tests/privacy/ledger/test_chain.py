"""Codes cover every field of every event, and its place."""

import hashlib
import hmac
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.foundation.errors import BadLedger
from holdfast.privacy.ledger.chain import Key, key_of
from holdfast.privacy.ledger.event import Event, Head, framed
from holdfast.privacy.ledger.private_files import fresh_key

KEY = Key(bytes(32))
EVENT = Event(3, "spent", "n", "r", 5, 7, "add-remove", "row", "o", "t")
HEAD = Head(3, "m", 5, 7, "add-remove", "row")


def changed(value):
    return value + 1 if isinstance(value, int) else value + "x"


def uncovered(kind, code):
    """Return the fields whose change leaves the code as it is."""
    return [
        field.name
        for field in fields(kind)
        if field.name != "seal"
        and code(replace(kind, **{field.name: changed(getattr(kind, field.name))})) == code(kind)
    ]


def test_every_field_is_covered():
    assert uncovered(EVENT, lambda event: KEY.chained("", event).mac) == []
    assert uncovered(HEAD, lambda head: KEY.sealed(head).seal) == []


def test_the_coverage_test_barks():
    assert uncovered(EVENT, lambda event: KEY.chained("", replace(event, cost=0)).mac) == ["cost"]


def test_the_event_before_is_covered():
    assert KEY.chained("a", EVENT).mac != KEY.chained("b", EVENT).mac


def test_no_two_purposes_share_a_code():
    assert KEY.code("event", b"x") != KEY.code("head", b"x")
    assert KEY.code("event", b"x") != KEY.code("event", b"", b"x")


def test_the_code_is_hmac_sha_256():
    """Anyone can check a chain with the standard library and this line."""
    message = framed([b"holdfast ledger 1", b"event", b"before", EVENT.canonical()])
    found = hmac.new(bytes(32), message, hashlib.sha256).hexdigest()
    assert KEY.chained("before", EVENT).mac == found


def test_the_form_does_not_change_between_versions():
    """A ledger written today must open tomorrow."""
    assert hashlib.sha256(EVENT.canonical()).hexdigest() == (
        "f5616b2cbbf63f40058fe39b9c7b76957709870b9c5a74520edba66fea2da729"
    )


@given(st.lists(st.binary(max_size=4), max_size=4), st.lists(st.binary(max_size=4), max_size=4))
def test_framing_is_unambiguous(left, right):
    assert (framed(left) == framed(right)) == (left == right)


@pytest.mark.parametrize(
    "text", [b"", b"0" * 63, b"0" * 65, b"g" * 64, b"A" * 64, b"0" * 64 + b"\n\n", b"\xff" * 64]
)
def test_what_is_no_key_is_refused(text):
    with pytest.raises(BadLedger, match="hexadecimal"):
        key_of(text)


def test_two_keys_differ():
    """They agree by chance with probability 2**-256."""
    assert fresh_key() != fresh_key()
    key_of(fresh_key())
