"""Numbers for readers."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.publication.report.numerals import (
    MINUS,
    THIN,
    grouped,
    measure,
    percent,
    power_of_ten,
    signed,
)


@given(st.integers(-(2**63), 2**63))
def test_whole_numbers_are_read_back(number):
    shown = grouped(number)
    assert int(shown.replace(THIN, "").replace(MINUS, "-")) == number
    assert all(len(part) == 3 for part in shown.split(THIN)[1:])


@given(st.floats(0.001, 1e12))
def test_sizes_are_right_in_three_digits(number):
    shown = float(measure(number).replace(THIN, ""))
    assert abs(shown - number) <= max(0.005 * number, 0.0005)


def test_small_and_signed_sizes():
    assert measure(1e-9) == "under 0.001"
    assert measure(0.0) == "0"
    assert signed(3.0) == "+3"
    assert signed(-3.5) == f"{MINUS}3.50"


@pytest.mark.parametrize(
    ("exponent", "shown"),
    [
        (0, "1"),
        (3, f"1{THIN}000"),
        (-2, "0.01"),
        (6, "10\u2076"),
        (-4, "10\u207b\u2074"),
        (12, "10\u00b9\u00b2"),
    ],
)
def test_powers_of_ten(exponent, shown):
    assert power_of_ten(exponent) == shown


def test_shares():
    assert percent(Fraction("0.95")) == "95%"
    assert percent(1 - Fraction("0.999")) == "0.1%"
