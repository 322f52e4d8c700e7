"""The envelope shows nothing of what it holds."""

import copy
import json
import pickle
import traceback

import pytest

from holdfast.foundation.confidential import Confidential
from holdfast.foundation.errors import Sealed

CANARY = 987654321
ATTEMPTS = {
    "print": str,
    "format": lambda c: f"{c}",
    "percent": lambda c: "%s" % c,  # noqa: UP031
    "compare": lambda c: c == [CANARY],
    "compare unequal": lambda c: c != [CANARY],
    "hash": hash,
    "truth": bool,
    "length": len,
    "iterate": list,
    "membership": lambda c: CANARY in c,
    "index": lambda c: c[0],
    "pickle": pickle.dumps,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "json": json.dumps,
    "vars": vars,
    "state": lambda c: c.__getstate__(),
    "change": lambda c: setattr(c, "_Confidential__content", 0),
    "int": int,
    "float": float,
}


@pytest.fixture
def sealed() -> Confidential[list[int]]:
    return Confidential([CANARY], "table, 1 cell")


@pytest.mark.parametrize("attempt", ATTEMPTS.values(), ids=ATTEMPTS.keys())
def test_every_attempt_is_refused_without_the_value(attempt, sealed):
    with pytest.raises((Sealed, TypeError)) as caught:
        attempt(sealed)
    assert str(CANARY) not in "".join(traceback.format_exception(caught.value))


def test_the_repr_is_the_public_description(sealed):
    assert repr(sealed) == "<confidential table, 1 cell>"
    assert repr([sealed]) == "[<confidential table, 1 cell>]"


def test_a_mechanism_can_open_it(sealed):
    assert sealed.open_inside_a_mechanism() == [CANARY]


class Transparent(Confidential[list[int]]):
    """A saboteur: its text is its content."""

    __slots__ = ()

    def __str__(self) -> str:  # type: ignore[override]
        return str(self.open_inside_a_mechanism())


def test_the_test_barks():
    with pytest.raises(pytest.fail.Exception):
        test_every_attempt_is_refused_without_the_value(str, Transparent([CANARY], "table"))


def test_it_can_be_made_with_its_type_named():
    assert Confidential[int](CANARY, "number").open_inside_a_mechanism() == CANARY
