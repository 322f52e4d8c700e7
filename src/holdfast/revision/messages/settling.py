"""Settle a draw that floats cannot: exact weights, and as many words as it takes.

A float is a whole number times a power of 2, so messages are exact numbers and so are the
weights of a split; a uniform number is refined word by word until it lies between two of their
cumulative sums. Nothing is rounded.

Claim.      The left part of a total s is x with chance a(x) b(s - x) / sum, exactly.
Reason.     docs/theory/messages.md#what-is-drawn
Checked by. tests/revision/test_splitting.py
"""

from bisect import bisect_right
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from holdfast.foundation.randomness import Chance

Floats = npt.NDArray[np.float64]
MANTISSA = 53


def whole_weights(weights: Floats) -> tuple[list[int], int]:
    """Return whole numbers and a power of 2 that they are to be multiplied by, exactly."""
    mantissas, exponents = np.frexp(weights)
    least = int(exponents[weights > 0].min())
    numbers = np.ldexp(mantissas, MANTISSA).astype(np.int64).tolist()
    shifts = (exponents - least).tolist()
    return [n << s if n else 0 for n, s in zip(numbers, shifts, strict=True)], least - MANTISSA


class Conditional:
    """The law of the left part of one total: outcomes from a start upwards, then the others."""

    __slots__ = ("_cumulative", "_outcomes")
    _cumulative: list[int]
    _outcomes: list[int]

    def __init__(self, left: Floats, right: Floats, total: int, start: int) -> None:
        reach, extent = left.size // 2, right.size // 2
        low, high = max(-reach, total - extent), min(reach, total + extent)
        ones, _ = whole_weights(left)
        others, _ = whole_weights(right)
        start = min(max(low, start), high + 1)
        self._outcomes = [*range(start, high + 1), *range(low, start)]
        products = (ones[x + reach] * others[total - x + extent] for x in self._outcomes)
        self._cumulative = list(accumulate(products))

    def settle(self, prefix: int, chance: Chance) -> int:
        """Return the outcome of a uniform number that starts with this word."""
        whole, bits = self._cumulative[-1], chance.width
        while True:
            low = prefix * whole
            place = bisect_right(self._cumulative, low >> bits)
            # the first cumulative sum above low / 2**bits, which may have a fraction
            if (prefix + 1) * whole <= self._cumulative[place] << bits:
                return self._outcomes[place]
            prefix = prefix << chance.width | int(chance.words(1)[0])
            bits += chance.width
