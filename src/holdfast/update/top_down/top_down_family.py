"""One step of TopDown: the cells of all children of one node, whose cells are already final.

Two passes in squares: the children's totals first, where they were measured; then the cells, with
totals kept within a slack of what the first pass gave. Two passes of rounding: totals, then cells.

Checked by. tests/update/test_top_down.py
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import Fault, NotSolved
from holdfast.solvers.quadratic import Quadratic
from holdfast.solvers.whole_programme import Rows, WholeProgramme
from holdfast.worlds.exact_rows import Row

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
SLACK = 0.1  # of a total between the passes, as in production
TINY = 1e-7  # a smaller value is 0
PARTS = 1 << 20  # right sides of rows are whole numbers of these parts
SNAP = 1e-6


@dataclass(frozen=True, eq=False, slots=True)
class Family:
    """The final cells of a parent, and what was measured of each child: cells, and totals."""

    parent: Whole
    cells: Floats  # a child a row
    totals: Floats | None

    def shared_out(self, graded: bool) -> Whole:
        """Return whole cells of the children that add up to the parent's."""
        answer = np.zeros(self.cells.shape, dtype=np.int64)
        active = np.flatnonzero(self.parent > 0)
        if len(self.cells) == 1:
            answer[0] = self.parent
        elif active.size:
            family = Family(self.parent[active], self.cells[:, active], self.totals)
            real = family._squares()
            answer[:, active] = family._rounded(real, graded)
        return answer

    def _squares(self) -> Floats:
        """Return the real cells after both passes."""
        children, cells = self.cells.shape
        place = np.arange(children * cells).reshape(children, cells)
        equal = tuple(
            Row(tuple((int(p), 1) for p in place[:, k]), int(self.parent[k])) for k in range(cells)
        )
        least = [Row(((int(p), 1),), 0) for p in place.reshape(-1)]
        if self.totals is not None and cells > 1:
            first_pass = on_simplex(self.totals, float(self.parent.sum()))
            for child, total in enumerate(first_pass):
                terms = tuple((int(p), PARTS) for p in place[child])
                opposite = tuple((p, -v) for p, v in terms)
                least.append(Row(terms, int(np.floor((total - SLACK) * PARTS))))
                least.append(Row(opposite, int(np.floor((-total - SLACK) * PARTS))))
        weights = np.ones(children * cells)
        point = Quadratic(weights, equal, tuple(least)).nearest(self.cells.reshape(-1)).point
        answer: Floats = np.where(point < TINY, 0.0, point).reshape(children, cells)
        return answer

    def _rounded(self, real: Floats, graded: bool) -> Whole:
        """Return whole cells: totals near the rounded ones first, then cells with these totals."""
        floors = np.floor(real + SNAP)
        beyond = np.clip(real - floors, 0.0, 1.0)
        need = self.parent - floors.sum(axis=0)
        totals = _rounded_totals(beyond, need)
        cost = 1 - 2 * (beyond if graded else np.rint(beyond))
        children, cells = real.shape
        found = WholeProgramme(
            cost.reshape(-1),
            np.zeros(real.size),
            np.ones(real.size),
            (
                Rows(_of_cells(children, cells), need, need),
                Rows(_of_children(children, cells), totals, totals),
            ),
        ).solve()
        if found is None:
            raise _no_rounding()
        return floors.astype(np.int64) + found.reshape(children, cells)


def _rounded_totals(beyond: Floats, need: Floats) -> Floats:
    """Return how many units each child gets, as near as can be to its rounded share."""
    from_parts = np.rint(beyond.sum(axis=1))
    children, cells = beyond.shape
    size = beyond.size
    cost = np.concatenate([np.zeros(size), np.ones(children)])
    high = np.concatenate([np.ones(size), np.full(children, float(cells))])
    wide = _beside(_of_children(children, cells), children, 1.0)
    found = WholeProgramme(
        cost,
        np.zeros(size + children),
        high,
        (
            Rows(_beside(_of_cells(children, cells), children, 0.0), need, need),
            Rows(wide, from_parts, np.full(children, np.inf)),
            Rows(
                _beside(_of_children(children, cells), children, -1.0),
                np.full(children, -np.inf),
                from_parts,
            ),
        ),
    ).solve()
    if found is None:
        raise _no_rounding()
    answer: Floats = found[:size].reshape(children, cells).sum(axis=1).astype(np.float64)
    return answer


def on_simplex(values: Floats, total: float, gives: int = 0) -> Floats:
    """Return the nearest numbers of at least 0 with a given sum.

    Where the sum was measured too, and gives way as one number does, `gives` is 1.
    """
    falling = np.sort(values)[::-1]
    excess = (np.cumsum(falling) - total) / (np.arange(1, values.size + 1) + gives)
    many = int(np.count_nonzero(falling > excess))
    answer: Floats = np.maximum(values - excess[max(many, 1) - 1], 0.0)
    return answer


def _of_cells(children: int, cells: int) -> Floats:
    """Return rows that add a cell up over the children."""
    answer: Floats = np.tile(np.eye(cells), children)
    return answer


def _of_children(children: int, cells: int) -> Floats:
    """Return rows that add up each child's cells."""
    answer: Floats = np.kron(np.eye(children), np.ones(cells)).astype(np.float64)
    return answer


def _beside(rows: Floats, children: int, value: float) -> Floats:
    """Return rows with a further unknown for each child, which stands in its own row, if at all."""
    own = value * np.eye(len(rows), children) if value else np.zeros((len(rows), children))
    answer: Floats = np.hstack([rows, own])
    return answer


def _no_rounding() -> NotSolved:
    return NotSolved(Fault("top down", "whole cells that add up", "none", "Report this."))
