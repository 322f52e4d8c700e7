"""Rows that follow from others are left out exactly; solutions agree with exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.foundation.errors import BadParameter
from holdfast.noise.laplace import Laplace
from holdfast.revision.noisy_system import system_of
from holdfast.revision.noisy_tree import NoisyTree
from holdfast.solvers import gram
from holdfast.solvers.gram import Gram
from holdfast.solvers.redundant_rows import _free_rows, independent_rows, terms_of
from holdfast.worlds.exact_rows import Row
from holdfast.worlds.hierarchy import Hierarchy

CELLS = 6
Matrix = list[list[Fraction]]


def row(numbers):
    return Row(tuple((cell, value) for cell, value in enumerate(numbers) if value), 0)


def rank(matrix: Matrix) -> int:
    """The number of steps of Gauss's elimination, in fractions."""
    left, found = [list(map(Fraction, line)) for line in matrix], 0
    for column in range(len(left[0]) if left else 0):
        pivot = next((i for i in range(found, len(left)) if left[i][column]), None)
        if pivot is None:
            continue
        left[found], left[pivot] = left[pivot], left[found]
        for i in range(found + 1, len(left)):
            share = left[i][column] / left[found][column]
            left[i] = [a - share * b for a, b in zip(left[i], left[found], strict=True)]
        found += 1
    return found


def plain_kept(matrix) -> tuple[int, ...]:
    """Rows that raise the rank of those before them."""
    ranks = [rank(matrix[:number]) for number in range(len(matrix) + 1)]
    return tuple(number for number in range(len(matrix)) if ranks[number + 1] > ranks[number])


def plain_solve(matrix: Matrix, right: list[Fraction]) -> list[Fraction]:
    """Gauss and Jordan, in fractions."""
    lines = [[*line, side] for line, side in zip(matrix, right, strict=True)]
    for k in range(len(lines)):
        pivot = next(i for i in range(k, len(lines)) if lines[i][k])
        lines[k], lines[pivot] = lines[pivot], lines[k]
        lines[k] = [value / lines[k][k] for value in lines[k]]
        for i in range(len(lines)):
            if i != k:
                share = lines[i][k]
                lines[i] = [a - share * b for a, b in zip(lines[i], lines[k], strict=True)]
    return [line[-1] for line in lines]


def plain_projection(matrix, weights, vector) -> list[Fraction]:
    """V - W A' (A W A')**-1 A V in fractions, for independent rows."""
    rows, cells = range(len(matrix)), range(len(weights))
    grams = [
        [sum((matrix[i][c] * weights[c] * matrix[j][c] for c in cells), Fraction(0)) for j in rows]
        for i in rows
    ]
    right = [sum((matrix[i][c] * vector[c] for c in cells), Fraction(0)) for i in rows]
    x = plain_solve(grams, right)
    return [vector[c] - weights[c] * sum(matrix[i][c] * x[i] for i in rows) for c in cells]


entries = st.integers(-2, 2)
matrices = st.lists(st.lists(entries, min_size=CELLS, max_size=CELLS), max_size=8)


@given(matrices)
def test_the_rows_kept_are_those_that_raise_the_rank(matrix):
    assert independent_rows([row(line) for line in matrix]) == plain_kept(matrix)


def all_of_them(rows):
    return tuple(range(len(rows)))


def by_a_cell_of_its_own_at_first(rows):
    """Forgets that a row without a cell of its own can still be independent."""
    return tuple(sorted(_free_rows([terms_of(line) for line in rows])))


def from_the_last_to_the_first(rows):
    last = len(rows) - 1
    return tuple(sorted(last - number for number in independent_rows(rows[::-1])))


@pytest.mark.parametrize(
    "sabotage", [all_of_them, by_a_cell_of_its_own_at_first, from_the_last_to_the_first]
)
def test_the_rank_test_barks(sabotage):
    cycle = [[1, 1, 0, 0, 0, 0], [0, 1, 1, 0, 0, 0], [1, 0, 1, 0, 0, 0], [2, 2, 0, 0, 0, 0]]
    cases = [cycle, [*cycle, [1, 2, 1, 0, 0, 0]]]
    for case in cases:
        assert independent_rows([row(line) for line in case]) == plain_kept(case)
    assert any(sabotage([row(line) for line in case]) != plain_kept(case) for case in cases)


