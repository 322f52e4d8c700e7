"""Weights down to powers of e that floats do not hold."""

from fractions import Fraction

import numpy as np
import pytest

import holdfast as hf
from holdfast.foundation.bounds import exp_bounds
from holdfast.revision.inequalities import wide
from holdfast.revision.inequalities.wide import fractions_of, smallest, steepest, wide_weights

CASES = [
    (hf.DiscreteLaplace.with_scale(3), 2_000, np.float64),
    (hf.DiscreteLaplace.with_ratio("0.9"), 500, np.float64),
    (hf.DiscreteLaplace.with_scale("1.5"), 9_000, np.longdouble),
    (hf.DiscreteLaplace.with_ratio(Fraction(1, 3)), 10_000, np.longdouble),
]


def farthest(law, found):
    """Return the largest relative error among some weights, by bounds of their own."""
    radius, answer = found.size // 2, Fraction(0)
    for size in {0, 1, 2, radius // 2, radius - 1, radius}:
        if law.ratio is not None:
            true = law.ratio**size
        else:
            true = exp_bounds(-size / law.scale, 60).below
        for weight in fractions_of(found[[radius - size, radius + size]]):
            answer = max(answer, abs(weight / true - 1))
    return answer


@pytest.mark.parametrize(("law", "radius", "kind"), CASES)
def test_weights_are_within_their_error(law, radius, kind):
    found = wide_weights(law, radius, kind)
    assert found.weights.dtype == kind
    assert found.weights.size == 2 * radius + 1
    assert found.error <= Fraction(1, 2 ** (np.finfo(kind).nmant - 1))
    assert farthest(law, found.weights) <= found.error + Fraction(1, 10**50)


@pytest.mark.parametrize(("law", "radius", "kind"), CASES)
def test_the_test_of_weights_barks(law, radius, kind):
    """A weight off by four roundings, and weights of floats where long floats are asked."""
    found = wide_weights(law, radius, kind)
    off = found.weights.copy()
    off[-1] *= 1 + 4 * np.finfo(kind).eps
    assert farthest(law, off) > found.error + Fraction(1, 10**50)
    if kind is np.longdouble:
        floats = np.exp(-np.abs(np.arange(-radius, radius + 1.0)) * float(law.rate))
        assert farthest(law, floats.astype(kind)) > found.error


def test_too_few_bits_are_told_by_the_error(monkeypatch):
    monkeypatch.setattr(wide, "EXTRA_BITS", 8)
    found = wide_weights(hf.DiscreteLaplace.with_scale(3), 300, np.float64)
    assert found.error > Fraction(1, 2**10)


def test_fractions_are_exact():
    values = np.ldexp(np.array([1, 3, 5], dtype=np.longdouble), [0, -2_000, 12])
    assert fractions_of(values) == [Fraction(1), Fraction(3, 2**2_000), Fraction(5 * 2**12)]


def test_what_each_kind_carries():
    assert steepest(np.float64) == 690
    assert smallest(np.float64) == Fraction(1, 2**1074)
    if np.finfo(np.longdouble).minexp < -1022:
        assert steepest(np.longdouble) > 11_000
        assert smallest(np.longdouble) < Fraction(1, 2**16_000)
