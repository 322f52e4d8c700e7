"""What a split of the budget is to make small: one number from each level's mean error.

Checked by. tests/publication/forecast/test_best_split.py
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadParameter, Fault, shown
from holdfast.foundation.exact import positive
from holdfast.worlds.hierarchy import Hierarchy

Floats = npt.NDArray[np.float64]
LEAST, MOST = Fraction(1, 10**6), 10**6  # errors that can be wished for


@dataclass(frozen=True, eq=False, slots=True)
class Objective:
    """The sum over the levels, or the largest, of weight times mean error."""

    weights: Floats
    is_worst: bool

    def of(self, errors: Floats, norm: float = math.inf) -> float:
        """Return the number; the largest may be softened to a norm, which has no edges."""
        parts = self.weights * errors
        if not self.is_worst:
            return float(parts.sum())
        largest = float(parts.max())
        if math.isinf(norm) or not 0 < largest < math.inf:
            return largest
        softened: float = largest * float(((parts / largest) ** norm).sum()) ** (1 / norm)
        return softened


def objective_of(tree: Hierarchy, asked: object) -> Objective:
    """Return the objective of a word or of a mapping from level to the mean error wanted there."""
    nodes = np.diff(tree.arrays.level_offsets).astype(np.float64)
    if isinstance(asked, Mapping) and asked:
        weights = np.zeros(tree.depth)
        for name, wish in asked.items():
            weights[tree.level_number(name)] = 1 / _wished(wish, f"error at {shown(name)}")
        return Objective(weights, True)
    if asked == "total":
        return Objective(nodes, False)
    if asked == "worst":
        return Objective(np.ones(tree.depth), True)
    words = '"total", "worst", or a mapping from level to the error wanted there'
    raise BadParameter(Fault("objective", words, shown(asked), 'Use "total".'))


def _wished(wish: object, subject: str) -> float:
    """Return a mean error that is wanted."""
    error = positive(wish, subject)
    if not LEAST <= error <= MOST:
        asked, remedy = "an error from 0.000001 to 1,000,000", "Ask for one within these."
        raise BadParameter(Fault(subject, asked, shown(wish), remedy))
    return float(error)
