"""Uniform floats strictly between 0 and 1, for the continuous laws."""

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadParameter, Fault
from holdfast.foundation.randomness import Chance

LARGEST = Fraction(1 << 400)
BITS = 52  # a half step more still fits a float, so that 0 and 1 never come


def fits_floats(number: Fraction, subject: str) -> Fraction:
    """Return a parameter that floats can carry, squared or not; refuse any other."""
    if not 1 / LARGEST <= number <= LARGEST:
        raise BadParameter(
            Fault(subject, "from 2**-400 to 2**400", "a number beyond", "Use another unit.")
        )
    return number


def open_uniforms(chance: Chance, count: int) -> npt.NDArray[np.float64]:
    """Return the middles of equal cells, each cell equally likely."""
    bits = min(BITS, chance.width)
    words = chance.words(count) >> np.uint64(chance.width - bits)
    return (words.astype(np.float64) + 0.5) * 2.0**-bits
