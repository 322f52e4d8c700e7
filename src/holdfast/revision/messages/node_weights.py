"""The weights of a law as floats, with a proven bound on their relative error.

Checked by. tests/revision/test_messages.py
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import islice

import numpy as np
import numpy.typing as npt

from holdfast.noise.blocks import half_line
from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.fixed_point import Fixed, powers
from holdfast.noise.law import DiscreteLaw

PRECISION = 256  # the weights that are followed are far above 2**-256


@dataclass(frozen=True, eq=False, slots=True)
class NodeWeights:
    """e**(-|s|/scale) or e**(-s**2 / (2 sigma**2)) for |s| up to a radius."""

    weights: npt.NDArray[np.float64]
    error: Fraction  # relative


def fixed_weights(law: DiscreteLaw, radius: int, precision: int) -> list[Fixed]:
    """Return bounds on the weights of 0, 1, ..., radius."""
    match law:
        case DiscreteLaplace():
            return list(islice(powers(law.falling(precision)), radius + 1))
        case DiscreteGaussian(square):
            return [w for w, _ in islice(half_line(square, 0, 1, precision), radius + 1)]


@lru_cache(maxsize=128)
def node_weights(law: DiscreteLaw, radius: int) -> NodeWeights:
    """Return the weights with the largest relative error found."""
    listed = fixed_weights(law, radius, PRECISION)
    half = np.array([math.ldexp(w.below, -PRECISION) for w in listed])
    errors = (
        Fraction(w.above - w.below + abs(Fraction(f) * 2**PRECISION - w.below)) / w.below
        for w, f in zip(listed, half.tolist(), strict=True)
    )
    return NodeWeights(np.concatenate([half[:0:-1], half]), max(errors))
