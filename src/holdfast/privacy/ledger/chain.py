"""Codes under a secret key: who lacks the key cannot write an event, a head or a witness line.

Claim.      The code of event n covers events 0 to n, in order: mac_n = HMAC(mac_{n-1}, event n).
Reason.     docs/theory/ledger.md#the-chain
Checked by. tests/privacy/ledger/test_hand_edits.py
"""

import hmac
from dataclasses import replace
from typing import NoReturn

from holdfast.foundation.errors import BadLedger, Fault
from holdfast.privacy.ledger.event import Chained, Event, Head, framed

KEY_BYTES = 32
VERSION = b"holdfast ledger 1"


class Key:
    """A key of 32 bytes; it shows nothing of itself."""

    __slots__ = ("__key",)

    def __init__(self, key: bytes) -> None:
        self.__key = key

    def code(self, purpose: str, *parts: bytes) -> str:
        """Return the code of these parts for this purpose; no two purposes share one."""
        message = framed([VERSION, purpose.encode(), *parts])
        return hmac.digest(self.__key, message, "sha256").hex()

    def chained(self, before: str, event: Event) -> Chained:
        """Return an event with its code, after the event of the code `before`."""
        return Chained(event, self.code("event", before.encode(), event.canonical()))

    def sealed(self, head: Head) -> Head:
        """Return a head with its seal."""
        return replace(head, seal=self.code("head", head.canonical()))

    def __repr__(self) -> str:
        return "<ledger key>"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise BadLedger(
            Fault("key", "a key that stays where it is", "an attempt to copy it", "Give its path.")
        )


def same(left: str, right: str) -> bool:
    """Return whether two codes agree, in a time that does not tell where they differ."""
    return hmac.compare_digest(left.encode(), right.encode())


def key_of(text: bytes) -> Key:
    """Return the key that a key file holds."""
    digits = text.removesuffix(b"\n")
    if len(digits) != 2 * KEY_BYTES or set(digits) - set(b"0123456789abcdef"):
        raise BadLedger(
            Fault(
                "key file",
                f"{KEY_BYTES} bytes in hexadecimal",
                "something else",
                "Give the key file that the ledger was made with.",
            )
        )
    return Key(bytes.fromhex(digits.decode()))
