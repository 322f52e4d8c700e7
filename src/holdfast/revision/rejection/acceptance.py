"""Coins that accept a total with the weight that a node's law gives to it.

Claim.      A total s is accepted with chance r**|s|, or e**(-s**2 / (2 sigma**2)), exactly.
Reason.     docs/theory/rejection.md#the-coins
Checked by. tests/revision/test_tree_rejection.py
"""

from fractions import Fraction
from typing import assert_never

import numpy as np
import numpy.typing as npt

from holdfast.foundation.randomness import Chance
from holdfast.kernels.exponential import MARGIN, exponential
from holdfast.noise.coin import FLOAT_BITS, heads, toss
from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.fixed_point import fixed_power

Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]
LARGEST = 1 << 53  # floats hold whole numbers exactly up to here


def accepted(law: DiscreteLaplace | DiscreteGaussian, totals: Integers, chance: Chance) -> Booleans:
    """Return a coin for each total: heads with the law's weight of it over that of 0."""
    sizes = np.abs(totals)
    far = np.flatnonzero(sizes >= LARGEST)
    if far.size:
        answer = _coins(law, np.where(sizes < LARGEST, sizes, 0), chance)
        for place in far.tolist():
            answer[place] = _single(law, int(sizes[place]), chance)
        return answer
    return _coins(law, sizes, chance)


def _coins(law: DiscreteLaplace | DiscreteGaussian, sizes: Integers, chance: Chance) -> Booleans:
    """Return coins for sizes that floats hold exactly."""
    match law:
        case DiscreteGaussian():
            return heads(sizes, sizes, 2 * law.variance_parameter, chance)
        case DiscreteLaplace():
            if law.scale is not None:
                return heads(sizes, np.ones_like(sizes), law.scale, chance)
            return power_heads(sizes, law.ratio or Fraction(0), float(law.rate), chance)
        case _:
            assert_never(law)


def _single(law: DiscreteLaplace | DiscreteGaussian, size: int, chance: Chance) -> bool:
    """Return one coin for a size of any length."""
    if isinstance(law, DiscreteGaussian):
        return toss(size**2 / (2 * law.variance_parameter), chance)
    if law.scale is not None:
        return toss(size / law.scale, chance)
    return _power_toss(law.ratio or Fraction(0), size, int(chance.words(1)[0]), chance)


def power_heads(sizes: Integers, ratio: Fraction, rate: float, chance: Chance) -> Booleans:
    """Return for each size a coin: heads with chance ratio**size; `rate` is -ln(ratio).

    Decided in floats where the word is clear of the chance, as in `holdfast.noise.coin`.
    """
    words = chance.words(sizes.size)
    kept = min(chance.width, FLOAT_BITS)
    cell = 2.0**-kept
    low = (words >> np.uint64(chance.width - kept)).astype(np.float64) * cell
    likely = exponential(sizes.astype(np.float64) * rate)
    answer: Booleans = low + cell <= likely - MARGIN
    for place in np.flatnonzero(~answer & (low < likely + MARGIN)).tolist():
        answer[place] = _power_toss(ratio, int(sizes[place]), int(words[place]), chance)
    return answer


def _power_toss(ratio: Fraction, size: int, prefix: int, chance: Chance) -> bool:
    """Return whether the uniform number that starts with this prefix is below ratio**size."""
    bits = chance.width
    while True:
        precision = 2 * bits
        power = fixed_power(ratio, size, precision)
        if prefix + 1 << precision <= power.below << bits:
            return True
        if prefix << precision >= power.above << bits:
            return False
        prefix = prefix << chance.width | int(chance.words(1)[0])
        bits += chance.width
