"""The noise vectors that obey rows, by their free cells: completed, weighed, drawn to start.

Checked by. tests/revision/test_metropolis.py
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, assert_never

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadParameter, Fault
from holdfast.foundation.randomness import Chance
from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.gaussian import Gaussian
from holdfast.noise.laplace import Laplace
from holdfast.noise.law import Law, is_discrete
from holdfast.revision.chains.free_cells import Integers, Values, free_cells, lines_of
from holdfast.revision.noisy_system import NoisySystem

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """For each free cell the cells that move with it, and how fast; padded by a cell of no law."""

    cells: Integers
    speeds: Values


class NoiseSpace:
    """Noise vectors over all cells that obey the rows of a system."""

    def __init__(self, system: NoisySystem) -> None:
        kinds = {is_discrete(law) for law in system.laws}
        if len(kinds) > 1:
            asked = "discrete or continuous laws"
            raise BadParameter(Fault("laws", asked, "both kinds", "Use one kind."))
        self.laws, self.whole = system.laws, kinds == {True}
        found = free_cells(system.rows, len(system.laws))
        if not found.free:
            asked = "rows that leave a cell free"
            raise BadParameter(Fault("rows", asked, "rows that settle all cells", "Drop some."))
        self.free = np.array(found.free)
        place = {cell: number for number, cell in enumerate(found.free)}
        solved = {
            cell: {place[free]: value for free, value in terms.items()}
            for cell, terms in sorted(found.solved.items())
            if terms
        }
        self._solved = np.array(list(solved), dtype=np.int64)
        self._lines = lines_of(list(solved.values()), self.whole)

    @property
    def cells(self) -> int:
        """Return the number of cells."""
        return len(self.laws)

    def complete(self, free: Values) -> Values:
        """Return the noise vectors with these free cells, one a row."""
        noise = np.zeros((len(free), self.cells), dtype=free.dtype)
        noise[:, self.free] = free
        noise[:, self._solved] = self._lines.times(free)
        return noise

    def draw(self, chance: Chance, count: int) -> Values:
        """Return free cells drawn by their laws alone, as if there were no other cell."""
        free = np.empty((count, self.free.size), dtype=np.int64 if self.whole else np.float64)
        laws = [self.laws[cell] for cell in self.free.tolist()]
        for law in dict.fromkeys(laws):
            places = np.array([place for place, other in enumerate(laws) if other == law])
            free[:, places] = law.draw(chance, (count, places.size))
        return free

    def energy(self, noise: Values) -> Floats:
        """Return minus the logarithm of each vector's density, up to a constant."""
        total: Floats = energies(noise, self.rates[:-1]).sum(axis=1)
        return total

    @cached_property
    def rates(self) -> Floats:
        """Return what each cell's size costs, and what its square costs; a cell of no law last."""
        return np.array([*(rates_of(law) for law in self.laws), (0.0, 0.0)])

    @cached_property
    def columns(self) -> Columns:
        """Return the cells that move with each free cell."""
        ends = [*self._lines.starts.tolist(), self._lines.places.size]
        moved: list[list[tuple[int, Any]]] = [[(cell, 1)] for cell in self.free.tolist()]
        for cell, start, stop in zip(self._solved.tolist(), ends, ends[1:], strict=False):
            for number in range(start, stop):
                speed = self._lines.coefficients[number]
                moved[self._lines.places[number]].append((cell, speed))
        width = max(map(len, moved))
        cells = np.full((len(moved), width), self.cells, dtype=np.int64)
        speeds = np.zeros((len(moved), width), dtype=np.int64 if self.whole else np.float64)
        for number, pairs in enumerate(moved):
            for column, (cell, speed) in enumerate(pairs):
                cells[number, column], speeds[number, column] = cell, speed
        return Columns(cells, speeds)


def rates_of(law: Law) -> tuple[float, float]:
    """Return a and b of the weight e**(-a |u| - b u**2)."""
    match law:
        case Laplace(scale):
            return 1 / float(scale), 0.0
        case Gaussian(variance):
            return 0.0, 1 / (2 * float(variance))
        case DiscreteLaplace():
            return float(law.rate.below), 0.0
        case DiscreteGaussian(square):
            return 0.0, 1 / (2 * float(square))
        case _:
            assert_never(law)


def energies(noise: Values, rates: Floats) -> Floats:
    """Return what each number of noise costs."""
    size = np.abs(noise)
    answer: Floats = rates[..., 0] * size
    if rates[..., 1].any():
        answer += rates[..., 1] * size.astype(np.float64) ** 2
    return answer


def smallest_scale(space: NoiseSpace) -> Fraction:
    """Return the least scale of a free cell, as a fraction with the digits of a float."""
    pairs = [rates_of(space.laws[cell]) for cell in space.free.tolist()]
    return Fraction(
        min(1 / linear if linear else math.sqrt(0.5 / square) for linear, square in pairs)
    )
