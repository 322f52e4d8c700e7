"""Gaussian noise on a tree given its sums, by two sweeps: nothing is solved.

Claim.      A draw has the conditional law, up to the rounding of floats.
Reason.     docs/theory/revision.md#gaussian-noise-both-views-coincide
Checked by. tests/revision/test_gaussian_closed_form.py
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from holdfast.foundation.randomness import Chance
from holdfast.revision.closed_forms.gaussian_closed_form import (
    FLOATS,
    cell_of,
    standard_draws,
    variances_of,
)
from holdfast.revision.evidence import NotProven
from holdfast.revision.noisy_tree import NoisyTree
from holdfast.solvers.tree_sweeps import TreeSweeps

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, init=False, repr=False)
class GaussianTree:
    """Gaussian noise on a tree given its sums, the noise of pinned nodes being 0."""

    sweeps: TreeSweeps

    def __init__(self, noisy: NoisyTree) -> None:
        variances = np.array(variances_of(noisy.laws))[noisy.tree.levels]
        variances[noisy.is_pinned] = 0
        object.__setattr__(self, "sweeps", TreeSweeps(noisy.tree.arrays, variances))

    @property
    def evidence(self) -> NotProven:
        """Return that floats carry no proof."""
        return FLOATS

    def noise(self, chance: Chance, count: int) -> Floats:
        """Return so many independent noise vectors over the nodes, one a row."""
        noise = standard_draws(chance, count, self.sweeps.alone.size)
        noise *= np.sqrt(self.sweeps.alone)
        return self.sweeps.share_out(noise)

    def variance(self) -> Floats:
        """Return the variance of the noise of each node."""
        return self.sweeps.variance()

    def covariance(self, one: int, other: int) -> float:
        """Return the covariance of the noise of two nodes."""
        size = self.sweeps.alone.size
        return self.sweeps.covariance(cell_of(one, size), cell_of(other, size))
