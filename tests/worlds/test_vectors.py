"""Vectors: whole numbers come through unchanged, or the vector is refused."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from holdfast.foundation.errors import BadTable
from holdfast.worlds.vectors import check_room, vector_of

EXTREMES = [0, -1, 2**31, 2**53 + 1, 2**63 - 1, -(2**63)]


@pytest.mark.parametrize("make", [list, tuple, np.array, pl.Series, pd.Series])
def test_whole_numbers_come_through_unchanged(make):
    vector = vector_of(make(EXTREMES), len(EXTREMES), "v")
    assert vector.dtype == np.int64
    assert vector.tolist() == EXTREMES


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "u1", "u2", "u4", "u8", "O"])
def test_every_whole_number_type(dtype):
    assert vector_of(np.array([1, 2], dtype=dtype), 2, "v").tolist() == [1, 2]


def test_floats_stay_floats():
    assert vector_of([1.5, 2], 2, "v").tolist() == [1.5, 2.0]
    assert vector_of(np.array([1.5], dtype="f4"), 1, "v").dtype == np.float64


REFUSED = {
    "not a number": [1.0, float("nan")],
    "infinity": [1.0, float("inf")],
    "2**63": [2**63, 1],
    "2**63 beside a negative": [2**63, -1],
    "2**64": [2**64, 1],
    "4301 digits": [10**4301, 1],
    "unsigned": np.array([2**63, 1], dtype=np.uint64),
    "bools": [True, False],
    "a NumPy bool array": np.array([True, False]),
    "one bool": [1, True],
    "text": ["1", "2"],
    "a text array": np.array(["1", "2"]),
    "None": [1, None],
    "complex": np.array([1j, 2]),
    "dates": np.array(["2020", "2021"], dtype="M8[Y]"),
    "a long double": np.array([1, 2], dtype=np.longdouble),
    "2**53 + 1 among floats": [2**53 + 1, 0.5],
    "too short": [1],
    "too long": [1, 2, 3],
    "a matrix": [[1, 2]],
    "a number": 3,
    "nothing": None,
    "objects": np.array([object(), 1], dtype=object),
    "a mapping": {1: 5, 2: 6},
    "a set": {1, 2},
    "bytes": b"ab",
    "a string": "12",
    "a dataframe": pd.DataFrame([[1, 2]]),
    "a masked array": np.ma.array([1, 2], mask=[False, True]),
    "a long negative among floats": [np.int64(-(2**63)), 2.5],
    "an object matrix": np.array([[1, 2]], dtype=object),
}


@pytest.mark.parametrize("values", REFUSED.values(), ids=REFUSED.keys())
def test_bad_vectors_are_refused(values):
    with pytest.raises(BadTable, match="v: asked for"):
        vector_of(values, 2, "v")


def test_numpys_own_way_would_change_a_number():
    """Why lists are read one by one: NumPy turns these into floats without a word."""
    with np.errstate(all="ignore"):
        assert np.array([2**63, -1]).dtype != np.int64


def test_the_vector_is_a_copy():
    mine = np.array([1, 2])
    vector_of(mine, 2, "v")[0] = 9
    assert mine[0] == 1


def test_sums_beyond_64_bits_are_refused():
    for numbers in ([2**62, 2**62, 1], [1e308, 1e308]):
        with pytest.raises(BadTable, match="sums leave 64 bits"):
            check_room(np.array(numbers), "v")
    check_room(np.array([2**62, 1, -1]), "v")