def test_a_cell_named_twice_counts_with_both_coefficients():
    assert independent_rows([Row(((0, 1), (0, -1)), 0), Row(((1, 2), (1, 1)), 0)]) == (1,)
    kept = Gram([Row(((1, 2), (1, 1)), 0)], 2)
    assert kept.matrix.toarray().tolist() == [[0, 3]]


def cases():
    """Independent rows of small whole numbers, and weights and vectors of short fractions."""
    rng = np.random.default_rng(11)
    while True:
        count = int(rng.integers(1, 5))
        matrix = rng.integers(-3, 4, (count, CELLS)).tolist()
        if len(plain_kept(matrix)) == count:
            weights = [[Fraction(int(w), 8) for w in line] for line in rng.integers(1, 90, (3, 6))]
            vectors = [
                [Fraction(int(v), 4) for v in line] for line in rng.integers(-40, 40, (3, 6))
            ]
            yield matrix, weights, vectors


def floats(numbers):
    return np.array([[float(x) for x in line] for line in numbers])


def unweighted(grams, weights, vectors):
    return grams.projection(np.ones_like(weights), vectors)


def of_the_first_weights(grams, weights, vectors):
    return grams.projection(weights.reshape(-1, CELLS)[0], vectors)


def without_weights_on_the_way_back(grams, weights, vectors):
    right = (grams.matrix @ vectors.T).T
    return vectors - (grams.matrix.T @ grams.solve_each(weights, right).T).T


def is_right(projection, count: int = 40) -> bool:
    """Whether projections are those in fractions, to 1e-9: each row has weights of its own."""
    found = zip(range(count), cases(), strict=False)
    return all(
        np.allclose(
            projection(
                Gram([row(line) for line in matrix], CELLS), floats(weights), floats(vectors)
            ),
            floats([plain_projection(matrix, w, v) for w, v in zip(weights, vectors, strict=True)]),
            rtol=0,
            atol=1e-9,
        )
        for _, (matrix, weights, vectors) in found
    )


@pytest.mark.parametrize("dense", [200, 0])
@pytest.mark.parametrize("pairs", [1 << 22, 0])
def test_projections_are_those_in_fractions(monkeypatch, dense, pairs):
    monkeypatch.setattr(gram, "DENSE", dense)
    monkeypatch.setattr(gram, "PAIRS", pairs)
    assert is_right(Gram.projection)


@pytest.mark.parametrize(
    "sabotage", [unweighted, of_the_first_weights, without_weights_on_the_way_back]
)
def test_the_projection_test_barks(sabotage):
    assert not is_right(sabotage)


@pytest.mark.parametrize("dense", [200, 0])
def test_solutions_solve(monkeypatch, dense):
    """One right side, several at once, and one for each row of weights."""
    monkeypatch.setattr(gram, "DENSE", dense)
    for _, (matrix, weights, _) in zip(range(20), cases(), strict=False):
        grams, rows = Gram([row(line) for line in matrix], CELLS), len(matrix)
        w, a = floats(weights), grams.matrix.toarray()
        right = np.arange(3.0 * rows).reshape(rows, 3) - 4
        full = a * w[0] @ a.T
        assert np.allclose(full @ grams.solve(w[0], right), right, atol=1e-9)
        assert np.allclose(full @ grams.solve(w[0], right[:, 1]), right[:, 1], atol=1e-9)
        each = grams.solve_each(w, right.T)
        assert all(
            np.allclose((a * w[i] @ a.T) @ each[i], right[:, i], atol=1e-9) for i in range(3)
        )


def sums_of(groups: int, size: int, pinned=()):
    tree = Hierarchy.from_paths(
        [(f"g{i}", f"l{i}.{j}") for i in range(groups) for j in range(size)]
    )
    return system_of(NoisyTree(tree, [Laplace.with_scale(1)] * 3, pinned))


def test_a_large_tree_is_solved_sparse_and_obeys_its_sums():
    """Weights over eighteen powers of ten; what is left of a sum is rounding of its cells."""
    system = sums_of(300, 5, pinned=[0, 7])
    grams = Gram(system.rows, len(system.laws))
    assert not grams.is_dense
    assert grams.kept == tuple(range(303))
    rng = np.random.default_rng(3)
    weights = np.exp(rng.uniform(np.log(1e-15), np.log(1e3), (2, grams.cells)))
    vectors = rng.normal(size=(2, grams.cells)) * np.sqrt(weights)
    noise = grams.projection(weights, vectors)
    sizes = abs(grams.matrix) @ np.abs(vectors).T
    assert (np.abs(grams.matrix @ noise.T) <= 1e-10 * sizes).all()
    assert np.allclose(grams.projection(weights[0], vectors)[0], noise[0], rtol=0, atol=1e-12)


