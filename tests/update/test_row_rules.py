"""Any rows beside the sums: two-way tables, one node at least another."""

from dataclasses import replace
from fractions import Fraction

import numpy as np

import holdfast as hf
from holdfast.update.rows.row_rules import RowRules
from holdfast.update.trees.tree_least_squares import TreeLeastSquares
from holdfast.update.trees.tree_nonnegative import TreeNonnegative
from holdfast.update.trees.tree_rules import TreeRules
from holdfast.worlds.exact_rows import Row

ROWS, COLUMNS = 4, 5
TREE = hf.Hierarchy.from_paths([(r, c) for r in range(ROWS) for c in range(COLUMNS)])


def two_way(seed, nonnegative=True):
    """Rules that also hold each column to its total, and row 0 to at least row 1; a noisy table."""
    random = np.random.default_rng(seed)
    leaves = np.sort(random.poisson(4, (ROWS, COLUMNS)), axis=0)[::-1]
    cells = TREE.leaf_nodes.reshape(ROWS, COLUMNS)
    columns = tuple(
        Row(tuple((int(cells[r, c]), 1) for r in range(ROWS)), int(leaves[:, c].sum()))
        for c in range(COLUMNS)
    )
    ordered = (Row(((1, 1), (2, -1)), 0),)
    rules = RowRules(TREE, (Fraction(1), Fraction(2), Fraction(3)), columns, ordered, nonnegative)
    noise = np.rint(random.laplace(0, 4, TREE.size)).astype(np.int64)
    return rules, TREE.aggregate(leaves.reshape(-1)) + noise


def test_without_rows_it_is_the_update_on_a_tree():
    weights = (Fraction(1), Fraction(2), Fraction(3))
    for nonnegative, way in ((False, TreeLeastSquares), (True, TreeNonnegative)):
        rules = RowRules(TREE, weights, (), (), nonnegative)
        for seed in range(10):
            _, noisy = two_way(seed)
            known = way(TreeRules(TREE, weights, None, nonnegative)).apply(noisy)
            assert np.abs(rules.apply(noisy) - known).max() < 1e-5


def test_the_test_of_rows_barks():
    """Rules that forget a column total, or the order of two rows, are broken by units."""
    worst = [0.0, 0.0]
    for seed in range(10):
        rules, noisy = two_way(seed)
        short = replace(rules, equal=rules.equal[1:]).apply(noisy)
        row = rules.equal[0]
        worst[0] = max(worst[0], abs(sum(v * short[n] for n, v in row.terms) - row.right))
        loose = replace(rules, least=()).apply(noisy)
        worst[1] = max(worst[1], loose[2] - loose[1])
    assert min(worst) > 0.5


def test_rows_hold_to_rounding_and_the_gap_is_told():
    for seed in range(30):
        rules, noisy = two_way(seed)
        table = rules.apply(noisy)
        assert TREE.sums().holds(table)
        assert table.min() >= 0
        for row in rules.equal:
            assert abs(sum(v * table[n] for n, v in row.terms) - row.right) < 1e-6
        assert table[1] - table[2] > -1e-6
        found = rules.solved(noisy)
        assert found.off < 1e-9
        assert found.gap < 1e-6 * found.objective
