"""What an update is asked for: weights in exact ratios, pinned nodes, nodes that cannot move."""

from fractions import Fraction

import numpy as np
import pytest

import holdfast as hf
from holdfast.foundation.errors import BadParameter
from holdfast.update.trees.tree_rules import FAR, TreeRules

TREE = hf.Hierarchy.from_paths([("a", "x"), ("a", "y"), ("b", "u"), ("c",)])


def test_whole_weights_keep_the_ratios():
    rules = TreeRules(TREE, [Fraction(1, 6), Fraction(1, 4), Fraction(5, 2)])
    assert rules.whole_weights == (2, 3, 30)
    assert TreeRules(TREE, [Fraction(7)] * 3).whole_weights == (1, 1, 1)


def test_variances_are_inverse_weights_and_0_where_pinned():
    rules = TreeRules(TREE, [Fraction(1), Fraction(2), Fraction(4)], {1: 5})
    assert rules.variances.tolist() == [4, 0, 2, 2, 1, 1, 1]


def test_ends_are_told_by_all_rules_below():
    """b holds its only leaf's 2; a holds a pinned 1 and a leaf of 0 to 4; c has no upper end."""
    rules = TreeRules(TREE, [Fraction(1)] * 3, {6: 2, 4: 1}, True, least={3: 7}, most={5: 4})
    assert rules.lowest.tolist() == [10, 1, 2, 7, 1, 0, 2]
    assert rules.highest.tolist() == [FAR, 5, 2, FAR, 1, 4, 2]
    loose = TreeRules(TREE, [Fraction(1)] * 3)
    assert set(loose.lowest.tolist()) == {-FAR}


def test_loose_bounds_that_add_up_beyond_64_bits_are_none():
    tree = hf.Hierarchy.from_paths([(k,) for k in range(40)])
    most = dict.fromkeys(range(1, 41), 2**57)
    rules = TreeRules(tree, [Fraction(1)] * 2, None, True, least={1: -(10**30)}, most=most)
    assert (rules.highest[0], rules.lowest[0]) == (FAR, 0)
    tight = TreeRules(tree, [Fraction(1)] * 2, None, True, least=dict.fromkeys(range(1, 41), 2**57))
    assert tight.lowest[0] == FAR  # more than any table holds


@pytest.mark.parametrize(("pinned", "least", "most"), [
    ({1: 3}, {1: 4}, {}), ({1: 3}, {}, {4: 1, 5: 1}), ({}, {4: 2, 5: 2}, {1: 3}),
])  # fmt: skip
def test_rules_that_no_table_obeys_show_at_a_node(pinned, least, most):
    rules = TreeRules(TREE, [Fraction(1)] * 3, pinned, True, least=least, most=most)
    assert (rules.lowest > rules.highest).any()


def test_pins_take_the_place_of_values():
    rules = TreeRules(TREE, [Fraction(1)] * 3, {0: 9})
    assert rules.pin(np.arange(7)).tolist() == [9, 1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    "weights", [[], [Fraction(1)] * 2, [Fraction(1), Fraction(0), Fraction(1)]]
)
def test_weights_that_are_none_are_refused(weights):
    with pytest.raises(BadParameter, match="3 above 0, one a level"):
        TreeRules(TREE, weights)
