"""The float exponential keeps its promise, checked against bounds in fractions."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from holdfast.foundation.bounds import exp_bounds
from holdfast.kernels.exponential import MARGIN, exponential

sizes = st.one_of(st.floats(0, 1), st.floats(0, 70), st.floats(0, 1e12))


def error(x: float, found: float) -> Fraction:
    true = exp_bounds(-Fraction(min(x, 1e4)))
    return max(abs(Fraction(found) - true.below), abs(Fraction(found) - true.above))


@given(sizes)
def test_the_error_is_below_half_the_margin(x):
    assert error(x, float(exponential(np.array([x]))[0])) <= Fraction(MARGIN) / 2


def test_it_is_really_much_smaller():
    """The proof in docs/theory/noise.md says 2e-13; on a grid it is below that."""
    grid = np.linspace(0, 64, 4001)
    worst = max(error(x, y) for x, y in zip(grid.tolist(), exponential(grid).tolist(), strict=True))
    assert worst < Fraction(2, 10**13)


def test_the_test_barks():
    """Two squarings too few, or a term too few at the far end, would be seen."""
    x = 3.0
    assert error(x, float(exponential(np.array([x / 4]))[0])) > MARGIN
    assert error(x, float(exponential(np.array([x]))[0]) + 2 * MARGIN) > MARGIN / 2
