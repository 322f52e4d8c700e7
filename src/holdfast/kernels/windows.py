"""Draw the left part of many sums at once, each sum of two parts of its own.

For a total s of two parts with weights a and b, the left part x has weight a(x) b(s - x). The
weights of a window of x are worked out one beside the other and a uniform word is sought among
their cumulative sums. The weights are symmetric, so b(s - x) = b(x - s): both windows are runs
of the store, read from left to right. A running sum is slow, a sum of a whole span is not: so
the span that holds the outcome is found first, and the outcome within it.

Claim.      A settled word's outcome is the x at which the true cumulative weight of the window,
            taken from its left end, first exceeds the word's share of the total.
Reason.     docs/theory/messages.md#what-is-drawn
Checked by. tests/kernels/test_windows.py
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
CELLS = 1 << 17  # of one block: it stays in the cache
SPAN = 16  # products added up at one go
ONES = np.ones(SPAN)
UNIT = 2.0**-53


@dataclass(frozen=True, eq=False, slots=True)
class Store:
    """Symmetric weights one after the other, with zeros at both ends of each."""

    weights: Floats
    centre: Integers  # where each one's weight of 0 stands
    extent: Integers  # how far to both sides it may be read, zeros included


@dataclass(frozen=True, eq=False, slots=True)
class Sums:
    """Totals with the parts on the left and on the right, and the windows' left ends."""

    left: Integers
    right: Integers
    totals: Integers
    start: Integers
    weights: Floats  # of each total, over all x

    def cut(self, low: int, high: int) -> "Sums":
        """Return some of them."""
        return Sums(
            self.left[low:high],
            self.right[low:high],
            self.totals[low:high],
            self.start[low:high],
            self.weights[low:high],
        )


@dataclass(frozen=True, eq=False, slots=True)
class Words:
    """Uniform numbers: each is its share, up to `cell` more."""

    shares: Floats
    cell: float


def look_in_windows(
    store: Store, sums: Sums, width: int, words: Words, margin: float
) -> tuple[Integers, Integers]:
    """Return the left part of each sum, and the positions left open.

    A window has at least this width. `margin` bounds the relative error of all sums.
    """
    spans = -(-width // SPAN)
    step = max(1, CELLS // (spans * SPAN))
    if words.shares.size <= step:
        return _block(store, sums, spans, words, margin)
    found = [
        _block(
            store,
            sums.cut(low, low + step),
            spans,
            Words(words.shares[low : low + step], words.cell),
            margin,
        )
        for low in range(0, words.shares.size, step)
    ]
    places = [places + number * step for number, (_, places) in enumerate(found)]
    return np.concatenate([left for left, _ in found]), np.concatenate(places)


def _block(
    store: Store, sums: Sums, spans: int, words: Words, margin: float
) -> tuple[Integers, Integers]:
    """Return the outcomes of one block."""
    width, steps = spans * SPAN, store.weights.strides * 2
    runs = np.ndarray(
        (store.weights.size - width + 1, width), np.float64, store.weights, strides=steps
    )
    left, left_beyond = _run(store, sums.left, sums.start, spans * SPAN)
    right, right_beyond = _run(store, sums.right, sums.start - sums.totals, spans * SPAN)
    products: Floats = runs[left]
    products *= runs[right]
    slack = margin * sums.weights
    low = words.shares * sums.weights - slack
    high = (words.shares + words.cell) * sums.weights + slack
    outcome, reached = _passing(products.reshape(-1, spans, SPAN), low)
    certain = (reached > low) & (reached >= high) & ~(left_beyond | right_beyond)
    return sums.start + outcome, np.flatnonzero(~certain)


def _passing(products: Floats, low: Floats) -> tuple[Integers, Floats]:
    """Return where each running sum first exceeds a bound, and what it is there.

    Where none does, the place is any and the sum is not above the bound by more than roundings.
    """
    each = np.arange(low.size)
    passed = np.cumsum(products @ ONES, axis=1)
    span = (passed > low[:, None]).argmax(axis=1)  # the first; 0 where there is none
    inside = products[each, span]
    inside[:, 0] += np.where(span, passed[each, span - 1], 0.0)
    np.cumsum(inside, axis=1, out=inside)
    place = (inside > low[:, None]).argmax(axis=1)
    return span * SPAN + place, inside[each, place]


def _run(
    store: Store, parts: Integers, start: Integers, width: int
) -> tuple[Integers, npt.NDArray[Any]]:
    """Return where each run begins in the store, and whether it leaves its part's own room."""
    extent = store.extent[parts]
    beyond = (start < -extent) | (start + width > extent + 1)
    return np.where(beyond, 0, store.centre[parts] + start), beyond
