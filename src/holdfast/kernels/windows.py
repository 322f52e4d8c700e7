"""Draw the left part of many sums at once, each sum of two parts of its own.

For a total s of two parts with weights a and b, the left part x has weight a(x) b(s - x). The
weights of a window of x are worked out one beside the other and a uniform word is sought among
their cumulative sums. The weights are symmetric, so b(s - x) = b(x - s): both windows are runs
of the store, read from left to right.

Claim.      A settled word's outcome is the x at which the true cumulative weight of the window,
            taken from its left end, first exceeds the word's share of the total.
Reason.     docs/theory/messages.md#what-is-drawn
Checked by. tests/kernels/test_windows.py
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
CELLS = 1 << 15  # of one block: it stays in the cache
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

    `margin` bounds the relative error of all sums.
    """
    step = max(1, CELLS // width)
    found = [
        _block(
            store,
            sums.cut(low, low + step),
            width,
            Words(words.shares[low : low + step], words.cell),
            margin,
        )
        for low in range(0, words.shares.size, step)
    ]
    places = [places + number * step for number, (_, places) in enumerate(found)]
    return np.concatenate([left for left, _ in found]), np.concatenate(places)


def _block(
    store: Store, sums: Sums, width: int, words: Words, margin: float
) -> tuple[Integers, Integers]:
    """Return the outcomes of one block."""
    runs = sliding_window_view(store.weights, width)
    left, left_beyond = _run(store, sums.left, sums.start, width)
    right, right_beyond = _run(store, sums.right, sums.start - sums.totals, width)
    cumulative: Floats = runs[left]
    cumulative *= runs[right]
    np.cumsum(cumulative, axis=1, out=cumulative)
    slack = margin * sums.weights
    low = words.shares * sums.weights - slack
    high = (words.shares + words.cell) * sums.weights + slack
    outcome = (cumulative > low[:, None]).argmax(axis=1)  # the first; 0 where there is none
    reached = np.take_along_axis(cumulative, outcome[:, None], axis=1)[:, 0]
    certain = (reached > low) & (reached >= high) & ~(left_beyond | right_beyond)
    return sums.start + outcome, np.flatnonzero(~certain)


def _run(
    store: Store, parts: Integers, start: Integers, width: int
) -> tuple[Integers, npt.NDArray[Any]]:
    """Return where each run begins in the store, and whether it leaves its part's own room."""
    extent = store.extent[parts]
    beyond = (start < -extent) | (start + width > extent + 1)
    return np.where(beyond, 0, store.centre[parts] + start), beyond
