"""How far plain noise strays at each node: figures of its laws alone.

Discrete Laplace of ratio r: the mean size is 2 r / (1 - r**2), and more than k is exceeded with
chance 2 r**(k + 1) / (1 + r). Discrete Gaussian: sums over its weights, in floats.

Claim.      Half-widths are exceeded no more often than asked: of discrete Laplace noise by exact
            bounds, of the others up to the rounding of floats.
Reason.     docs/theory/noise.md#how-far-it-strays
Checked by. tests/mechanism/test_plain_errors.py
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, assert_never

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadParameter, Fault
from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.gaussian import Gaussian
from holdfast.noise.laplace import Laplace
from holdfast.noise.law import Law
from holdfast.revision.expected_errors import normal_half_width
from holdfast.revision.messages.marginals import RAREST, SLACK
from holdfast.revision.messages.moments import mean_size, spread, variance
from holdfast.worlds.hierarchy import Hierarchy
from holdfast.worlds.vectors import Numbers

Floats = npt.NDArray[np.float64]
SUMMED = 1 << 12  # sigma up to which a discrete Gaussian is summed; beyond it is all but normal
SIGMAS = 12  # beyond so many a discrete Gaussian has a chance below 1e-31
UP = 1 + 1e-12


@dataclass(frozen=True, slots=True)
class PlainErrors:
    """What each node's noise does, where no rule conditions it."""

    tree: Hierarchy
    laws: tuple[Law, ...]

    @property
    def variances(self) -> Floats:
        """Return the variance of each node's noise."""
        return self._at_nodes([variance_of(law) for law in self.laws])

    @property
    def mean_sizes(self) -> Floats:
        """Return the mean of the size of each node's noise."""
        return self._at_nodes([mean_size_of(law) for law in self.laws])

    def half_widths(self, missed: float) -> Numbers:
        """Return for each node a size that its noise exceeds no more often than this."""
        return self._at_nodes([half_width_of(law, missed) for law in self.laws])

    def _at_nodes(self, figures: list[float]) -> npt.NDArray[Any]:
        """Return each level's figure at each of its nodes; whole numbers stay whole."""
        return np.repeat(np.array(figures), np.diff(self.tree.arrays.level_offsets))


def variance_of(law: Law) -> float:
    """Return the variance of a law."""
    if isinstance(law, DiscreteGaussian):
        square = float(law.variance_parameter)
        return variance(_weights(law)) if _is_summed(law) else square
    return float(law.variance)


def mean_size_of(law: Law) -> float:
    """Return the mean of the size of a draw.

    >>> round(mean_size_of(DiscreteLaplace(Fraction(1, 2))), 12)  # 2 r / (1 - r**2)
    1.333333333333
    """
    match law:
        case DiscreteLaplace():
            rate = float(law.rate)
            return -2 * math.exp(-rate) / math.expm1(-2 * rate)
        case DiscreteGaussian(square):
            return mean_size(_weights(law)) if _is_summed(law) else _normal_size(float(square))
        case Laplace(scale):
            return float(scale)
        case Gaussian():
            return _normal_size(float(law.variance))
        case _:
            assert_never(law)


def half_width_of(law: Law, missed: float) -> float:
    """Return a size that a draw exceeds no more often; of whole numbers, the smallest."""
    match law:
        case DiscreteLaplace():
            return _laplace_width(law, missed)
        case DiscreteGaussian(square):
            if missed < RAREST:
                asked, found = f"a chance of at least {RAREST} to miss", "a smaller one"
                raise BadParameter(Fault("interval", asked, found, "Lower the confidence."))
            if _is_summed(law):
                return spread(_weights(law), missed - SLACK)
            # the weights beyond k are less than their integral from k, and all of them together
            # weigh more than theirs: P(|U| > k) <= P(|N| > k)
            return math.ceil(normal_half_width(missed) * math.sqrt(square) * UP)
        case Laplace(scale):
            return float(scale) * math.log(1 / missed) * UP
        case Gaussian():
            return normal_half_width(missed) * math.sqrt(law.variance) * UP
        case _:
            assert_never(law)


def _laplace_width(law: DiscreteLaplace, missed: float) -> int:
    """Return the smallest size that is exceeded no more often, by the law's exact bounds."""
    rate, allowed = float(law.rate), Fraction(missed)
    size = max(0, math.ceil((math.log(2 / missed) - math.log1p(math.exp(-rate))) / rate) - 1)
    while law.tail_above(size) > allowed:
        size += 1
    while size and law.tail_above(size - 1) <= allowed:
        size -= 1
    return size


def _is_summed(law: DiscreteGaussian) -> bool:
    return law.variance_parameter <= SUMMED**2


def _weights(law: DiscreteGaussian) -> Floats:
    """Return the weights of -r, ..., r, beyond which nothing is left that floats would notice."""
    square = float(law.variance_parameter)
    reach = math.ceil(SIGMAS * math.sqrt(square)) + 1
    weights: Floats = np.exp(-(np.arange(-reach, reach + 1.0) ** 2) / (2 * square))
    return weights


def _normal_size(square: float) -> float:
    return math.sqrt(2 / math.pi * square)
