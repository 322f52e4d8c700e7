"""Draw the total of the root from its message, exactly.

Checked by. tests/revision/test_tree_messages.py
"""

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from holdfast.foundation.randomness import Chance
from holdfast.noise.fixed_point import Fixed
from holdfast.noise.inversion import Inversion, Weights
from holdfast.revision.messages.settling import whole_weights

Integers = npt.NDArray[np.int64]


class RootTotal:
    """Totals -r, ..., r with given weights, each a float and so a fraction."""

    __slots__ = ("_tables", "_weights")

    def __init__(self, weights: npt.NDArray[np.float64]) -> None:
        self._weights, _ = whole_weights(weights)
        self._tables: dict[int, Inversion] = {}

    def weigh(self, precision: int) -> Weights:
        """Return the weights, which are exact whatever the precision asked."""
        return Weights([Fixed(w, w, precision) for w in self._weights], 0)

    def cumulative(self, outcome: int) -> Fraction | None:
        """Return the chance of at most this outcome."""
        return Fraction(sum(self._weights[: outcome + 1]), sum(self._weights))

    def draw(self, chance: Chance, count: int) -> Integers:
        """Return independent totals."""
        if len(self._weights) == 1:
            return np.zeros(count, dtype=np.int64)
        if chance.width not in self._tables:
            self._tables[chance.width] = Inversion(self, chance.width)
        return self._tables[chance.width].draw(chance, count) - len(self._weights) // 2
