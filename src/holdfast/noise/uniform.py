"""Uniform floats strictly between 0 and 1, for the continuous laws."""

import numpy as np
import numpy.typing as npt

from holdfast.foundation.randomness import Chance

BITS = 52  # a half step more still fits a float, so that 0 and 1 never come


def open_uniforms(chance: Chance, count: int) -> npt.NDArray[np.float64]:
    """Return the middles of equal cells, each cell equally likely."""
    bits = min(BITS, chance.width)
    words = chance.words(count) >> np.uint64(chance.width - bits)
    return (words.astype(np.float64) + 0.5) * 2.0**-bits
