"""Convolution of symmetric weights against its twin in fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernels import convolution
from holdfast.kernels.convolution import convolve, correlate
from tests.plain import convolution as plain

UNIT = Fraction(1, 2**53)
halves = st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=9)


def symmetric(half: list[float]) -> np.ndarray:
    return np.array([*half[:0:-1], *half])


def agrees(fast, one, other, radius) -> bool:
    """Every sum of n rounded products is within n roundings, a little more for their squares."""
    terms = min(one.size, other.size)
    expected = plain.convolve(plain.exact(one), plain.exact(other), range(-radius, radius + 1))
    if fast.size != 2 * radius + 1:
        return False
    found = plain.exact(fast)
    return all(abs(found[s] - w) <= (terms + 1) * UNIT * w for s, w in expected.items())


@given(halves, halves, st.integers(0, 20))
def test_sums_of_products_stay_within_their_roundings(left, right, radius):
    one, other = symmetric(left), symmetric(right)
    assert agrees(convolve(one, other, radius), one, other, radius)
    assert agrees(correlate(one, other, radius), one, other, radius)


@pytest.mark.parametrize("longest", [1, 2, 5])
def test_long_sums_are_added_up_piece_by_piece(longest, monkeypatch):
    monkeypatch.setattr(convolution, "LONGEST_DOT", longest)
    steep = symmetric([float(0.7**k) for k in range(6)])
    wide = symmetric([float(0.9**k) for k in range(9)])
    for radius in (0, 3, 13, 20):
        assert agrees(convolve(steep, wide, radius), steep, wide, radius)
        assert agrees(convolve(wide, steep, radius), steep, wide, radius)


def by_a_transform(one, other, radius):
    """Absolute errors: the tails are wrong."""
    size = one.size + other.size - 1
    full = np.fft.irfft(np.fft.rfft(one, size) * np.fft.rfft(other, size), size)
    return full[size // 2 - radius : size // 2 + radius + 1]


def forgets_one_end(one, other, radius):
    answer = convolve(one, other, radius)
    answer[-1] = 0.0
    return answer


def adds_the_middle_twice(one, other, radius):
    answer = convolve(one, other, radius)
    answer[radius] *= 1 + 2.0**-40
    return answer


@pytest.mark.parametrize("sabotage", [by_a_transform, forgets_one_end, adds_the_middle_twice])
def test_the_convolution_test_barks(sabotage):
    steep = symmetric([float(0.1**k) for k in range(9)])
    assert agrees(convolve(steep, steep, 16), steep, steep, 16)
    assert not agrees(sabotage(steep, steep, 16), steep, steep, 16)
