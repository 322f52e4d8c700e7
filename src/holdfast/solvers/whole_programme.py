"""Whole numbers of least cost between ends that keep rows between ends; SciPy's HiGHS.

What it hands back is rounded to whole numbers and left to the caller to check exactly. After a
minute it is the best found so far, which need not be the cheapest.

Checked by. tests/solvers/test_whole_programme.py
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
SECONDS = 60.0


@dataclass(frozen=True, eq=False, slots=True)
class Rows:
    """A matrix, sparse or dense, times the unknowns, between two ends each."""

    matrix: Any
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False, slots=True)
class WholeProgramme:
    """Minimise cost * x, x whole and between `low` and `high`, rows of x between their ends."""

    cost: Floats
    low: Floats
    high: Floats
    rows: tuple[Rows, ...]

    def solve(self) -> Whole | None:
        """Return a solution, or None where none was found."""
        from scipy import sparse
        from scipy.optimize import Bounds, LinearConstraint, milp

        blocks = [sparse.csr_array(block.matrix) for block in self.rows]
        matrix = sparse.vstack(blocks, format="csr")
        low = np.concatenate([block.low for block in self.rows])
        high = np.concatenate([block.high for block in self.rows])
        kept = np.diff(matrix.indptr) > 0
        if (low > high).any() or ((low > 0) | (high < 0))[~kept].any():
            return None  # a row that does not hold, whatever the unknowns
        found = milp(
            self.cost / max(1.0, float(np.abs(self.cost).max(initial=0.0))),
            integrality=np.ones(self.cost.size),
            bounds=Bounds(self.low, self.high),
            constraints=LinearConstraint(matrix[kept], low[kept], high[kept]),
            options={"time_limit": SECONDS},
        )
        return None if found.x is None else np.rint(found.x).astype(np.int64)
