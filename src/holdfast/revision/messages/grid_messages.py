"""Continuous noise on a tree by messages: research mode, on a fine grid.

Draws lie on multiples of a step, a power of 2, so they are no draws of the continuous law, but
they add up exactly. Expected errors are those of the continuous law: three grids, each twice as
fine, are extrapolated to step 0.

Claim.      The error of a trapezoid sum has even powers of the step only, where the density is
            smooth but for kinks on the grid; the extrapolation removes the first two.
Reason.     docs/theory/messages.md#continuous-noise
Checked by. tests/revision/test_grid_messages.py
"""

import math
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadParameter, Fault
from holdfast.foundation.progress import Progress, silent
from holdfast.foundation.randomness import Chance
from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.gaussian import Gaussian
from holdfast.noise.laplace import Laplace
from holdfast.noise.law import Law
from holdfast.revision.evidence import NotProven
from holdfast.revision.messages.tree_messages import TreeMessages
from holdfast.revision.noisy_tree import NoisyTree

Floats = npt.NDArray[np.float64]
DRAWS = 32  # steps in the smallest scale, at least
COARSEST = 6  # steps in the scale that all levels have together, for expected errors; doubled twice


class GridMessages:
    """A sampler of Laplace or Gaussian noise on a tree, on a grid."""

    def __init__(self, noisy: NoisyTree, progress: Progress = silent) -> None:
        laws = [law for law in noisy.laws if isinstance(law, Laplace | Gaussian)]
        if len(laws) < len(noisy.laws):
            raise BadParameter(
                Fault("laws", "continuous laws", "discrete ones", "Use method 'exact'.")
            )
        self._noisy = noisy
        self._progress = progress
        self._laws = laws
        scales = [_scale(law) for law in laws]
        exponent = math.floor(math.log2(min(scales) / DRAWS))
        self._step = Fraction(2) ** exponent
        self._joint = Fraction(1 / sum(1 / scale for scale in scales))

    @property
    def evidence(self) -> NotProven:
        """Return why nothing is proven."""
        return NotProven(f"floats on a grid of step {float(self._step):g}")

    def noise(self, chance: Chance, count: int) -> Floats:
        """Return so many independent noise vectors over the nodes, one a row."""
        steps = self._finest.noise(chance, count).astype(np.float64)
        steps *= float(self._step)
        return steps

    @cached_property
    def errors(self) -> tuple[Floats, Floats]:
        """Return the variance of each node's noise, and the mean of its size."""
        found = [self._errors_on(COARSEST << power) for power in range(3)]
        variances, sizes = (_extrapolated(*three) for three in zip(*found, strict=True))
        return variances, sizes

    def half_widths(self, missed: float) -> Floats:
        """Return for each node a size that its noise exceeds no more often.

        One step more than on the grid: chances fall with the size, so what lies beyond is no
        more than what the grid's points there stand for.
        """
        steps = self._finest.marginals.half_widths(missed) + 1
        steps[list(self._noisy.pinned)] = 0
        widths: Floats = steps.astype(np.float64)
        widths *= float(self._step)
        return widths

    @cached_property
    def _finest(self) -> TreeMessages:
        return TreeMessages(self._on_grid(self._step), self._progress)

    def _errors_on(self, steps: int) -> tuple[Floats, Floats]:
        """Return variances and mean sizes on a grid with so many steps in the joint scale."""
        step = self._joint / steps
        squares, sizes = TreeMessages(self._on_grid(step), self._progress).marginals.errors()
        return squares * float(step) ** 2, sizes * float(step)

    def _on_grid(self, step: Fraction) -> NoisyTree:
        """Return the same tree with noise in whole steps."""
        laws = [_in_steps(law, step) for law in self._laws]
        return NoisyTree(self._noisy.tree, laws, self._noisy.pinned)


def _scale(law: Laplace | Gaussian) -> float:
    """Return the scale of a Laplace law, or the sigma of a Gaussian one."""
    return float(law.scale) if isinstance(law, Laplace) else law.sigma


def _in_steps(law: Laplace | Gaussian, step: Fraction) -> Law:
    """Return the discrete law of the same shape, counted in steps."""
    if isinstance(law, Laplace):
        return DiscreteLaplace(scale=law.scale / step)
    return DiscreteGaussian(law.variance / step**2)


def _extrapolated(coarse: Floats, middle: Floats, fine: Floats) -> Floats:
    """Return the value at step 0 of a polynomial in the step's square (Richardson)."""
    once, again = (4 * middle - coarse) / 3, (4 * fine - middle) / 3
    limit: Floats = (16 * again - once) / 15
    return limit
