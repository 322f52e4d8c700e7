"""Bounds contain the true value, and a saboteur's do not."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.foundation.bounds import (
    Bounds,
    exp_bounds,
    float_above,
    float_below,
    ln_bounds,
    sqrt_bounds,
)
from holdfast.foundation.errors import BadParameter
from tests.plain import masses

exponents = st.fractions(min_value=-40, max_value=0, max_denominator=1000)


@given(exponents)
def test_the_exponential_meets_taylors_sum(x):
    """Two roads to e**x, each with its own proof."""
    assert exp_bounds(x).meets(masses.exp(x))
    assert exp_bounds(x).width <= exp_bounds(x).above / 10**45


@given(exponents)
def test_a_rounded_exponential_is_caught(x):
    """The saboteur returns the nearest float as if it were exact."""
    rounded = Bounds.exactly(Fraction(math.exp(x)))
    assert x == 0 or not rounded.meets(masses.exp(x))


@given(st.fractions(min_value=Fraction(1, 1000), max_value=1000, max_denominator=1000))
def test_the_logarithm_undoes_the_exponential(x):
    log = ln_bounds(x)
    assert exp_bounds(log.below).below <= x <= exp_bounds(log.above).above


@given(st.fractions(min_value=0, max_value=10**6, max_denominator=10**6))
def test_the_square_root_squares_back(x):
    root = sqrt_bounds(x)
    assert root.below**2 <= x <= root.above**2


def test_large_exponents_lose_no_digits():
    bounds = exp_bounds(Fraction(-100_001, 3))
    assert bounds.width <= bounds.above / 10**45
    with localcontext() as context:
        context.prec, context.Emin = 80, -(10**6)
        reference = Fraction((Decimal(-100_001) / 3).exp())
    assert reference in bounds


@given(st.fractions())
def test_floats_stand_on_their_named_side(x):
    assert Fraction(float_below(x)) <= x <= Fraction(float_above(x))
    assert math.nextafter(float_below(x), math.inf) >= float_above(x)


def test_beyond_the_floats():
    assert float_above(Fraction(10**400)) == math.inf
    assert float_below(Fraction(10**400)) < math.inf


def test_ends_in_the_wrong_order_are_refused():
    with pytest.raises(BadParameter, match="below <= above"):
        Bounds(Fraction(2), Fraction(1))


def test_no_logarithm_of_zero():
    with pytest.raises(BadParameter, match="above 0"):
        ln_bounds(Fraction(0))


@pytest.mark.parametrize("bits", [60, 165, 170, 200, 1000])
@pytest.mark.parametrize("sign", [1, -1])
def test_logarithms_next_to_one_end_and_keep_their_sign(bits, sign):
    """Rounded to 50 digits such a number is 1, whose next number down has 10**18 digits."""
    x = 1 + Fraction(sign, 2**bits)
    bounds = ln_bounds(x)
    assert bounds.below <= bounds.above
    assert (bounds.below > 0) if sign > 0 else (bounds.above < 0)
    assert 1 - 1 / x <= bounds.above
    assert bounds.below <= x - 1


def test_far_exponents_end():
    assert exp_bounds(Fraction(-(10**30))).below == 0
    assert 0 < exp_bounds(Fraction(-(10**30))).above < Fraction(1, 10**1000)
    with pytest.raises(BadParameter, match="exponent"):
        exp_bounds(Fraction(10**6))
