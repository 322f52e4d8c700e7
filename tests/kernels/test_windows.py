"""Windows of products: a settled word has the outcome that exact cumulative weights give."""

from bisect import bisect_right
from fractions import Fraction
from functools import cache
from itertools import accumulate

import numpy as np
import pytest

from holdfast.kernels import windows
from holdfast.kernels.windows import SPAN, Store, Sums, Words, look_in_windows
from tests.plain import convolution as plain

UNIT = 2.0**-53
ASKED = SPAN + 5  # rounded up to whole spans
WIDTH = 2 * SPAN


def message(ratio: float, radius: int) -> np.ndarray:
    return ratio ** np.abs(np.arange(-radius, radius + 1.0))


PARTS = [message(0.5, 4), message(0.8, 6), message(0.3, 0), message(0.85, 17)]
ROOM = 32


def store() -> Store:
    extent = np.array([m.size // 2 + ROOM for m in PARTS])
    ends = np.cumsum(2 * extent + 1)
    weights = np.zeros(int(ends[-1]) + ROOM)
    centre = ends - extent - 1
    for m, middle in zip(PARTS, centre.tolist(), strict=True):
        weights[middle - m.size // 2 : middle + m.size // 2 + 1] = m
    return Store(weights, centre, extent)


def cases(start_at: int):
    """Every pair of parts, every total, words around every cumulative weight."""
    asked = []
    for one in range(len(PARTS)):
        for other in range(len(PARTS)):
            left, right = plain.exact(PARTS[one]), plain.exact(PARTS[other])
            reach = max(left) + max(right)
            sums = plain.convolve(left, right, range(-reach, reach + 1))
            for total in range(-reach, reach + 1):
                for passed in _passed(one, other, total, start_at):
                    steps = (-(2**20), -1, 0, 2**20)
                    chance = passed / sums[total]
                    asked += [(one, other, total, chance + Fraction(k, 2**53)) for k in steps]
    return [case for case in asked if 0 <= case[3] < 1]


def faults(look, start_at: int = -9) -> tuple[int, int]:
    """Count wrong outcomes and settled ones."""
    asked = cases(start_at)
    one, other, totals = (np.array([case[k] for case in asked]) for k in range(3))
    shares = np.array([int(case[3] * 2**53) for case in asked]) * 2.0**-53
    whole = np.array([float(_sum(*case[:3])) for case in asked])
    sums = Sums(one, other, totals, np.full(totals.size, start_at), whole)
    outcome, open_ones = look(store(), sums, ASKED, Words(shares, UNIT), UNIT * 64)
    settled = sorted(set(range(len(asked))) - set(open_ones.tolist()))
    wrong = sum(outcome[k] != _truth(asked[k], shares[k], start_at) for k in settled)
    return wrong, len(settled)


@cache
def _sum(one, other, total):
    left, right = plain.exact(PARTS[one]), plain.exact(PARTS[other])
    return sum(w * right.get(total - x, Fraction(0)) for x, w in left.items())


@cache
def _passed(one, other, total, start_at):
    """Return the exact cumulative weights of a window."""
    left, right = plain.exact(PARTS[one]), plain.exact(PARTS[other])
    terms = (left.get(x, 0) * right.get(total - x, 0) for x in range(start_at, start_at + WIDTH))
    return list(accumulate(map(Fraction, terms)))


def _truth(case, share, start_at):
    """Return the first x at which the cumulative weight exceeds the share of all."""
    one, other, total, _ = case
    place = bisect_right(_passed(one, other, total, start_at), Fraction(share) * _sum(*case[:3]))
    return start_at + place if place < WIDTH else None


@pytest.mark.parametrize("start_at", [-20, -9, -3, 3])
def test_settled_words_are_right(start_at):
    wrong, settled = faults(look_in_windows, start_at)
    assert wrong == 0
    assert settled > 300


def without_a_margin(store, sums, width, words, margin):
    return look_in_windows(store, sums, width, Words(words.shares, 0.0), 0.0)


def exchanges_the_parts(store, sums, width, words, margin):
    other = Sums(sums.right, sums.left, sums.totals, sums.start, sums.weights)
    return look_in_windows(store, other, width, words, margin)


def one_to_the_left(store, sums, width, words, margin):
    left, open_ones = look_in_windows(store, sums, width, words, margin)
    return left - 1, open_ones


@pytest.mark.parametrize("sabotage", [without_a_margin, exchanges_the_parts, one_to_the_left])
def test_the_window_test_barks(sabotage):
    assert faults(sabotage)[0] > 0


def counts_spans_short(products, low, honest=windows._passing):
    place, reached = honest(products, low)
    return place - place // SPAN, reached


def forgets_the_spans_before(products, low, honest=windows._passing):
    """Seeks in the right span, from 0 on: all that stands in a later one stays open."""
    span = honest(products, low)[0] // SPAN
    inside = np.cumsum(products[np.arange(low.size), span], axis=1)
    place = (inside > low[:, None]).argmax(axis=1)
    return span * SPAN + place, inside[np.arange(low.size), place]


def test_the_window_test_barks_at_spans(monkeypatch):
    _, settled = faults(look_in_windows)
    monkeypatch.setattr(windows, "_passing", counts_spans_short)
    assert faults(look_in_windows)[0] > 0
    monkeypatch.setattr(windows, "_passing", forgets_the_spans_before)
    assert faults(look_in_windows)[1] < settled - 100


def test_a_window_that_leaves_its_parts_room_is_left_open():
    """What stands beyond belongs to another part."""
    far = np.array([-60])
    sums = Sums(np.array([0]), np.array([1]), np.array([0]), far, np.array([1.0]))
    _, open_ones = look_in_windows(store(), sums, ASKED, Words(np.array([0.5]), UNIT), UNIT)
    assert open_ones.tolist() == [0]


LONGER = 4 * SPAN  # than the room of one part, shorter than that of the other
OUT_OF_ROOM = {"left": (0, 3, -37, -1), "right": (3, 0, -36, 1)}  # parts, start, total


def left_open(one, other, start, total) -> bool:
    """Return whether a word in the middle of the window is left open."""
    sums = Sums(*(np.array([k]) for k in (one, other, total, start)), np.ones(1))
    sums.weights[:] = float(_sum(one, other, total))
    words = Words(np.array([0.5]), UNIT)
    return look_in_windows(store(), sums, LONGER, words, 64 * UNIT)[1].tolist() == [0]


@pytest.mark.parametrize("side", OUT_OF_ROOM)
def test_a_window_that_leaves_the_room_of_one_part_is_left_open(side):
    """What is read in its place belongs to no part, and would settle a word all the same."""
    assert left_open(*OUT_OF_ROOM[side])
    assert not left_open(3, 3, -30, 0)


@pytest.mark.parametrize("side", OUT_OF_ROOM)
def test_the_test_of_rooms_barks(side, monkeypatch):
    """One side's run is not asked about."""

    def forgetful(store, parts, start, width, honest=windows._run):
        place, beyond = honest(store, parts, start, width)
        asked = parts[0] != OUT_OF_ROOM[side][0 if side == "left" else 1]
        return place, beyond & asked

    monkeypatch.setattr(windows, "_run", forgetful)
    assert not left_open(*OUT_OF_ROOM[side])
