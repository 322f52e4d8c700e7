"""How far conditioned noise will stray at each node, known before any data is read.

Reason.     docs/theory/messages.md#the-law-of-one-node
Checked by. tests/revision/test_expected_errors.py
"""

import math
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from holdfast.foundation.progress import Progress
from holdfast.noise.gaussian import Gaussian
from holdfast.noise.law import is_discrete
from holdfast.revision.closed_forms.gaussian_tree import GaussianTree
from holdfast.revision.messages.grid_messages import GridMessages
from holdfast.revision.messages.tree_messages import TreeMessages
from holdfast.revision.noisy_tree import NoisyTree

Floats = npt.NDArray[np.float64]
STEPS = 200  # halvings of an interval: far beyond the last bit


class ExpectedErrors(Protocol):
    """What each node's noise does: numbers about chance, not about data."""

    @property
    def variances(self) -> Floats:
        """Return the variance of each node's noise."""

    @property
    def mean_sizes(self) -> Floats:
        """Return the mean of the size of each node's noise."""

    def half_widths(self, missed: float) -> npt.NDArray[np.int64 | np.float64]:
        """Return for each node a size that its noise exceeds no more often than this."""


def expected_errors(noisy: NoisyTree, progress: Progress) -> ExpectedErrors:
    """Return the errors of noise on a tree, by the road that its laws allow."""
    if all(is_discrete(law) for law in noisy.laws):
        return WholeErrors(noisy, progress)
    if all(isinstance(law, Gaussian) for law in noisy.laws):
        return NormalErrors(GaussianTree(noisy).variance())
    return GridErrors(GridMessages(noisy, progress))


class WholeErrors:
    """Errors of whole-number noise, from the messages."""

    def __init__(self, noisy: NoisyTree, progress: Progress) -> None:
        self._noisy, self._progress = noisy, progress

    @cached_property
    def _messages(self) -> TreeMessages:
        return TreeMessages(self._noisy, self._progress)

    @cached_property
    def _errors(self) -> tuple[Floats, Floats]:
        return self._messages.marginals.errors()

    @property
    def variances(self) -> Floats:
        """Return the variance of each node's noise."""
        return self._errors[0]

    @property
    def mean_sizes(self) -> Floats:
        """Return the mean of the size of each node's noise."""
        return self._errors[1]

    def half_widths(self, missed: float) -> npt.NDArray[np.int64]:
        """Return for each node the smallest size that its noise exceeds no more often."""
        return self._messages.marginals.half_widths(missed)


class GridErrors:
    """Errors of continuous noise, extrapolated from grids."""

    def __init__(self, grid: GridMessages) -> None:
        self._grid = grid

    @property
    def variances(self) -> Floats:
        """Return the variance of each node's noise."""
        return self._grid.errors[0]

    @property
    def mean_sizes(self) -> Floats:
        """Return the mean of the size of each node's noise."""
        return self._grid.errors[1]

    def half_widths(self, missed: float) -> Floats:
        """Return for each node a size that its noise exceeds no more often."""
        return self._grid.half_widths(missed)


class NormalErrors:
    """Errors of Gaussian noise, from its variances."""

    def __init__(self, variances: Floats) -> None:
        self.variances = variances

    @property
    def mean_sizes(self) -> Floats:
        """Return the mean of the size of each node's noise."""
        return np.sqrt(2 / math.pi * self.variances)

    def half_widths(self, missed: float) -> Floats:
        """Return for each node a size that its noise exceeds no more often."""
        return normal_half_width(missed) * np.sqrt(self.variances)


def normal_half_width(missed: float) -> float:
    """Return the size that a standard normal number exceeds with this chance, rounded up.

    >>> round(normal_half_width(0.05), 9)
    1.959963985
    """
    low, high = 0.0, 40.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if math.erfc(middle / math.sqrt(2)) > missed else (low, middle)
    return high
