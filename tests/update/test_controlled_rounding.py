"""Whole tables near the nearest real one: every row exactly, and not far."""

import numpy as np
import pytest

from holdfast.foundation.errors import NotSolved
from holdfast.update.rows.controlled_rounding import ControlledRounding
from holdfast.update.rows.row_rules import RowRules
from holdfast.worlds.exact_rows import Row
from tests.update.test_row_rules import TREE, two_way


def broken(rules, table) -> int:
    """Count rules that a whole table breaks."""
    lefts = [(sum(v * int(table[n]) for n, v in row.terms), row.right) for row in rules.equal]
    rights = [(sum(v * int(table[n]) for n, v in row.terms), row.right) for row in rules.least]
    wrong = sum(a != b for a, b in lefts) + sum(a < b for a, b in rights)
    return wrong + (not TREE.sums().holds(table)) + (rules.nonnegative and table.min() < 0)


def test_every_rule_holds_exactly_and_no_node_moves_by_a_unit():
    """Columns and rows are two nested families: floors and ceilings are enough."""
    for seed in range(40):
        rules, noisy = two_way(seed)
        table = ControlledRounding(rules).apply(noisy)
        assert broken(rules, table) == 0
        assert np.abs(table - rules.apply(noisy)).max() < 1 + 1e-5


def test_rounding_each_leaf_alone_breaks_rows():
    wrong = 0
    for seed in range(20):
        rules, noisy = two_way(seed)
        leaves = np.rint(rules.apply(noisy)[TREE.leaf_nodes]).astype(np.int64)
        wrong += broken(rules, TREE.aggregate(leaves)) > 0
    assert wrong > 10


def test_the_distance_grows_little():
    """Each leaf moves by less than one: at most its weight, and its nodes' a unit each."""
    for seed in range(20):
        rules, noisy = two_way(seed)
        far = rules.node_weights @ (rules.apply(noisy) - noisy) ** 2
        near = rules.node_weights @ (ControlledRounding(rules).apply(noisy) - noisy) ** 2
        assert far <= near * (1 + 1e-6)
        assert near - far < rules.node_weights.sum()


def test_where_no_whole_table_obeys_it_says_so():
    """Twice a row is an odd number: real tables obey, whole ones cannot."""
    rules, noisy = two_way(0)
    odd = (Row(((1, 2), (2, 2)), 21),)
    with pytest.raises(NotSolved, match="integers=False"):
        ControlledRounding(RowRules(TREE, rules.weights, odd, (), True)).apply(noisy)
