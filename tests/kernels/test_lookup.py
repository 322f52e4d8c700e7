"""The table look-up finds what counting finds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernels.lookup import guide, look_up
from tests.plain import lookup as plain


@st.composite
def tables(draw):
    """A word width, sorted floors (repeats allowed), and words, many of them at floors."""
    width = draw(st.sampled_from([1, 3, 8, 14, 15, 64]))
    word = st.integers(0, 2**width - 1)
    floors = sorted(draw(st.lists(word, min_size=1, max_size=30)))
    words = draw(st.lists(st.one_of(word, st.sampled_from(floors)), min_size=1, max_size=30))
    return width, floors, words


def fast(width, floors, words, guided=None):
    table = np.array(floors, dtype=np.uint64)
    guided = guide(table, width) if guided is None else guided
    return look_up(np.array(words, dtype=np.uint64), table, guided, width)


def agrees(outcomes, open_ones, words, floors) -> bool:
    expected, expected_open = plain.look_up(words, floors)
    settled = [place for place in range(len(words)) if place not in expected_open]
    return open_ones.tolist() == expected_open and all(
        outcomes[place] == expected[place] for place in settled
    )


@given(tables())
def test_it_counts_the_floors_below(table):
    width, floors, words = table
    assert agrees(*fast(width, floors, words), words, floors)


def at_or_below(width, floors, words):
    outcomes, open_ones = fast(width, floors, words)
    return outcomes + 1, open_ones


def forgets_open_words(width, floors, words):
    outcomes, _ = fast(width, floors, words)
    return outcomes, np.array([], dtype=np.int64)


def takes_slots_for_words(width, floors, words):
    guided = guide(np.array(floors, dtype=np.uint64), width)
    return fast(width, floors, words, np.maximum(guided, 0))


@pytest.mark.parametrize("sabotage", [at_or_below, forgets_open_words, takes_slots_for_words])
def test_the_test_barks(sabotage):
    width, floors = 64, [2**62, 2**62 + 5, 2**63]
    words = [0, 2**62, 2**62 + 1, 2**62 + 6, 2**63 + 1]
    assert not agrees(*sabotage(width, floors, words), words, floors)


def test_tables_of_many_floors_keep_their_outcomes():
    """Forty thousand outcomes do not fit the small numbers of a short table."""
    floors = np.arange(1, 40_001, dtype=np.uint64) << np.uint64(48)
    words = (np.arange(40_000, dtype=np.uint64) << np.uint64(48)) + np.uint64(2**47)
    outcomes, open_ones = look_up(words, floors, guide(floors, 64), 64)
    assert outcomes.tolist() == list(range(40_000))
    assert not open_ones.size
