"""Groups of cells of one Laplace law: their total, and the cells given the total, in floats.

Claim.      In real arithmetic totals and cells have the conditional law. Floats round it, and
            no bound on that is proven.
Reason.     docs/theory/closed_forms.md#real-numbers
Checked by. tests/revision/test_closed_form_continuous.py
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadParameter, Fault
from holdfast.foundation.randomness import Chance, checked_count
from holdfast.noise.laplace import Laplace
from holdfast.noise.uniform import open_uniforms
from holdfast.revision.closed_forms.gamma_draws import categories, gammas, log_factorials, simplex
from holdfast.revision.evidence import NotProven
from holdfast.revision.noisy_tree import NoisyTree

Floats = npt.NDArray[np.float64]
FLOATS = "floats: their rounding is not bounded, and their grid can tell tables apart"
TERMS = 1 << 20  # of mixtures kept at a time


@dataclass(frozen=True)
class ContinuousGroup:
    """So many cells of scale `scale` whose total s has a further weight e**(-|s|/node)."""

    cells: int
    scale: float
    node: float

    @cached_property
    def _logs(self) -> Floats:
        """Return logarithms of factorials, as many as the mixtures take."""
        return log_factorials(2 * self.cells)

    @cached_property
    def _terms(self) -> Floats:
        """Return for j = 0, ..., n - 1 the log weight of |s|**(n - 1 - j) in the total's density.

        The density is e**(-|s|/scale) times this polynomial of |s|/scale.
        """
        n, logs, j = self.cells, self._logs, np.arange(self.cells)
        whole: Floats = logs[n - 1 + j] - logs[n - 1] - logs[n - 1 - j] - logs[j]
        whole -= (n + j) * math.log(2)
        return whole

    def totals(self, chance: Chance, count: int) -> Floats:
        """Return independent totals: a random sign, and a mixture of gamma laws."""
        n, rate, j = self.cells, 1 + self.scale / self.node, np.arange(self.cells)
        mixture = self._terms + self._logs[n - 1 - j] - (n - j) * np.log(rate)
        cumulative = np.cumsum(np.exp(mixture - mixture.max()))
        level = open_uniforms(chance, count) * cumulative[-1]
        chosen = np.minimum(np.searchsorted(cumulative, level, side="right"), n - 1)
        sizes = gammas((n - chosen).astype(np.float64), chance) * (self.scale / rate)
        signs = np.where(open_uniforms(chance, count) < 0.5, -1.0, 1.0)
        return signs * sizes

    def log_density_ratio(self, totals: Floats) -> Floats:
        """Return the logarithm of the density of each total over that of 0."""
        step = max(1, TERMS // self.cells)
        answer = np.empty(totals.size)
        powers = np.arange(self.cells - 1, -1, -1)
        for start in range(0, totals.size, step):
            size = np.abs(totals[start : start + step])[:, None] / self.scale
            logs = self._terms + powers * np.log(np.maximum(size, 1e-300))
            top = logs.max(axis=1, keepdims=True)
            sums = (top + np.log(np.exp(logs - top).sum(axis=1, keepdims=True)) - size)[:, 0]
            answer[start : start + step] = sums
        answer -= self._terms[-1] + np.abs(totals) / self.node
        return np.where(totals == 0, 0.0, answer)

    def fill(self, totals: Floats, chance: Chance) -> Floats:
        """Return for each total the cells that have it as their sum, one group a row."""
        n = self.cells
        if n == 1:
            return totals.reshape(-1, 1).copy()
        sizes = np.abs(totals)
        lowered = self._lowered(sizes / self.scale, chance)
        shapes = (2 * n - 1 - lowered).astype(np.float64)
        overlap = gammas(shapes, chance) * (self.scale / 2)
        positive = (overlap + sizes)[:, None] * simplex(totals.size, n, chance)
        negative = overlap[:, None] * simplex(totals.size, n, chance)
        signs = np.where(totals < 0, -1.0, 1.0)[:, None]
        cells: Floats = signs * (positive - negative)
        return cells

    def _lowered(self, sizes: Floats, chance: Chance) -> npt.NDArray[np.int64]:
        """Return by how much the overlap's gamma law has a smaller shape than 2n - 1."""
        n, logs, k = self.cells, self._logs, np.arange(self.cells)
        fixed = logs[n - 1] - logs[k] - logs[n - 1 - k] + logs[2 * n - 2 - k] + k * np.log(2)
        answer = np.zeros(sizes.size, dtype=np.int64)
        places = np.flatnonzero(sizes > 0)
        step = max(1, TERMS // n)
        for start in range(0, places.size, step):
            these = places[start : start + step]
            answer[these] = categories(fixed + k * np.log(sizes[these])[:, None], chance)
        return answer


class GroupClosedFormContinuous:
    """A sampler of noise on one group: a root over leaves of one Laplace law, in floats."""

    def __init__(self, noisy: NoisyTree) -> None:
        self.noisy = noisy
        if noisy.tree.depth != 2 or not set(noisy.pinned) <= {0}:
            found = "a deeper tree or leaves with public totals"
            raise BadParameter(
                Fault("group", "a root over free leaves", found, "Use method 'gibbs'.")
            )
        node, law = noisy.laws
        if not isinstance(law, Laplace) or not isinstance(node, Laplace):
            raise BadParameter(
                Fault("laws", "Laplace laws", "other laws", "Use method 'gibbs' or 'messages'.")
            )
        self._group = ContinuousGroup(noisy.tree.size - 1, float(law.scale), float(node.scale))

    @property
    def evidence(self) -> NotProven:
        """Return that nothing is proven of floats."""
        return NotProven(FLOATS)

    def noise(self, chance: Chance, count: int) -> Floats:
        """Return so many independent noise vectors over the nodes, one a row."""
        totals = np.zeros(checked_count(chance, count))
        if not self.noisy.pinned:
            totals = self._group.totals(chance, totals.size)
        return np.concatenate([totals[:, None], self._group.fill(totals, chance)], axis=1)