def test_a_pinned_tree_drops_pins_that_follow():
    """Where all groups and the root are pinned, the last pin says nothing new."""
    system = sums_of(3, 2, pinned=[0, 1, 2, 3])
    assert independent_rows(system.rows) == (0, 1, 2, 3, 4, 5, 6)


def test_no_rows_leave_the_vectors_as_they_are():
    vectors = np.ones((2, 4))
    grams = Gram([row([0, 0, 0, 0])], 4)
    assert grams.kept == ()
    assert (grams.projection(np.ones(4), vectors) == vectors).all()
    assert (grams.projection(np.ones((2, 4)), vectors) == vectors).all()


@pytest.mark.parametrize("weight", [0.0, -1.0, np.nan, np.inf])
@pytest.mark.parametrize("each", [False, True])
def test_weights_that_are_none_are_refused(weight, each):
    grams = Gram([row([1, 1, 1])], 3)
    weights = np.array([1.0, weight, 1.0])
    with pytest.raises(BadParameter, match="positive finite number"):
        grams.projection(weights[None, :] if each else weights, np.ones((1, 3)))


def test_weights_for_other_cells_are_refused():
    with pytest.raises(BadParameter, match="4 for 3 cells"):
        Gram([row([1, 1, 1])], 3).solve(np.ones(4), np.ones(1))


def test_coefficients_beyond_the_floats_are_refused():
    with pytest.raises(BadParameter, match="2\\*\\*53"):
        Gram([Row(((0, 2**53 + 1), (1, 1)), 0)], 2)


@pytest.mark.parametrize("dense", [200, 0])
def test_a_projection_that_misses_its_rows_is_refused(monkeypatch, dense):
    """The solver's word is not taken: a wrong solution is seen in what is left of the rows."""
    monkeypatch.setattr(gram, "DENSE", dense)
    monkeypatch.setattr(gram, "_sparse", lambda gram: lambda right: 0.5 * right)
    monkeypatch.setattr(gram, "_dense", lambda gram, right: 0.5 * right)
    with pytest.raises(BadParameter, match="too far apart"):
        Gram([row([1, 1, 1])], 3).projection(np.ones(3), np.array([[1.0, 2.0, 5.0]]))


def left_of_rows(grams, weights, vectors) -> float:
    """Return what a projection leaves of its rows, relative to what is added up in them."""
    noise = grams.projection(weights, vectors)
    sizes = abs(grams.matrix) @ np.abs(vectors).T
    return float((np.abs(grams.matrix @ noise.T) / sizes).max())


def off_by(share, honest=Gram.factor):
    """Return a factor whose every solution is off by a share, each row by its own."""

    def factor(self, weights):
        solve = honest(self, weights)
        return lambda right: solve(right) * (1 + share * np.cos(np.arange(right.shape[0])))[:, None]

    return factor


@pytest.mark.parametrize("dense", [200, 0])
@pytest.mark.parametrize("share", [1e-6, 1e-8, 1e-10])
def test_a_solver_that_is_a_little_off_is_asked_again(monkeypatch, dense, share):
    """Off by a millionth, one pass leaves a millionth of a row, two a millionth of that.

    If it failed, released tables would miss their sums by what the solver happens to miss.
    """
    monkeypatch.setattr(gram, "DENSE", dense)
    monkeypatch.setattr(Gram, "factor", off_by(share))
    system = sums_of(5, 3)
    grams = Gram(system.rows, len(system.laws))
    rng = np.random.default_rng(6)
    weights, vectors = rng.uniform(0.5, 2, grams.cells), rng.normal(size=(20, grams.cells))
    assert left_of_rows(grams, weights, vectors) <= 1e-11
    monkeypatch.setattr(gram, "NEAR", 1.0)  # whatever is left is taken
    assert left_of_rows(grams, weights, vectors) > 1e-11
    monkeypatch.undo()
    monkeypatch.setattr(Gram, "factor", off_by(1e-2))  # three passes leave a millionth
    with pytest.raises(BadParameter, match="too far apart"):
        grams.projection(weights, vectors)
