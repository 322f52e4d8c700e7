"""Exact draws by inversion of a lazily refined uniform number.

A uniform number V is revealed word by word. Its first word settles the outcome unless a
cumulative probability falls within the word's cell; then, and only then, more words are drawn
and the probabilities are computed more closely. Nothing is truncated and nothing is rounded.

Claim.      The law of the outcome is the weights' law, without error.
Reason.     docs/theory/noise.md#lazily-refined-inversion
Checked by. tests/noise/test_exact_laws.py
"""

from bisect import bisect_left
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import Protocol

import numpy as np
import numpy.typing as npt

from holdfast.foundation.randomness import Chance
from holdfast.kernels.lookup import guide, look_up
from holdfast.noise.fixed_point import Fixed

Integers = npt.NDArray[np.int64]
GUARD = 40  # extra bits of precision; doubled until every floor is decided
LONG_GUARD = 320  # from here on a rational chance is computed in full


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of outcomes 0, 1, 2, ... and a bound on the weight of all that are not listed."""

    listed: list[Fixed]
    rest: int

    @property
    def finite(self) -> bool:
        """Return whether the listed outcomes are all there are."""
        return self.rest == 0


class Weighing(Hashable, Protocol):
    """A law on outcomes 0, 1, 2, ...: hashable, and able to weigh them as closely as asked."""

    def weigh(self, precision: int) -> Weights:
        """Return weights to about 2**-precision; `rest` is a bound on those not listed."""

    def cumulative(self, outcome: int) -> Fraction | None:
        """Return P(at most this outcome) where it is known to be rational, else None."""


def floors(weighing: Weighing, bits: int) -> list[int]:
    """Return floor(2**bits * P(outcome <= i)) for i = 0, 1, ..., up to the first 2**bits - 1.

    The last outcome of a finite law has no floor: its cumulative probability is 1. Precision
    grows until every floor is decided; a rational chance is computed in full.
    """
    guard = GUARD
    while (found := _floors_within(weighing, bits, guard)) is None:
        guard *= 2
    return found


def _floors_within(weighing: Weighing, bits: int, guard: int) -> list[int] | None:
    """Return the floors, or None where this precision leaves one of them undecided."""
    weights = weighing.weigh(bits + guard)
    below = list(accumulate(weight.below for weight in weights.listed))
    above = list(accumulate(weight.above for weight in weights.listed))
    least, most = below[-1], above[-1] + weights.rest
    last = (1 << bits) - 1
    answer: list[int] = []
    for outcome in range(len(below) - weights.finite):
        low = (below[outcome] << bits) // most
        high = min((above[outcome] << bits) // least, last)
        if low != high:
            exact = weighing.cumulative(outcome) if guard >= LONG_GUARD else None
            if exact is None:
                return None
            low = (exact.numerator << bits) // exact.denominator
        answer.append(low)
        if low == last:
            return answer
    return answer if weights.finite else None  # too little was listed: more precision lists more


class Inversion:
    """A table for one word width, refined for the rare word that does not settle its outcome."""

    __slots__ = ("_floors", "_guide", "_weighing", "_width")

    def __init__(self, weighing: Weighing, width: int) -> None:
        self._weighing = weighing
        self._width = width
        self._floors = np.array(_floors_to(weighing, width), dtype=np.uint64)
        self._guide = guide(self._floors, width)

    def draw(self, chance: Chance, count: int) -> Integers:
        """Return so many independent outcomes."""
        words = chance.words(count)
        outcomes, open_ones = look_up(words, self._floors, self._guide, self._width)
        for position in open_ones.tolist():
            outcomes[position] = self._refine(int(words[position]), chance)
        return outcomes

    def _refine(self, prefix: int, chance: Chance) -> int:
        """Return the outcome of a uniform number that starts with this prefix."""
        return settled(self._weighing, prefix, self._width, chance)


_floors_to = lru_cache(maxsize=512)(floors)


def settled(weighing: Weighing, prefix: int, bits: int, chance: Chance) -> int:
    """Return the outcome of a uniform number whose first bits are this prefix."""
    while True:
        found = _floors_to(weighing, bits)
        outcome = bisect_left(found, prefix)
        if outcome == len(found) or found[outcome] != prefix:
            return outcome
        prefix = prefix << chance.width | int(chance.words(1)[0])
        bits += chance.width


@lru_cache(maxsize=512)
def inversion(weighing: Weighing, width: int) -> Inversion:
    """Return the table of a law, made once."""
    return Inversion(weighing, width)
