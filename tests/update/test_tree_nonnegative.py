"""The nearest table without negative counts: exact on small trees, stationary on large ones."""

from fractions import Fraction

import numpy as np
import pytest

import holdfast as hf
from holdfast.solvers.tree_sweeps import TreeSweeps
from holdfast.update.trees.tree_least_squares import Nearest, TreeLeastSquares, added_up
from holdfast.update.trees.tree_nonnegative import TreeNonnegative
from holdfast.update.trees.tree_rules import TreeRules
from tests.update.cases import cases, farthest

UNIT = 2.0**-53


def counts():
    """Yield cases with the rule of no negative counts, many of which bind."""
    given = cases(150, seed=4, most_leaves=5, low=-6)
    return [(rules, asked) for rules, asked in given if rules.nonnegative]


def test_the_nearest_table_is_the_best_of_all_sets_of_zeros():
    assert farthest(TreeNonnegative, counts()) < 1e-12


class StopsAfterOneRound(TreeNonnegative):
    def apply(self, values):
        found = TreeLeastSquares(self.rules).apply(values)
        return added_up(self.rules, np.maximum(found, 0.0))


class HoldsParentsToo(TreeNonnegative):
    """Sets every node that is below 0 to 0, not the leaves alone."""

    def nearest(self, target, lowest):
        variances, target = self.rules.variances.copy(), target.copy()
        while True:
            sweeps = TreeSweeps(self.rules.tree.arrays, variances, self.rules.levels)
            found = sweeps.project(target)
            low = (found < 0) & (variances > 0)
            if not low.any():
                return Nearest(found, sweeps.alone, 1)
            variances[low], target[low] = 0.0, 0.0


class ClipsFirst(TreeNonnegative):
    def apply(self, values):
        return super().apply(np.maximum(values, 0))


@pytest.mark.parametrize("sabotage", [StopsAfterOneRound, HoldsParentsToo, ClipsFirst])
def test_the_test_of_counts_barks(sabotage):
    assert farthest(sabotage, counts()) > 0.05


def slack(rules, asked, table):
    """Return how far a table is from stationary: at free leaves, and at those held at 0.

    The price of a leaf is the sum of weight times move over it and all nodes above it, up to a
    pinned one. Free leaves of one pinned node have one price, those held at 0 at least that.
    """
    levels = rules.tree.levels
    weights = np.array([float(w / max(rules.weights)) for w in rules.weights])[levels]
    moves = np.where(rules.is_pinned, 0.0, weights * (table - asked))
    price, owner = moves.copy(), np.where(rules.is_pinned, np.arange(table.size), 0)
    parents = rules.tree.arrays.parents
    for node in range(1, table.size):
        if not rules.is_pinned[node]:
            price[node] += price[parents[node]] if not rules.is_pinned[parents[node]] else 0.0
            owner[node] = owner[parents[node]]
    leaves = rules.tree.leaf_nodes[~rules.is_pinned[rules.tree.leaf_nodes]]
    base = np.zeros(table.size)
    for node in np.flatnonzero(rules.is_pinned):
        inside = leaves[(owner[leaves] == node) & (table[leaves] > 0)]
        base[node] = (
            price[inside].mean()
            if inside.size
            else price[leaves[owner[leaves] == node]].min(initial=0)
        )
    above = price[leaves] - base[owner[leaves]]
    free = table[leaves] > 0
    return np.abs(above[free]).max(initial=0.0), -above[~free].min(initial=0.0)


def large_tree(seed):
    """Ten thousand leaves below 40 and 700 nodes, families of all sizes."""
    random = np.random.default_rng(seed)
    upper = np.sort(random.integers(0, 40, 700))
    middle = np.sort(random.integers(0, 700, 10_000))
    columns = {"a": upper[middle], "b": middle, "c": np.arange(10_000)}
    return hf.Hierarchy.from_frame(columns, ["a", "b", "c"])


@pytest.mark.parametrize("seed", range(6))
def test_large_tables_are_stationary(seed):
    """Prices are sums of four products of size 100 or less, tables of 40 sums: 1e-9 is ample."""
    random = np.random.default_rng(seed)
    tree = large_tree(seed)
    leaves = np.where(random.random(10_000) < 0.6, 0, random.poisson(30, 10_000))
    noise = np.rint(random.laplace(0, 10, tree.size)).astype(np.int64)
    pinned = {0: int(leaves.sum())} if seed % 2 else {}
    weights = [Fraction(int(w), 7) for w in random.integers(1, 30, tree.depth)]
    rules = TreeRules(tree, weights, pinned, nonnegative=True)
    asked = tree.aggregate(leaves) + noise
    table = TreeNonnegative(rules).apply(asked)
    assert (table >= 0).all()
    assert tree.sums().holds(table)
    free, held = slack(rules, asked, table)
    assert max(free, held) < 1e-9
    other = asked.copy()
    other[tree.leaf_nodes[np.argmax(leaves)]] += 1
    moved = TreeNonnegative(rules).apply(other)
    assert max(slack(rules, asked, moved)) > 1e-3  # a table moved by one unit is seen


def test_no_count_is_farther_from_the_truth_than_without_the_rule():
    """Where the true table obeys the rules, the weighted distance to it cannot grow."""
    random = np.random.default_rng(9)
    tree = large_tree(9)
    truth = tree.aggregate(random.poisson(2, 10_000))
    rules = TreeRules(tree, [Fraction(1), Fraction(2), Fraction(3), Fraction(5)], None, True)
    weights = np.array([1, 2, 3, 5])[tree.levels]
    for _ in range(5):
        asked = truth + random.laplace(0, 6, tree.size)
        far = (weights * (TreeLeastSquares(rules).apply(asked) - truth) ** 2).sum()
        near = (weights * (TreeNonnegative(rules).apply(asked) - truth) ** 2).sum()
        assert near <= far * (1 + 1e-12)


def test_a_leaf_held_at_zero_is_never_freed():
    """The claim behind the search: prices at held leaves only rise from round to round."""
    random = np.random.default_rng(10)
    for number in range(20):
        tree = large_tree(number)
        rules = TreeRules(tree, [Fraction(int(w)) for w in random.integers(1, 9, 4)], None, True)
        asked = np.rint(random.laplace(1, 9, tree.size))
        found = TreeNonnegative(rules).nearest(asked, np.zeros(10_000))
        assert found.rounds > 2
        assert slack(rules, asked, added_up(rules, found.nodes))[1] < 1e-9
