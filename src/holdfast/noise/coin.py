"""Coins that fall heads with chance e**(-x), x a fraction, without error.

A uniform number is revealed word by word and compared with bounds on e**(-x). Many coins at a
time are decided in floats where the word is farther from the float than the float's proven
error; the rest, about one in two thousand million, are decided in fractions.

Claim.      A coin falls heads with chance e**(-x) exactly.
Reason.     docs/theory/noise.md#coins
Checked by. tests/noise/test_coin.py
"""

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from holdfast.foundation.bounds import exp_bounds
from holdfast.foundation.randomness import Chance
from holdfast.kernels.exponential import MARGIN, exponential

Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]
FLOAT_BITS = 53
LARGEST = 1 << 12  # an exponent decided at one go


def heads(first: Integers, second: Integers, denominator: Fraction, chance: Chance) -> Booleans:
    """Return for each pair of whole numbers a coin: heads e**(-first * second / denominator).

    The factors are at least 0 and below 2**53, so that floats hold them exactly.
    """
    words = chance.words(first.size)
    kept = min(chance.width, FLOAT_BITS)
    cell = 2.0**-kept
    low = (words >> np.uint64(chance.width - kept)).astype(np.float64) * cell
    product = first.astype(np.float64) * second.astype(np.float64)
    likely = exponential(product / float(denominator))
    answer = low + cell <= likely - MARGIN
    undecided = np.flatnonzero(~answer & (low < likely + MARGIN))
    for position in undecided.tolist():
        exponent = int(first[position]) * int(second[position]) / denominator
        answer[position] = _toss(exponent, int(words[position]), chance)
    return answer


def toss(exponent: Fraction, chance: Chance) -> bool:
    """Return heads with chance e**(-exponent), for an exponent of at least 0."""
    return _toss(exponent, int(chance.words(1)[0]), chance)


def _toss(exponent: Fraction, prefix: int, chance: Chance) -> bool:
    """Return whether the uniform number that starts with this prefix is below e**(-exponent)."""
    if exponent > LARGEST:  # two coins that must both fall heads
        return _toss(Fraction(LARGEST), prefix, chance) and toss(exponent - LARGEST, chance)
    bits = chance.width
    while exponent:
        likely = exp_bounds(-exponent, bits * 302 // 1000 + 10)
        if Fraction(prefix + 1, 1 << bits) <= likely.below:
            return True
        if Fraction(prefix, 1 << bits) >= likely.above:
            return False
        prefix = prefix << chance.width | int(chance.words(1)[0])
        bits += chance.width
    return True
