"""Scales on which every size stands where it belongs."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.publication.report.picture import MOST_TICKS, SPAN, scale_of, shortened

SIZES = st.lists(st.floats(1e-9, 1e15) | st.just(0.0), min_size=1, max_size=12)


@given(SIZES)
def test_every_size_stands_within_and_in_order(sizes):
    scale = scale_of(sizes)
    places = [scale.place(size) for size in sorted(sizes)]
    assert all(0 <= place <= SPAN + 1e-9 for place in places)
    assert places == sorted(places)
    assert 2 <= len(scale.ticks) <= MOST_TICKS + 1
    assert len({scale.named(tick) for tick in scale.ticks}) == len(scale.ticks)


@given(SIZES)
def test_ticks_are_even(sizes):
    scale = scale_of(sizes)
    places = [scale.place(tick) for tick in scale.ticks]
    gaps = [b - a for a, b in pairwise(places)]
    assert max(gaps) - min(gaps) < 1e-6 * SPAN


@pytest.mark.parametrize(
    ("sizes", "logarithmic"), [([1, 30], False), ([1, 31], True), ([0], False)]
)
def test_a_wide_range_takes_powers_of_ten(sizes, logarithmic):
    assert scale_of(sizes).logarithmic is logarithmic


def test_a_place_is_the_size_itself_on_a_common_scale():
    scale = scale_of([10.0, 20.0])
    assert math.isclose(scale.place(10.0) * 2, scale.place(20.0))


def test_names_are_cut_to_their_width():
    assert shortened("a" * 30) == "a" * 30
    assert len(shortened("a" * 31)) == 30
    assert len(shortened("\u6771" * 40)) == 15
