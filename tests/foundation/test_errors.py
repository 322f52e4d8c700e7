"""Errors name what was asked, what was found and what to do, and never a private value."""

import pickle
import traceback

import numpy as np
import polars as pl
import pytest

from holdfast.foundation.errors import BadTable, BadTree, Contradiction, Fault, HoldfastError, shown
from holdfast.foundation.randomness import TapeEnded, seeded
from holdfast.mechanism.plain import Mechanism
from holdfast.worlds.hierarchy import Hierarchy

CANARY = 918273645
NAME = "canary-person"
TREE = Hierarchy.from_frame({"borough": ["A", "A", "B"], "zone": [1, 2, 3]}, ["borough", "zone"])
MECHANISM = Mechanism.calibrate(TREE, "discrete-laplace", epsilon=1)
HUGE = CANARY * 10**18


def frame(zone: object, count: object) -> pl.DataFrame:
    return pl.DataFrame({"borough": ["A", "B"], "zone": [1, zone], "n": [5, count]})


PROVOKED = {
    "a float that is not finite": lambda: TREE.aggregate([CANARY, float("nan"), 1.5]),
    "a number beyond 64 bits": lambda: TREE.aggregate([HUGE, 1, 2]),
    "too many numbers": lambda: TREE.aggregate([CANARY] * 4),
    "a matrix": lambda: TREE.aggregate(np.full((3, 1), CANARY)),
    "a text": lambda: TREE.aggregate([NAME, 1, 2]),
    "an object": lambda: TREE.aggregate(np.array([NAME, 1, CANARY], dtype=object)),
    "a bool": lambda: TREE.aggregate([True, CANARY, 1]),
    "a whole number too large among floats": lambda: TREE.aggregate([CANARY**3, 0.5, 1]),
    "sums beyond 64 bits": lambda: TREE.aggregate([2**62, 2**62, CANARY]),
    "unsigned beyond 64 bits": lambda: TREE.aggregate(np.full(3, 2**63 + CANARY, dtype="u8")),
    "a strange path": lambda: TREE.aggregate_frame(frame(CANARY, 1), "n"),
    "a path twice": lambda: TREE.aggregate_frame(
        pl.DataFrame({"borough": ["A", "A"], "zone": [1, 1], "n": [CANARY, 1]}), "n"
    ),
    "a count that is missing": lambda: TREE.aggregate_frame(frame(3, None), "n"),
    "a table that does not add up": lambda: MECHANISM.draw([CANARY] * 6, seeded(1)),
    "floats for discrete noise": lambda: MECHANISM.draw([CANARY + 0.5] * 6, seeded(1)),
    "a table of another tree": lambda: MECHANISM.draw([CANARY] * 7, seeded(1)),
    "a vector of another length": lambda: TREE.sums().holds([CANARY] * 5),
}


@pytest.mark.parametrize("provoke", PROVOKED.values(), ids=PROVOKED.keys())
def test_no_error_about_data_shows_a_value(provoke):
    """The whole traceback text is searched, causes and contexts included."""
    with pytest.raises(HoldfastError) as caught:
        provoke()
    error = caught.value
    texts = [str(error), repr(error), *(str(fault) for fault in error.faults)]
    chain = "".join(
        str(e) for e in (error.__cause__, error.__context__) if not error.__suppress_context__
    )
    assert not any(str(CANARY) in text or NAME in text for text in [*texts, chain])
    assert all(fault.asked and fault.found and fault.remedy for fault in error.faults)


def test_the_test_barks():
    """An error that quotes the value is caught."""

    def leaks() -> None:
        raise BadTable(Fault("table", "numbers", str(CANARY), "..."))

    with pytest.raises(AssertionError):
        test_no_error_about_data_shows_a_value(leaks)


def test_all_faults_are_told_at_once():
    faults = [Fault(f"f{number}", "a", "b", "c") for number in range(20)]
    text = str(BadTree(*faults))
    assert text.startswith("20 faults")
    assert "... and 8 more" in text
    assert len(BadTree(*faults).faults) == 20


def test_what_is_shown_is_short_and_printable():
    assert len(shown("x" * 10**6)) == 80
    assert shown("a\nb\ud800") == r"'a\nb\ud800'"
    assert shown(10**5000) == "a number of thousands of digits"
    assert "CANARY" not in shown({"CANARY": 1})


def test_an_error_survives_a_traceback_module():
    text = "".join(traceback.format_exception(BadTree(Fault("a", "b", "c", "d"))))
    assert "a: asked for b; found c. d" in text


def test_errors_travel_between_processes():
    """Pickled by a pool or a test runner, an error arrives whole."""
    for error in (
        BadTree(Fault("a", "b", "c", "d"), Fault("e", "f", "g", "h")),
        Contradiction(("sums", "total = 5"), smallest=True),
        TapeEnded(6),
    ):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert vars(again) == vars(error)
