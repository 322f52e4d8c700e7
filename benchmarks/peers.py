"""Other tools that move a vector onto the sums of a tree and counts of at least 0.

Each gets the same quadratic programme over all nodes, in the sparse form that suits it best:
minimise the sum of (d - e)**2 with sums of d equal to 0 and leaves of d at least a lower end. The
unknowns are distances from a table that adds up near the asked vector, so that numbers are small:
on raw counts of millions some of them fail.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from holdfast.solvers.gram import below_matrix, matrix_of
from holdfast.worlds.exact_rows import sum_rows
from holdfast.worlds.hierarchy import Hierarchy

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Programme:
    """The tree, the asked values, a table near them, and the rows of the sums."""

    tree: Hierarchy
    asked: Floats
    near: Floats
    sums: sparse.csc_matrix
    nonnegative: bool

    @property
    def target(self) -> Floats:
        """Return the asked values as distances from the near table."""
        return self.asked - self.near

    @property
    def lowest(self) -> Floats:
        """Return the lower ends of the leaves."""
        return -self.near[self.tree.leaf_nodes]

    def objective(self, table: Floats) -> float:
        """Return the sum of squares of the moves."""
        return float(((table - self.asked) ** 2).sum())

    def gap(self, table: Floats) -> float:
        """Return by how much the worst rule is broken."""
        below = float(-table[self.tree.leaf_nodes].min()) if self.nonnegative else 0.0
        return max(0.0, below, float(np.abs(self.sums @ table).max()))


def programme(tree: Hierarchy, asked: npt.NDArray[Any], nonnegative: bool) -> Programme:
    """Return the programme of an update with equal weights."""
    rows = sum_rows(tree.arrays.child_offsets.tolist())
    sums = sparse.csc_matrix(matrix_of(rows, tree.size))
    leaves = asked[tree.leaf_nodes]
    near = tree.aggregate(np.maximum(leaves, 0) if nonnegative else leaves)
    return Programme(tree, asked.astype(float), near.astype(float), sums, nonnegative)


def by_piqp(given: Programme) -> Floats:
    """Solve with PIQP's sparse interior point method."""
    import piqp

    size = given.tree.size
    solver = piqp.SparseSolver()
    solver.settings.verbose = False
    lower = np.full(size, -1e30)
    if given.nonnegative:
        lower[given.tree.leaf_nodes] = given.lowest
    none = sparse.csc_matrix((0, size))
    empty = np.zeros(0)
    square = sparse.eye(size, format="csc")
    right = np.zeros(given.sums.shape[0])
    solver.setup(square, -given.target, given.sums, right, none, empty, empty, lower, None)
    status = solver.solve()
    if status != piqp.PIQP_SOLVED:
        raise RuntimeError(f"PIQP: {status}")
    return np.asarray(given.near + solver.result.x, dtype=np.float64)


def by_clarabel(given: Programme) -> Floats:
    """Solve with Clarabel."""
    import clarabel

    size, rows = given.tree.size, given.sums.shape[0]
    blocks, right = [given.sums], [np.zeros(rows)]
    cones = [clarabel.ZeroConeT(rows)]
    if given.nonnegative:
        leaves = given.tree.leaf_nodes
        blocks.append(-sparse.eye(size, format="csc")[leaves])
        right.append(-given.lowest)
        cones.append(clarabel.NonnegativeConeT(leaves.size))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    solver = clarabel.DefaultSolver(
        sparse.eye(size, format="csc"),
        -given.target,
        sparse.vstack(blocks, format="csc"),
        np.concatenate(right),
        cones,
        settings,
    )
    found = solver.solve()
    if str(found.status) != "Solved":
        raise RuntimeError(f"Clarabel: {found.status}")
    return np.asarray(given.near + np.array(found.x), dtype=np.float64)


def by_osqp(given: Programme) -> Floats:
    """Solve with OSQP at the accuracy 1e-6."""
    import osqp

    size, rows = given.tree.size, given.sums.shape[0]
    blocks, low, high = [given.sums], [np.zeros(rows)], [np.zeros(rows)]
    if given.nonnegative:
        leaves = given.tree.leaf_nodes
        blocks.append(sparse.eye(size, format="csc")[leaves])
        low.append(given.lowest)
        high.append(np.full(leaves.size, np.inf))
    solver = osqp.OSQP()
    solver.setup(
        sparse.eye(size, format="csc"),
        -given.target,
        sparse.vstack(blocks, format="csc"),
        np.concatenate(low),
        np.concatenate(high),
        verbose=False,
        eps_abs=1e-6,
        eps_rel=1e-6,
        max_iter=20_000,
    )
    found = solver.solve()
    if found.info.status != "solved":
        raise RuntimeError(f"OSQP: {found.info.status}")
    return np.asarray(given.near + np.asarray(found.x), dtype=np.float64)


def by_sparse_lu(given: Programme) -> Floats:
    """Solve the equalities alone by a sparse LU of A A'."""
    from scipy.sparse.linalg import splu

    gram = (given.sums @ given.sums.T).tocsc()
    moved = given.sums.T @ splu(gram).solve(given.sums @ given.target)
    return np.asarray(given.near + given.target - moved, dtype=np.float64)


def by_min_trace(given: Programme) -> Floats:
    """Solve with hierarchicalforecast's MinTraceSparse, ordinary least squares."""
    from hierarchicalforecast.methods import MinTraceSparse

    tree = given.tree
    leaves = tree.leaf_nodes
    inner = np.flatnonzero(np.diff(tree.arrays.child_offsets) > 0)
    order = np.concatenate([inner, leaves])  # aggregates first, then the leaves
    below = below_matrix(tree.arrays.parents, leaves)[order]
    way = MinTraceSparse(method="ols", nonnegative=given.nonnegative)
    found = way.fit_predict(S=sparse.csr_matrix(below), y_hat=given.asked[order][:, None])
    nodes = np.asarray(found["mean"])[:, 0]
    answer = np.empty(tree.size)
    answer[order] = nodes
    return answer


PEERS: dict[str, Callable[[Programme], Floats]] = {
    "PIQP": by_piqp,
    "Clarabel": by_clarabel,
    "OSQP": by_osqp,
    "sparse LU": by_sparse_lu,
    "MinTraceSparse": by_min_trace,
}
