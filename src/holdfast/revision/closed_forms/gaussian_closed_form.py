"""Gaussian noise given equalities, in closed form: a draw of it, moved onto the rows.

With D the diagonal of the cells' variances, V a draw without the rows A, and G = A D A':
the noise is V - D A' G**-1 A V, and its covariance S(D) = D - D A' G**-1 A D. Trees have a
shorter way: `gaussian_tree`.

Claim.      A draw has the conditional law, up to the rounding of floats.
Reason.     docs/theory/revision.md#gaussian-noise-both-views-coincide
Checked by. tests/revision/test_gaussian_closed_form.py
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadParameter, Fault
from holdfast.foundation.exact import whole
from holdfast.foundation.randomness import Chance, checked_count
from holdfast.noise.gaussian import Gaussian
from holdfast.noise.law import Law
from holdfast.revision.evidence import NotProven
from holdfast.revision.noisy_system import NoisySystem
from holdfast.solvers.gram import Gram

MOST_VARIANCES = 10_000  # cells of a system whose variances are all computed: one solution each
BLOCK = 256
FLOATS = NotProven("floats: the set of draws that can come out depends on rounding")

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False, init=False, repr=False)
class GaussianClosedForm:
    """Gaussian noise on cells given rows of whole numbers, each cell with its own variance."""

    weights: Floats
    gram: Gram

    def __init__(self, system: NoisySystem) -> None:
        object.__setattr__(self, "weights", np.array(variances_of(system.laws)))
        object.__setattr__(self, "gram", Gram(system.rows, len(system.laws)))

    @property
    def evidence(self) -> NotProven:
        """Return that floats carry no proof."""
        return FLOATS

    def noise(self, chance: Chance, count: int) -> Floats:
        """Return so many independent noise vectors over the cells, one a row."""
        drawn = standard_draws(chance, count, self.weights.size)
        return self.gram.projection(self.weights, drawn * np.sqrt(self.weights))

    def covariance(self, one: int, other: int) -> float:
        """Return the covariance of the noise of two cells."""
        row, column = (cell_of(cell, self.weights.size) for cell in (one, other))
        return float(self._columns(np.array([column]))[0, row])

    def variance(self) -> Floats:
        """Return the variance of the noise of each cell; refused for more than 10,000 cells.

        A tree of any size has `GaussianTree`; single cells have `covariance(cell, cell)`.
        """
        size = self.weights.size
        if size > MOST_VARIANCES:
            asked, remedy = f"at most {MOST_VARIANCES} cells", "Use GaussianTree, or covariance."
            raise BadParameter(Fault("variance", asked, str(size), remedy))
        blocks = (np.arange(low, min(low + BLOCK, size)) for low in range(0, size, BLOCK))
        found = [self._columns(cells)[np.arange(cells.size), cells] for cells in blocks]
        return np.maximum(np.concatenate(found), 0)  # a cell the rows force to 0 may round below

    def _columns(self, cells: Integers) -> Floats:
        """Return the columns of S(D) of these cells, one a row."""
        seen = self.gram.matrix.T.tocsr()[cells].toarray() * self.weights[cells, None]
        moved = self.gram.matrix.T @ self.gram.solve(self.weights, seen.T)
        columns: Floats = -(self.weights[:, None] * moved).T
        columns[np.arange(cells.size), cells] += self.weights[cells]
        return columns


def variances_of(laws: Iterable[Law]) -> list[float]:
    """Return the variance of each law; refuse what is no continuous Gaussian."""
    given = list(laws)
    found = [float(law.variance) for law in given if isinstance(law, Gaussian)]
    if len(found) < len(given):
        asked, other = "continuous Gaussian noise on each cell", "another law"
        raise BadParameter(Fault("laws", asked, other, "Use Gaussian.with_scale."))
    return found


def standard_draws(chance: Chance, count: int, cells: int) -> Floats:
    """Return independent Gaussian draws of variance 1."""
    return Gaussian(Fraction(1)).draw(chance, (checked_count(chance, count), cells))


def cell_of(cell: object, size: int) -> int:
    """Return the number of a cell."""
    return whole(cell, "cell", least=0, most=size - 1)
