"""Continuous noise on a tree by messages: research mode, on a fine grid.

Draws lie on multiples of a step, so they are no draws of the continuous law; sums hold on the
grid. Expected errors are those of the continuous law: three grids, each twice as fine, are
extrapolated to step 0.

Claim.      The error of a trapezoid sum has even powers of the step only, where the density is
            smooth but for kinks on the grid; the extrapolation removes the first two.
Reason.     docs/theory/messages.md#continuous-noise
Checked by. tests/revision/test_grid_messages.py
"""

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
DRAWS = 32  # steps in the smallest scale
COARSEST = 16  # the same for expected errors, then doubled twice
SIGMA_BITS = 40  # sigma as a fraction, for the grid alone


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
        self._smallest = min(map(_scale, laws))

    @property
    def evidence(self) -> NotProven:
        """Return why nothing is proven."""
        return NotProven(f"floats on a grid of 1/{DRAWS} of the smallest scale")

    def noise(self, chance: Chance, count: int) -> Floats:
        """Return so many independent noise vectors over the nodes, one a row."""
        steps = self._finest.noise(chance, count).astype(np.float64)
        steps *= float(self._smallest / DRAWS)
        return steps

    @cached_property
    def errors(self) -> tuple[Floats, Floats]:
        """Return the variance of each node's noise, and the mean of its size."""
        found = [self._errors_on(COARSEST << power) for power in range(3)]
        variances, sizes = (_extrapolated(*three) for three in zip(*found, strict=True))
        return variances, sizes

    def half_widths(self, missed: float) -> Floats:
        """Return for each node a size that its noise exceeds no more often: the next on the grid.

        Half a step more covers what lies between the grid's points.
        """
        steps = self._finest.marginals.half_widths(missed)
        widths: Floats = (steps + 0.5 * (steps > 0)) * float(self._smallest / DRAWS)
        return widths

    @cached_property
    def _finest(self) -> TreeMessages:
        return TreeMessages(self._on_grid(self._smallest / DRAWS), self._progress)

    def _errors_on(self, steps: int) -> tuple[Floats, Floats]:
        """Return variances and mean sizes on a grid with so many steps in the smallest scale."""
        step = self._smallest / steps
        squares, sizes = TreeMessages(self._on_grid(step), self._progress).marginals.errors()
        return squares * float(step) ** 2, sizes * float(step)

    def _on_grid(self, step: Fraction) -> NoisyTree:
        """Return the same tree with noise in whole steps."""
        laws = [_in_steps(law, step) for law in self._laws]
        return NoisyTree(self._noisy.tree, laws, self._noisy.pinned)


def _scale(law: Laplace | Gaussian) -> Fraction:
    """Return the scale of a Laplace law, or about the sigma of a Gaussian one."""
    if isinstance(law, Laplace):
        return law.scale
    return Fraction(round(float(law.variance) ** 0.5 * 2**SIGMA_BITS), 2**SIGMA_BITS)


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
