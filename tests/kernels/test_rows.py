"""Row tables: a settled word has the outcome that exact cumulative chances give."""

import math
from bisect import bisect_right
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.kernels import rows as kernel
from holdfast.kernels.rows import BITS, look_up, row_table

weights = st.lists(
    st.lists(st.floats(0.0, 1.0), min_size=4, max_size=4).filter(sum), min_size=1, max_size=5
)


def chances_of(line: list[float]) -> list[Fraction]:
    whole = sum(map(Fraction, line))
    return [passed / whole for passed in accumulate(map(Fraction, line))]


def faults(table, listed) -> int:
    """Count settled words whose outcome is not the number of true chances at or below them.

    The words stand around every chance, and at both ends.
    """
    chances = [chances_of(line) for line in listed.tolist()]
    steps = (-(1 << 40), -(1 << 17), -1, 0, 1, 1 << 17, 1 << 40)
    asked = [
        (row, min(max(int(chance * 2**64) + step, 0), 2**64 - 1))
        for row, line in enumerate(chances)
        for chance in (0, *line)
        for step in steps
    ]
    rows = np.array([row for row, _ in asked])
    words = np.array([word for _, word in asked], dtype=np.uint64)
    outcomes, open_ones = look_up(table, rows, words)
    settled = sorted(set(range(len(asked))) - set(open_ones.tolist()))
    return sum(
        int(outcomes[k]) != bisect_right(chances[asked[k][0]], Fraction(asked[k][1], 2**64))
        for k in settled
    )


LONG = np.array([[1.0] + [1e-16] * 4000 + [1.0]])
TIED = np.array([[0.25, 0.75, 2.0**-55]])


@settings(max_examples=60)
@given(weights)
def test_settled_words_are_right(listed):
    array = np.array(listed)
    assert faults(row_table(array, array.sum(axis=1), roundings=4), array) == 0


def faults_of(array) -> int:
    """Count wrong outcomes where the totals are right to the last bit."""
    totals = np.array([math.fsum(line) for line in array.tolist()])
    return faults(row_table(array, totals, roundings=4), array)


def test_many_small_weights_add_up_to_their_roundings():
    """Each is below half a unit of the sum, which never grows: 4,000 roundings, all one way."""
    assert faults_of(LONG) == 0


def test_a_chance_at_the_end_of_a_slot_is_near_both_slots():
    """A quarter is where a slot of the guide begins, and here the true chance is a bit less."""
    assert faults_of(TIED) == 0


def counts_no_columns(monkeypatch):
    """A margin for the roundings of one weight."""

    def short(weights, totals, roundings, honest=row_table):
        table = honest(weights, totals, roundings)
        margin = 2 + int((roundings + 4) * kernel.UNIT * (1 << BITS))
        rows, columns = weights.shape
        guide = kernel._guide(table.keys, rows, columns, table.guide_bits, margin)
        return kernel.RowTable(table.keys, guide, table.guide_bits, columns, margin)

    monkeypatch.setattr(f"{__name__}.row_table", short)


def looks_to_the_right_alone(monkeypatch):
    """The guide has no word left open in the slot before a chance."""

    def one_sided(keys, rows, columns, bits, margin, honest=kernel._guide):
        answer = honest(keys, rows, columns, bits, 0)
        slots = np.clip(keys + margin >> BITS - bits, 0, answer.size - 1)
        answer[slots] = kernel.MIXED
        return answer

    monkeypatch.setattr(kernel, "_guide", one_sided)


@pytest.mark.parametrize(
    ("sabotage", "array"), [(counts_no_columns, LONG), (looks_to_the_right_alone, TIED)]
)
def test_the_test_of_margins_barks(sabotage, array, monkeypatch):
    sabotage(monkeypatch)
    assert faults_of(array) > 0


def test_most_words_are_settled():
    """At most two of two hundred thousand are open: they cost time, no truth."""
    array = np.array([[0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.2, 0.1]])
    table = row_table(array, array.sum(axis=1), roundings=4)
    words = np.arange(200_000, dtype=np.uint64) * np.uint64(2**64 // 200_000) + np.uint64(2**40 + 1)
    _, open_ones = look_up(table, np.arange(200_000) % 2, words)
    assert open_ones.size <= 2


def test_weight_that_is_not_listed_leaves_words_open():
    array = np.array([[0.5, 0.25]])
    table = row_table(array, np.array([1.0]), roundings=4)
    outcomes, open_ones = look_up(
        table, np.array([0, 0]), np.array([2**62, 2**64 - 2**61], dtype=np.uint64)
    )
    assert open_ones.tolist() == [1]
    assert outcomes[0] == 0


def trusts_floats_to_the_last_bit(array, monkeypatch):
    """No margin: a word at a chance that is rounded the wrong way is settled wrongly."""
    table = row_table(array, array.sum(axis=1), roundings=4)
    return kernel.RowTable(table.keys, table.guide, table.guide_bits, table.columns, 0)


def takes_the_next_outcome(array, monkeypatch):
    table = row_table(array, array.sum(axis=1), roundings=4)
    return kernel.RowTable(
        table.keys, table.guide + np.int16(1), table.guide_bits, table.columns, table.margin
    )


def forgets_the_row(array, monkeypatch):
    table = row_table(array, array.sum(axis=1), roundings=4)
    keys = np.sort(table.keys & ((1 << BITS) - 1))
    return kernel.RowTable(keys, table.guide, table.guide_bits, table.columns, table.margin)


@pytest.mark.parametrize(
    "sabotage", [trusts_floats_to_the_last_bit, takes_the_next_outcome, forgets_the_row]
)
def test_the_row_test_barks(sabotage, monkeypatch):
    generator = np.random.default_rng(1)
    array = generator.random((20, 40))
    assert faults(row_table(array, array.sum(axis=1), roundings=4), array) == 0
    assert faults(sabotage(array, monkeypatch), array) > 0
