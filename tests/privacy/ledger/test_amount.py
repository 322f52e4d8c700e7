"""Amounts are whole units: costs are rounded up, totals are refused where they would be."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.foundation.errors import BadParameter
from holdfast.privacy.ledger.amount import (
    DELTA_DIGITS,
    DIGITS,
    MOST,
    Terms,
    decimal,
    terms_of,
    units_above,
)

UNIT = Fraction(1, 10**DIGITS)


def never_below(rounded, digits):
    """Return whether a rounding never books less than was asked, nor a whole unit more."""
    numbers = [Fraction(1, 3), Fraction(1, 10**30), Fraction(7, 10), UNIT, UNIT + UNIT / 9]
    return all(
        0 <= Fraction(rounded(number, digits, "epsilon"), 10**digits) - number < UNIT
        for number in numbers
    )


def test_costs_are_rounded_up():
    assert never_below(units_above, DIGITS)


@pytest.mark.parametrize(
    "sabotage",
    [
        lambda number, digits, subject: int(number * 10**digits),
        lambda number, digits, subject: round(number * 10**digits),
        lambda number, digits, subject: int(number * 10**digits) + 1,
    ],
)
def test_the_rounding_test_barks(sabotage):
    assert not never_below(sabotage, DIGITS)


@given(st.fractions(min_value=UNIT / 7, max_value=1000))
def test_any_cost_is_booked_as_the_next_unit(number):
    units = units_above(number, DIGITS, "epsilon")
    assert (units - 1) * UNIT < number <= units * UNIT


@given(st.integers(min_value=0, max_value=MOST))
def test_units_are_written_in_full(units):
    assert Fraction(decimal(Fraction(units, 10**DELTA_DIGITS))) == Fraction(units, 10**DELTA_DIGITS)


def test_the_words_of_a_budget():
    assert terms_of({"epsilon": 1}) == Terms("epsilon", 10**12, 10**6)
    assert terms_of({"epsilon": "0.5", "delta": "0"}) == Terms("epsilon", 5 * 10**11, 0)
    assert terms_of({"rho": "0.06", "delta": "0.000001"}) == Terms("rho", 6 * 10**10, 10**12)


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        ({"epsilon": Fraction(1, 3)}, '"0.333333333333"'),
        ({"epsilon": 0.1}, '"0.1"'),
        ({"epsilon": 0.7}, '"0.7"'),
        ({"rho": Fraction(1, 10**13)}, '"0.000000000001"'),
        ({"epsilon": 1, "delta": Fraction(1, 3)}, 'delta="0.333333333333333333"'),
    ],
)
def test_a_total_that_is_no_multiple_is_refused_with_what_to_write(words, remedy):
    with pytest.raises(BadParameter) as caught:
        terms_of(words)
    assert remedy in str(caught.value)


@pytest.mark.parametrize(
    "words",
    [
        {},
        {"delta": "0.1"},
        {"epsilon": 1, "rho": 1},
        {"epsilon": 0},
        {"epsilon": True},
        {"epsilon": "9223373"},
        {"epsilon": 10**30},
        {"epsilon": 1, "delta": 1},
        {"epsilon": 1, "gamma": 1},
    ],
    ids=str,
)
def test_other_words_are_refused(words):
    with pytest.raises(BadParameter):
        terms_of(words)


def test_the_largest_total_and_cost_fit_in_64_bits():
    largest = decimal(Fraction(MOST, 10**DIGITS))
    assert terms_of({"epsilon": largest}).total == MOST
    assert units_above(Fraction(largest), DIGITS, "epsilon") == MOST
    with pytest.raises(BadParameter, match="at most"):
        units_above(Fraction(largest) + UNIT, DIGITS, "epsilon")
