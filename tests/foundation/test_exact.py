"""Numbers a person may write: exact, or refused at once."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.foundation.errors import BadParameter
from holdfast.foundation.exact import between, exact, positive, whole

REFUSED = {
    "not a number": float("nan"),
    "infinity": float("inf"),
    "minus infinity": float("-inf"),
    "infinity in words": "inf",
    "not a number in words": "nan",
    "an exponent": "1e99999999",
    "a short exponent": "1e3",
    "underscores": "1_000",
    "full-width digits": "１２",
    "hexadecimal": "0x10",
    "True": True,
    "False": False,
    "a NumPy bool": np.True_,
    "nothing": None,
    "an empty string": "",
    "a blank": " 1",
    "a line end": "1\n",
    "bytes": b"1",
    "a complex number": 1j,
    "a list": [1],
    "4301 digits": "9" * 4301,
    "4301 digits as a whole number": 10**4301,
    "a huge fraction": Fraction(1, 3**4000),
    "a Decimal with a long exponent": Decimal("1e99999999"),
    "a Decimal that is no number": Decimal("nan"),
    "a Decimal that is infinite": Decimal("inf"),
    "two points": "1.2.3",
    "a lone point": ".5",
    "a fraction in words": "1/2",
    "an overflowing float": float("1e400"),
}


@pytest.mark.parametrize("value", REFUSED.values(), ids=REFUSED.keys())
def test_bad_numbers_are_refused(value):
    """The fault names the parameter, and comes at once."""
    with pytest.raises(BadParameter, match="epsilon: asked for"):
        exact(value, "epsilon")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (2**31, 2**31),
        (2**53 + 1, 2**53 + 1),
        (2**63, 2**63),
        (2**64, 2**64),
        (str(2**64 + 1), 2**64 + 1),
        (-0.0, 0),
        ("-0", 0),
        (0.1, Fraction(3602879701896397, 36028797018963968)),
        ("0.1", Fraction(1, 10)),
        (Decimal("0.1"), Fraction(1, 10)),
        (np.int64(7), 7),
        (np.float64(0.5), Fraction(1, 2)),
        (5e-324, Fraction(1, 2**1074)),
        ("+3", 3),
    ],
)
def test_good_numbers_keep_their_exact_value(value, expected):
    assert exact(value, "x") == expected


@given(st.fractions(max_denominator=10**20))
def test_fractions_pass_unchanged(value):
    assert exact(value, "x") is value


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_pass_at_their_binary_value(value):
    assert exact(value, "x") == Fraction(value)


@pytest.mark.parametrize("value", [0, -1, "0", "-0.5", -0.0])
def test_a_scale_must_be_above_zero(value):
    with pytest.raises(BadParameter, match="above 0"):
        positive(value, "scale")


@pytest.mark.parametrize("value", [0, 1, "1.0", 2, -1])
def test_a_ratio_lies_strictly_between(value):
    with pytest.raises(BadParameter, match="strictly between 0 and 1"):
        between(value, "ratio", 0, 1)


@pytest.mark.parametrize("value", [2.5, "0.5", True, -1, 11])
def test_a_count_is_whole_and_within_limits(value):
    with pytest.raises(BadParameter, match=r"rows: asked for"):
        whole(value, "rows", least=0, most=10)


def test_whole_numbers_in_other_dress_are_accepted():
    assert whole(3.0, "rows") == whole("3", "rows") == whole(Fraction(3), "rows") == 3
