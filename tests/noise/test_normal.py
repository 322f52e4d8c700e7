"""The normal cumulative and the delta of Gaussian noise, between bounds."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import log_ndtr, ndtr

from holdfast.noise.normal import gaussian_delta, normal_cumulative, pi_bounds

PI = "3.14159265358979323846264338327950288419716939937510"


def test_pi():
    assert Fraction(PI) in pi_bounds(40) or pi_bounds(40).meets(pi_bounds(45))
    bounds = pi_bounds(40)
    assert bounds.below < Fraction(PI) + Fraction(1, 10**49)
    assert Fraction(PI) < bounds.above
    assert bounds.width < Fraction(1, 10**36)


@given(st.fractions(-36, 36, max_denominator=100))
def test_the_cumulative_agrees_with_scipy(x):
    """A float road to the same number, good to 13 digits."""
    bounds = normal_cumulative(x)
    assert float(bounds) == pytest.approx(float(ndtr(float(x))), rel=1e-12, abs=1e-300)
    if x < 0:
        assert math.log(bounds.above) == pytest.approx(float(log_ndtr(float(x))), rel=1e-12)
    assert bounds.width <= min(bounds.above, 1) / 10**38


@given(st.fractions(0, 8, max_denominator=50))
def test_both_sides_add_up_to_one(x):
    left, right = normal_cumulative(-x), normal_cumulative(x)
    assert left.below + right.below <= 1 <= left.above + right.above


def test_the_middle():
    assert normal_cumulative(Fraction(0)).below == normal_cumulative(Fraction(0)).above
    assert normal_cumulative(Fraction(0)).below == Fraction(1, 2)


@given(st.fractions(Fraction(1, 10), 4, max_denominator=20), st.fractions(Fraction(1, 10), 4))
def test_delta_is_the_integral_of_the_excess(shift, epsilon):
    """delta = integral of max(0, p(x) - e**epsilon q(x)): a sum over a fine grid."""
    import numpy as np

    grid = np.linspace(-12, 16, 200_001)
    near = np.exp(-((grid - float(shift)) ** 2) / 2)
    far = np.exp(-(grid**2) / 2)
    excess = np.maximum(0, near - math.exp(epsilon) * far) / math.sqrt(2 * math.pi)
    expected = float(excess.sum() * (grid[1] - grid[0]))
    assert float(gaussian_delta(shift, epsilon)) == pytest.approx(expected, abs=1e-7)
