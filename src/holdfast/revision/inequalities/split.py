"""Draw the left part of one total from two messages of one length, exactly, in fixed steps.

Reason.     docs/theory/inequalities.md#the-draw
Checked by. tests/revision/test_nonnegative_messages.py
"""

from bisect import bisect_right
from fractions import Fraction
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from holdfast.foundation.randomness import Chance

Floats = npt.NDArray[np.float64]
UNIT = 2.0**-53
SMALLEST = 2.0**-1074  # what a product may lose that is too small for a float


def split(left: Floats, right: Floats, total: int | None, chance: Chance) -> int:
    """Return x with chance left(x) right(total - x) / sum; without a total, by left alone."""
    radius = left.size // 2
    word = int(chance.words(1)[0])
    other = np.ones_like(left) if total is None else _mirrored(right, total)
    weights = np.cumsum(left * other)
    kept = min(chance.width, 53)
    share, cell = (word >> (chance.width - kept)) * 2.0**-kept, 2.0**-kept
    slack = (4 * left.size + 64) * UNIT * weights[-1] + left.size * SMALLEST
    outcome = int(np.count_nonzero(weights <= share * weights[-1] - slack))
    above = int(np.count_nonzero(weights < (share + cell) * weights[-1] + slack))
    if outcome != above:
        return _settle(left, other, word, chance) - radius
    return outcome - radius


def _mirrored(right: Floats, total: int) -> Floats:
    """Return right(total - x) for each x of the range; beyond it the weight is 0."""
    answer = np.zeros_like(right)
    reversed_right = right[::-1]  # at x stands right(-x)
    if total >= 0:
        answer[total:] = reversed_right[: right.size - total]
    else:
        answer[:total] = reversed_right[-total:]
    return answer


def _settle(left: Floats, other: Floats, prefix: int, chance: Chance) -> int:
    """Return the outcome of a uniform number that starts with this word, in fractions."""
    products = zip(map(Fraction, left.tolist()), map(Fraction, other.tolist()), strict=True)
    cumulative = list(accumulate(a * b for a, b in products))
    bits = chance.width
    while True:
        place = bisect_right(cumulative, cumulative[-1] * Fraction(prefix, 1 << bits))
        if (
            place < len(cumulative)
            and cumulative[-1] * Fraction(prefix + 1, 1 << bits) <= (cumulative[place])
        ):
            return place
        prefix = prefix << chance.width | int(chance.words(1)[0])
        bits += chance.width
