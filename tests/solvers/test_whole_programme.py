"""Whole programmes, against all points."""

from itertools import product

import numpy as np
from scipy import sparse

from holdfast.solvers.whole_programme import Rows, WholeProgramme


def test_solutions_are_the_cheapest_of_all_points():
    random = np.random.default_rng(2)
    for _ in range(40):
        size = int(random.integers(1, 6))
        cost = random.normal(size=size)
        matrix = random.integers(-1, 2, (3, size))
        middle = matrix @ random.integers(0, 2, size)
        rows = Rows(sparse.csr_array(matrix.astype(float)), middle - 1.0, middle.astype(float))
        found = WholeProgramme(cost, np.zeros(size), np.ones(size), (rows,)).solve()
        points = np.array(list(product((0, 1), repeat=size)))
        fits = ((points @ matrix.T <= middle) & (points @ matrix.T >= middle - 1)).all(axis=1)
        assert found is not None
        assert fits[(points == found).all(axis=1)].all()
        assert abs(cost @ found - (points[fits] @ cost).min()) < 1e-6


def test_what_cannot_be_has_no_solution():
    rows = Rows(sparse.csr_array(np.ones((1, 2))), np.array([3.0]), np.array([4.0]))
    assert WholeProgramme(np.ones(2), np.zeros(2), np.ones(2), (rows,)).solve() is None
    empty = Rows(sparse.csr_array((1, 2)), np.array([1.0]), np.array([2.0]))
    assert WholeProgramme(np.ones(2), np.zeros(2), np.ones(2), (empty,)).solve() is None
