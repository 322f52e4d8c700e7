"""Solve A W A' x = r for sparse rows A and positive weights W; the keeper of SciPy's sparse LU.

Rows that follow from those before them are left out, so the remaining ones have one solution.
Few rows are solved dense, many systems side by side; many rows by a sparse LU. Floats
throughout. What the solvers hand back is measured: a projection whose rows are not 0 to
rounding is projected again, and at last refused.

Checked by. tests/solvers/test_gram.py
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadParameter, Fault
from holdfast.solvers.redundant_rows import independent_rows, terms_of
from holdfast.worlds.exact_rows import Row

Floats = npt.NDArray[np.float64]
Solve = Callable[[Floats], Floats]
DENSE = 200  # rows up to which a dense solution was measured to be the quicker one on trees
PAIRS = 1 << 22  # products of coefficients kept at most
LARGEST = 2**53  # floats hold whole numbers up to it
PASSES = 3
NEAR = 1e-11  # what is left of a row, relative to the sizes added up in it


class Gram:
    """The independent rows A of a list of rows, and solutions of A W A' x = r."""

    def __init__(self, rows: Sequence[Row], cells: int) -> None:
        self.cells = cells
        self.kept = independent_rows(rows)
        self.matrix = matrix_of([rows[number] for number in self.kept], cells)
        self._across = self.matrix.T.tocsr()
        self._sizes = abs(self.matrix)

    @property
    def is_dense(self) -> bool:
        """Return whether the rows are few enough for a dense solution."""
        return len(self.kept) <= DENSE

    def factor(self, weights: Floats) -> Solve:
        """Return what solves A W A' x = r for these weights and any r: (m,) or (m, k)."""
        self._check(weights)
        if not self.kept:
            return np.copy
        if self.is_dense:
            gram = self._grams(weights[None, :])[0]
            return lambda right: _dense(gram, right)
        return _sparse(self.matrix @ _diagonal(weights) @ self._across)

    def solve(self, weights: Floats, right: Floats) -> Floats:
        """Return x with A W A' x = r, for r of shape (m,) or (m, k)."""
        return self.factor(weights)(right)

    def solve_each(self, weights: Floats, right: Floats) -> Floats:
        """Return x in each row: for the weights of that row, and the r of that row."""
        self._check(weights)
        if not self.kept:
            return right
        if self.is_dense:
            return _dense(self._grams(weights), right[:, :, None])[:, :, 0]
        pairs = zip(weights, right, strict=True)
        return np.array([self.solve(weight, side) for weight, side in pairs]).reshape(right.shape)

    def projection(self, weights: Floats, vectors: Floats) -> Floats:
        """Return V - W A' (A W A')**-1 A V for each row V; weights for all, or a row for each."""
        if weights.ndim > 1:
            solve: Solve = lambda right: self.solve_each(weights, right)  # noqa: E731
        else:
            solved = self.factor(weights)
            solve = lambda right: solved(right.T).T  # noqa: E731
        answer, size = vectors, self._rows_of(self._sizes, np.abs(vectors)) * NEAR
        left = self._rows_of(self.matrix, vectors)
        for _ in range(PASSES):
            answer = answer - weights * self._rows_of(self._across, solve(left))
            left = self._rows_of(self.matrix, answer)
            if (np.abs(left) <= size).all():
                return answer
        raise _refused("weights whose sizes are too far apart for floats")

    def _rows_of(self, matrix: Any, vectors: Floats) -> Floats:
        """Return the matrix times each row vector, one a row."""
        answer: Floats = (matrix @ vectors.T).T
        return answer

    def _grams(self, weights: Floats) -> Floats:
        """Return A W A' for each row of weights, dense."""
        rows = len(self.kept)
        if self._pairs is not None:
            return np.ascontiguousarray((self._pairs @ weights.T).T).reshape(-1, rows, rows)
        products = [self.matrix @ _diagonal(weight) @ self._across for weight in weights]
        return np.array([product.toarray() for product in products])

    @cached_property
    def _pairs(self) -> Any:
        """Return what turns weights into the entries of A W A', or None where it is too large."""
        from scipy import sparse

        columns = self.matrix.tocsc()
        lengths = np.diff(columns.indptr)
        if (lengths**2).sum() > PAIRS:
            return None
        first = np.repeat(np.arange(columns.nnz), np.repeat(lengths, lengths))
        starts = np.repeat(columns.indptr[:-1], lengths**2)
        before = np.cumsum(lengths**2) - lengths**2
        within = np.arange(first.size) - np.repeat(before, lengths**2)
        second = starts + within % np.repeat(lengths, lengths**2)
        entry = columns.indices[first].astype(np.int64) * len(self.kept) + columns.indices[second]
        cell = np.repeat(np.arange(self.cells), lengths**2)
        products = columns.data[first] * columns.data[second]
        shape = (len(self.kept) ** 2, self.cells)
        return sparse.coo_array((products, (entry, cell)), shape).tocsr()

    def _check(self, weights: Floats) -> None:
        """Refuse weights that are no positive finite numbers, one a cell."""
        if weights.shape[-1] != self.cells:
            raise _refused(f"{weights.shape[-1]} for {self.cells} cells")
        if not (np.isfinite(weights).all() and (weights > 0).all()):
            raise _refused("a number that is not")


