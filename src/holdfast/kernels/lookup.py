"""Find the outcome of each uniform word in a table of floors, many at a time.

`floors[i]` is the whole part of 2**width times P(outcome <= i). A word strictly between two
floors has one outcome whatever its later bits are; a word equal to a floor is left open.

Claim.      `outcomes[j]` is the number of floors below word j; `open_ones` lists every j whose
            word equals a floor, and no other.
Reason.     docs/theory/noise.md#lazily-refined-inversion
Checked by. tests/kernels/test_lookup.py
"""

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]
Integers = npt.NDArray[np.int64]
Guide = npt.NDArray[np.int16 | np.int32]
SMALL = 1 << 15
MIXED = -1  # the slot holds a floor, so its words need a search
GUIDE_BITS = 14


def guide(floors: Words, width: int) -> Guide:
    """Return the outcome of each slot of words that share their first bits, or MIXED.

    Small numbers while they suffice, so that the guide stays in the fastest cache.
    """
    slots = min(width, GUIDE_BITS)
    found = np.searchsorted(floors, np.arange(1 << slots, dtype=np.uint64) << (width - slots))
    answer: Guide = found.astype(np.int16 if floors.size < SMALL else np.int32)
    answer[(floors >> (width - slots)).astype(np.int64)] = MIXED
    return answer


def look_up(words: Words, floors: Words, guided: Guide, width: int) -> tuple[Integers, Integers]:
    """Return the outcome of each word, and the positions of the words that are left open."""
    shift = np.uint64(width - min(width, GUIDE_BITS))
    outcomes = guided[(words >> shift).view(np.int64)].astype(np.int64)
    mixed = np.flatnonzero(outcomes < 0)
    found = np.searchsorted(floors, words[mixed])
    outcomes[mixed] = found
    at_floor = floors[np.minimum(found, floors.size - 1)] == words[mixed]
    return outcomes, mixed[at_floor]
