"""Draw the left part of one total from two messages of one length, exactly.

Every draw takes the same steps over the whole range, but for one in about 10**9 that floats
cannot decide and that is settled in fractions.

Reason.     docs/theory/inequalities.md#the-draw
Checked by. tests/revision/test_nonnegative_messages.py
"""

from bisect import bisect_right
from fractions import Fraction
from itertools import accumulate

import numpy as np

from holdfast.foundation.randomness import Chance
from holdfast.revision.inequalities.wide import Wide, fractions_of

UNIT = 2.0**-53


def split(left: Wide, right: Wide, total: int | None, chance: Chance) -> int:
    """Return x with chance left(x) right(total - x) / sum; without a total, by left alone."""
    radius = left.size // 2
    word = int(chance.words(1)[0])
    other = np.ones_like(left) if total is None else _mirrored(right, total)
    weights = np.cumsum(left * other)
    kept = min(chance.width, 53)
    share, cell = (word >> (chance.width - kept)) * 2.0**-kept, 2.0**-kept
    lost = left.size * np.finfo(left.dtype).smallest_subnormal  # in products that underflow
    slack = (4 * left.size + 64) * UNIT * weights[-1] + lost
    outcome = int(np.count_nonzero(weights <= share * weights[-1] - slack))
    above = int(np.count_nonzero(weights < (share + cell) * weights[-1] + slack))
    if outcome != above:
        return _settle(left, other, word, chance) - radius
    return outcome - radius


def _mirrored(right: Wide, total: int) -> Wide:
    """Return right(total - x) for each x of the range; beyond it the weight is 0."""
    answer = np.zeros_like(right)
    reversed_right = right[::-1]  # at x stands right(-x)
    if total >= 0:
        answer[total:] = reversed_right[: right.size - total]
    else:
        answer[:total] = reversed_right[-total:]
    return answer


def _settle(left: Wide, other: Wide, prefix: int, chance: Chance) -> int:
    """Return the outcome of a uniform number that starts with this word, in fractions."""
    products = zip(fractions_of(left), fractions_of(other), strict=True)
    cumulative = list(accumulate(a * b for a, b in products))
    bits = chance.width
    while True:
        place = bisect_right(cumulative, cumulative[-1] * Fraction(prefix, 1 << bits))
        above = cumulative[-1] * Fraction(prefix + 1, 1 << bits)
        if place < len(cumulative) and above <= cumulative[place]:
            return place
        prefix = prefix << chance.width | int(chance.words(1)[0])
        bits += chance.width
