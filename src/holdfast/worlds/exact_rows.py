"""A sparse matrix of whole numbers with a right side, row by row, exact.

A row written in fractions is multiplied by the least number that makes it whole: the same
worlds obey it.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from holdfast.foundation.errors import BadRules, Fault, HoldfastError
from holdfast.foundation.exact import exact
from holdfast.worlds.vectors import Numbers

MOST_BITS = 4000
ASKED = "a matrix with one row a rule and one column a node"


@dataclass(frozen=True, slots=True)
class Row:
    """The sum of coefficient times node on the left, a number on the right; all whole."""

    terms: tuple[tuple[int, int], ...]  # (node, coefficient); no coefficient is 0
    right: int

    def residual_sign(self, vector: Numbers) -> int:
        """Return the sign of left minus right, without rounding: -1, 0 or 1."""
        left = self.left(vector)
        return (left > self.right) - (left < self.right)

    def left(self, vector: Numbers) -> int | Fraction:
        """Return the left side, without rounding."""
        whole = vector.dtype.kind == "i"
        left: int | Fraction = 0
        for node, coefficient in self.terms:
            value = vector[node].item()
            left += coefficient * (value if whole else Fraction(value))
        return left


@dataclass(frozen=True, slots=True)
class ExactRows:
    """The rows of a matrix with `width` columns."""

    rows: tuple[Row, ...]
    width: int


def sum_rows(child_offsets: Sequence[int]) -> list[Row]:
    """Return a row for each inner node of a tree: it less its children is 0."""
    return [
        Row(((node, 1), *((child, -1) for child in range(low, high))), 0)
        for node, (low, high) in enumerate(pairwise(child_offsets))
        if high > low
    ]


def exact_rows(matrix: Any, right: Any) -> ExactRows:
    """Return the rows of a dense or sparse matrix and its right side."""
    entries, shape = _entries(matrix)
    sides = list(right) if hasattr(right, "__iter__") and _is_plain(right) else [right] * shape[0]
    if len(sides) != shape[0]:
        found = f"{len(sides)} for {shape[0]} rows"
        raise BadRules(Fault("right side", "one number for each row", found, "Match them."))
    terms: list[dict[int, Fraction]] = [{} for _ in range(shape[0])]
    for row, node, value in entries:
        terms[row][node] = terms[row].get(node, Fraction(0)) + _number(value)
    rows = (_row(term, _number(side)) for term, side in zip(terms, sides, strict=True))
    return ExactRows(tuple(rows), shape[1])


def _row(terms: dict[int, Fraction], right: Fraction) -> Row:
    """Return the row multiplied up to whole numbers."""
    factor = math.lcm(right.denominator, *(value.denominator for value in terms.values()))
    if factor.bit_length() > MOST_BITS:
        found = f"a common denominator of {factor.bit_length()} bits"
        raise BadRules(Fault("row", f"at most {MOST_BITS} bits", found, "Round the entries."))
    whole = sorted((node, int(value * factor)) for node, value in terms.items() if value)
    return Row(tuple(whole), int(right * factor))


def _number(value: Any) -> Fraction:
    """Return the exact value of an entry."""
    try:
        return exact(value.item() if isinstance(value, np.generic) else value, "entry of a rule")
    except HoldfastError as error:
        raise BadRules(*error.faults) from None


def _entries(matrix: Any) -> tuple[Iterable[tuple[int, int, Any]], tuple[int, int]]:
    """Return the entries (row, column, value) that are not 0, and the shape."""
    if hasattr(matrix, "tocoo"):
        sparse = matrix.tocoo()
        if len(sparse.shape) != 2 or not sparse.shape[0]:
            raise _no_matrix(matrix)
        places = zip(sparse.row.tolist(), sparse.col.tolist(), sparse.data, strict=True)
        return places, (int(sparse.shape[0]), int(sparse.shape[1]))
    if isinstance(matrix, np.ndarray):
        matrix = matrix.tolist() if matrix.dtype.kind != "g" else None
    if not _is_matrix(matrix):
        raise _no_matrix(matrix)
    listed = [list(row) for row in matrix]
    entries = (
        (number, node, value)
        for number, row in enumerate(listed)
        for node, value in enumerate(row)
        if not (isinstance(value, int) and value == 0 and not isinstance(value, bool))
    )
    return entries, (len(listed), len(listed[0]))


def _no_matrix(found: Any) -> BadRules:
    """Return the refusal of what is no matrix."""
    kind = f"a {type(found).__name__} that is none"
    return BadRules(Fault("rules", ASKED, kind, "Give a list of rows of one length."))


def _is_plain(row: Any) -> bool:
    """Return whether this is a row of single entries."""
    if isinstance(row, str | bytes):
        return False
    return not any(hasattr(e, "__len__") and not isinstance(e, str) for e in row)


def _is_matrix(matrix: Any) -> bool:
    """Return whether this is a list of rows of one length."""
    if not isinstance(matrix, Sequence) or isinstance(matrix, str) or not matrix:
        return False
    if not all(isinstance(row, Sequence | np.ndarray) and _is_plain(row) for row in matrix):
        return False
    return len({len(row) for row in matrix}) == 1 and len(matrix[0]) > 0
