"""Linear programmes in whole numbers: small, exact, without a tolerance.

The simplex method with Bland's rule, which ends, on a tableau kept whole by Edmonds' exact
division. It decides what may be true; large programmes belong to the solvers.

Claim.      The answer is exact.
Reason.     docs/theory/invariants.md#exact-programmes
Checked by. tests/worlds/test_exact_program.py
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

Tableau = npt.NDArray[Any]
Variable = Hashable
UNBOUNDED: Final = "unbounded"


@dataclass(frozen=True, slots=True)
class Condition:
    """The sum of coefficient times variable equals, or is at least, the right side."""

    terms: Mapping[Variable, int]
    relation: Literal["=", ">="]
    right: int


@dataclass(slots=True)
class _Simplex:
    """A tableau whose entries are `tableau / unit`; the last row holds the reduced costs."""

    tableau: Tableau
    basis: list[int]
    unit: int = 1

    def pivot(self, row: int, column: int) -> None:
        """Bring a column into the basis in place of this row's."""
        if self.tableau[row, column] < 0:
            self.tableau[row] = -self.tableau[row]
        unit, line = self.tableau[row, column], self.tableau[row].copy()
        outer = np.outer(self.tableau[:, column], line)
        self.tableau = (self.tableau * unit - outer) // self.unit
        self.tableau[row] = line
        self.unit = unit
        self.basis[row] = column

    def descend(self, columns: int) -> bool:
        """Lower the cost as far as it goes over these columns; return False where unbounded."""
        while True:
            entering = next((c for c in range(columns) if self.tableau[-1, c] < 0), None)
            if entering is None:
                return True
            row = self._leaving(entering)
            if row is None:
                return False
            self.pivot(row, entering)

    def _leaving(self, column: int) -> int | None:
        """Return the row that limits the column, by Bland's rule, or None."""
        rows = [r for r in range(len(self.basis)) if self.tableau[r, column] > 0]
        return min(
            rows,
            key=lambda r: (Fraction(self.tableau[r, -1], self.tableau[r, column]), self.basis[r]),
            default=None,
        )


def feasible(conditions: Sequence[Condition], nonnegative: bool) -> bool:
    """Return whether numbers exist that obey all conditions, all of them >= 0 if asked."""
    return _first_corner(conditions, nonnegative, {}) is not None


def least(
    objective: Mapping[Variable, int], conditions: Sequence[Condition], nonnegative: bool
) -> Fraction | Literal["unbounded"] | None:
    """Return the least value of the objective, "unbounded", or None where nothing is feasible."""
    found = _first_corner(conditions, nonnegative, objective)
    if found is None:
        return None
    simplex, columns = found
    simplex.tableau[-1] = _cost_row(simplex, columns, objective)
    if not simplex.descend(simplex.tableau.shape[1] - 1):
        return UNBOUNDED
    return Fraction(-simplex.tableau[-1, -1], simplex.unit)


Columns = dict[Variable, tuple[int, int | None]]


def _columns(variables: Sequence[Variable], nonnegative: bool) -> Columns:
    """Return each variable's column, and the column of its negative part where it is free."""
    if nonnegative:
        return {variable: (number, None) for number, variable in enumerate(variables)}
    return {variable: (2 * number, 2 * number + 1) for number, variable in enumerate(variables)}


def _first_corner(
    conditions: Sequence[Condition], nonnegative: bool, objective: Mapping[Variable, int]
) -> tuple[_Simplex, Columns] | None:
    """Return a feasible tableau without its artificial columns, or None."""
    names = dict.fromkeys(v for condition in conditions for v in condition.terms)
    columns = _columns(list(names | dict.fromkeys(objective)), nonnegative)
    simplex, real = _start(conditions, columns)
    simplex.descend(real)
    if simplex.tableau[-1, -1] != 0:
        return None
    for row, column in enumerate(simplex.basis):
        if column >= real:  # an artificial column at 0: drive it out, or its row says 0 = 0
            other = next((c for c in range(real) if simplex.tableau[row, c] != 0), None)
            if other is not None:
                simplex.pivot(row, other)
    kept = [row for row, column in enumerate(simplex.basis) if column < real]
    wide = [*range(real), simplex.tableau.shape[1] - 1]
    simplex.tableau = simplex.tableau[np.ix_([*kept, len(simplex.basis)], wide)]
    simplex.basis = [simplex.basis[row] for row in kept]
    return simplex, columns


def _start(conditions: Sequence[Condition], columns: Columns) -> tuple[_Simplex, int]:
    """Return the tableau with one artificial column a row, its cost their sum."""
    count = len(conditions)
    plain = sum(1 if negative is None else 2 for _, negative in columns.values())
    surplus = [number for number, c in enumerate(conditions) if c.relation == ">="]
    real = plain + len(surplus)
    tableau = np.zeros((count + 1, real + count + 1), dtype=object)
    for number, condition in enumerate(conditions):
        _fill(tableau[number], condition.terms, columns)
        tableau[number, -1] = condition.right
    for place, number in enumerate(surplus):
        tableau[number, plain + place] = -1
    for number in range(count):
        if tableau[number, -1] < 0:
            tableau[number] = -tableau[number]
        tableau[number, real + number] = 1
        tableau[-1, :real] -= tableau[number, :real]
        tableau[-1, -1] -= tableau[number, -1]
    return _Simplex(tableau, [real + number for number in range(count)]), real


def _fill(line: Tableau, terms: Mapping[Variable, int], columns: Columns) -> None:
    """Write the coefficients of a row into its columns."""
    for variable, coefficient in terms.items():
        column, negative = columns[variable]
        line[column] += coefficient
        if negative is not None:
            line[negative] -= coefficient


def _cost_row(simplex: _Simplex, columns: Columns, objective: Mapping[Variable, int]) -> Tableau:
    """Return the reduced costs of the objective at the present corner."""
    plain = np.zeros(simplex.tableau.shape[1], dtype=object)
    _fill(plain, objective, columns)
    costs = plain * simplex.unit
    for row, column in enumerate(simplex.basis):
        costs = costs - plain[column] * simplex.tableau[row]
    return costs