def matrix_of(rows: Sequence[Row], cells: int) -> Any:
    """Return the rows as a sparse matrix of floats, each coefficient held exactly."""
    from scipy import sparse

    terms = [terms_of(row) for row in rows]
    if any(abs(value) > LARGEST for row in terms for value in row.values()):
        found = "a larger one"
        remedy = 'Divide the row; write "0.3", for the float 0.3 is a fraction of 53 bits.'
        raise BadParameter(Fault("rows", "coefficients up to 2**53", found, remedy))
    ends = np.cumsum([0, *map(len, terms)])
    places = np.array([cell for row in terms for cell in row], dtype=np.int64)
    values = np.array([value for row in terms for value in row.values()], dtype=np.float64)
    return sparse.csr_array((values, places, ends), shape=(len(rows), cells))


def below_matrix(parents: npt.NDArray[Any], leaves: npt.NDArray[np.int64]) -> Any:
    """Return for each node of a tree a row of ones at the leaves below it."""
    from scipy import sparse

    here, columns = leaves, np.arange(leaves.size)
    nodes, places = [leaves], [columns]
    while (here > 0).any():
        columns = columns[here > 0]
        here = parents[here[here > 0]].astype(np.int64)
        nodes.append(here)
        places.append(columns)
    row, column = np.concatenate(nodes), np.concatenate(places)
    return sparse.csr_array((np.ones(row.size), (row, column)), (parents.size, leaves.size))


def _diagonal(weights: Floats) -> Any:
    """Return the weights as a sparse diagonal matrix."""
    from scipy import sparse

    return sparse.dia_array((weights[None, :], [0]), shape=(weights.size, weights.size))


def _dense(gram: Floats, right: Floats) -> Floats:
    """Return the solutions of dense systems, each scaled to ones on its diagonal."""
    scale = 1 / np.sqrt(np.diagonal(gram, axis1=-2, axis2=-1))
    over = scale if right.ndim == 1 else scale[..., None]
    try:
        return over * np.linalg.solve(gram * scale[..., None] * scale[..., None, :], over * right)
    except np.linalg.LinAlgError:
        raise _refused("weights that leave no solution in floats") from None


def _sparse(gram: Any) -> Solve:
    """Return what solves a sparse system, scaled to ones on its diagonal."""
    from scipy.sparse.linalg import splu

    scale = 1 / np.sqrt(gram.diagonal())
    scaled = _diagonal(scale) @ gram @ _diagonal(scale)
    try:
        lower_upper = splu(
            scaled.tocsc(),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
    except RuntimeError:
        raise _refused("weights that leave no solution in floats") from None

    def solve(right: Floats) -> Floats:
        over = scale if right.ndim == 1 else scale[:, None]
        answer: Floats = over * lower_upper.solve(over * right)
        return answer

    return solve


def _refused(found: str) -> BadParameter:
    """Return the refusal of weights."""
    return BadParameter(
        Fault("weights", "a positive finite number for each cell", found, "Use other weights.")
    )
