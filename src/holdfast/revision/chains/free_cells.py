"""Which cells are free under rows, and every other cell as a sum of free ones. Exact.

A row is solved for its first cell, so on a tree, whose nodes come before their children, the
leaves are free and every other node is the sum of its leaves.

Claim.      Noise obeys the rows exactly if every solved cell is its sum of free cells.
Reason.     docs/theory/chains.md#free-cells
Checked by. tests/revision/test_metropolis.py
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadParameter, Fault
from holdfast.worlds.exact_rows import Row

Terms = dict[int, Fraction]
Integers = npt.NDArray[np.int64]
Values = npt.NDArray[Any]
LARGEST = 2**20  # coefficients of whole noise: its sums then stay within 64 bits


@dataclass(frozen=True, slots=True)
class FreeCells:
    """The free cells, and each solved cell's coefficients over them."""

    free: tuple[int, ...]
    solved: dict[int, Terms]


def free_cells(rows: Sequence[Row], cells: int) -> FreeCells:
    """Return the free cells of rows whose right sides are 0, and the solved ones."""
    solved: dict[int, Terms] = {}
    users: dict[int, set[int]] = {}
    for row in reversed(rows):  # the deepest sums first: then little is replaced on a tree
        terms = reduced(row, solved)
        if terms:
            first = min(terms)
            scale = -terms.pop(first)
            line = {cell: value / scale for cell, value in terms.items()}
            for user in users.pop(first, set()):
                _add(solved[user], line, solved[user].pop(first, Fraction(0)))
                _enter(users, line, user)
            solved[first] = line
            _enter(users, line, first)
    return FreeCells(tuple(cell for cell in range(cells) if cell not in solved), solved)


def reduced(row: Row, solved: dict[int, Terms]) -> Terms:
    """Return the coefficients of a row, every solved cell replaced by its line."""
    terms: Terms = {}
    for cell, value in row.terms:
        _add(terms, solved.get(cell, {cell: Fraction(1)}), Fraction(value))
    return terms


def _add(terms: Terms, line: Terms, share: Fraction) -> None:
    """Add a multiple of a line; a coefficient that becomes 0 disappears."""
    for cell, value in line.items() if share else ():
        total = terms.get(cell, Fraction(0)) + share * value
        if total:
            terms[cell] = total
        else:
            terms.pop(cell, None)


def _enter(users: dict[int, set[int]], line: Terms, user: int) -> None:
    """Note that a solved cell uses the cells of a line; a note may outlive its use."""
    for cell in line:
        users.setdefault(cell, set()).add(user)


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Sparse lines of coefficients, none empty, that are multiplied with many vectors."""

    starts: Integers
    places: Integers
    coefficients: Values

    def times(self, vectors: Values) -> Values:
        """Return each line times each row vector, one vector a row."""
        if not self.starts.size:
            return np.zeros((len(vectors), 0), dtype=vectors.dtype)
        products = vectors[:, self.places] * self.coefficients
        summed: Values = np.add.reduceat(products, self.starts, axis=1)
        return summed


def lines_of(listed: Sequence[dict[int, Fraction]], whole: bool) -> Lines:
    """Return lines as arrays: of int64 where noise is whole, else of floats."""
    values = [value for line in listed for value in line.values()]
    if whole and any(value.denominator != 1 or abs(value) > LARGEST for value in values):
        asked = "rows whose solved cells are whole sums of free cells, coefficients up to 2**20"
        found = "a broken or larger coefficient"
        raise BadParameter(Fault("rows", asked, found, "Use continuous laws."))
    numbers = [int(value) if whole else float(value) for value in values]
    starts = np.cumsum([0, *map(len, listed)])[:-1]
    places = np.array([cell for line in listed for cell in line], dtype=np.int64)
    kind = np.int64 if whole else np.float64
    return Lines(starts, places, np.array(numbers, dtype=kind))
