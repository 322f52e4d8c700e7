"""The point nearest to another in weighted squares that obeys rows; the keeper of PIQP.

Equalities alone are solved by A W A'. With inequalities an interior point method is asked; its
word that it has solved the problem counts for nothing. What counts is measured here: by how much
the worst row is broken, and how far the objective can lie above the least one. The latter by
weak duality: any multipliers of the right sign, good or bad, bound the least objective from
below. Equalities are then restored by a projection.

Claim.      The least objective is at least `objective` - `gap`. For a point that obeys the rows,
            the squares of its distances from the nearest one, times the weights, add up to at
            most `gap`. Both up to rounding.
Reason.     docs/theory/update.md#any-rows
Checked by. tests/solvers/test_quadratic.py
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import Fault, NotSolved
from holdfast.solvers.gram import Gram, matrix_of
from holdfast.worlds.exact_rows import Row

Floats = npt.NDArray[np.float64]
WIDEST_GAP = 1e-6  # of the objective, and of what one unit's move costs at most
WORST_ROW = 1e-6  # of the sizes added up in it


@dataclass(frozen=True, eq=False, slots=True)
class Solved:
    """A point, by how much it breaks its worst row, and a bound on how far from best it is."""

    point: Floats
    off: float
    objective: float
    gap: float


@dataclass(frozen=True, eq=False)
class Quadratic:
    """Rows that are equal to their right sides, rows that are at least these, and weights."""

    weights: Floats
    equal: tuple[Row, ...]
    least: tuple[Row, ...]

    def nearest(self, asked: Floats) -> Solved:
        """Return the nearest point; refuse an answer that does not stand up to measuring."""
        if not self.least:
            return self._measured(asked, np.zeros_like(asked), None)
        try:
            return self._measured(asked, *self._moved(asked, 1.0))
        except NotSolved:  # moves are not small numbers where the rows are far from what is asked
            return self._measured(asked, *self._moved(asked, self._far(asked)))

    def _measured(self, asked: Floats, move: Floats, bound: float | None) -> Solved:
        """Return the point of a move, restored, if it stands up to measuring."""
        point = self._restored(asked + move)
        objective = float(self.weights @ (point - asked) ** 2)
        gap = 0.0 if bound is None else max(0.0, objective - bound)
        solved = Solved(point, self._off(point), objective, gap)
        allowed = WIDEST_GAP * (objective + float(self.weights.max()))
        if gap > allowed or solved.off > WORST_ROW:
            found = f"rows broken by {solved.off:.0e}, objective within {gap:.0e} of the least"
            asked_for = "rows that hold, and a nearest point"
            remedy = "Do the rules conflict, or is the table too far from them?"
            raise NotSolved(Fault("update", asked_for, found, remedy))
        return solved

    def _far(self, asked: Floats) -> float:
        """Return how far, at least, some row is from what is asked: a unit for the moves."""
        rows = (*self.equal, *self.least)
        lengths = [sum(v * v for _, v in row.terms) ** 0.5 for row in rows]
        matrix = matrix_of(rows, asked.size)
        off = (matrix @ asked - np.array([float(row.right) for row in rows])) / np.array(lengths)
        return max(1.0, float(np.abs(off).max()))

    @cached_property
    def _gram(self) -> Gram:
        return Gram(self.equal, self.weights.size)

    @cached_property
    def _right(self) -> Floats:
        return np.array([float(self.equal[number].right) for number in self._gram.kept])

    @cached_property
    def _below(self) -> tuple[Any, Floats]:
        """Return the rows that are at least their right sides."""
        right = np.array([float(row.right) for row in self.least])
        return matrix_of(self.least, self.weights.size), right

    def _moved(self, asked: Floats, unit: float) -> tuple[Floats, float]:
        """Return the move that PIQP finds in units, and a lower bound on the objective."""
        import piqp
        from scipy import sparse

        equal, (least, right) = sparse.csc_matrix(self._gram.matrix), self._below
        missing, short = self._right - equal @ asked, right - least @ asked
        missing, short = missing / unit, short / unit
        largest = self.weights.max()
        square = sparse.diags(self.weights / largest, format="csc")
        solver = piqp.SparseSolver()
        solver.settings.eps_abs, solver.settings.eps_rel = 1e-9, 1e-10
        try:
            none = np.full(short.size, 1e30)
            given = (square, np.zeros(asked.size), equal, missing, sparse.csc_matrix(least))
            solver.setup(*given, short, none)
            status, found = solver.solve(), solver.result
        except (RuntimeError, ValueError, TypeError):
            status = None
        if status != piqp.PIQP_SOLVED:
            fault = Fault("update", "rules that can be solved", "none", "Do the rules conflict?")
            raise NotSolved(fault) from None
        prices = np.maximum(found.z_l, 0.0)
        pull = least.T @ prices - equal.T @ found.y
        bound = prices @ short - found.y @ missing - pull @ (pull / self.weights) * largest / 2
        return found.x * unit, float(2 * largest * bound * unit**2)

    def _restored(self, point: Floats) -> Floats:
        """Return the nearest point at which the equalities hold, to rounding."""
        if not self._gram.kept:
            return point
        spread = 1 / self.weights
        for _ in range(2):
            left = self._gram.matrix @ point - self._right
            point = point - spread * (self._gram.matrix.T @ self._gram.solve(spread, left))
        return point

    def _off(self, point: Floats) -> float:
        """Return by how much the worst row is broken, relative to what it adds up."""
        equal, least = _residuals(self.equal, point), _residuals(self.least, point)
        return float(max(np.abs(equal).max(initial=0.0), -least.min(initial=0.0)))


def _residuals(rows: tuple[Row, ...], point: Floats) -> Floats:
    """Return left less right of each row, over the sum of the sizes in it."""
    matrix = matrix_of(rows, point.size)
    right = np.array([float(row.right) for row in rows])
    sizes = abs(matrix) @ np.abs(point) + np.abs(right) + 1.0
    answer: Floats = (matrix @ point - right) / sizes
    return answer
