"""Least deviations in whole numbers: by brute force, with the nearest in squares of equal ones."""

from fractions import Fraction

import numpy as np
import pytest

import holdfast as hf
from holdfast.update.trees.tree_rules import TreeRules
from holdfast.update.whole.least_deviation import LeastDeviation
from holdfast.update.whole.whole_optimum import WholeOptimum, asked_for, settled
from tests.plain.nearest import nearest_whole
from tests.update.cases import whole_weights
from tests.update.test_whole_optimum import RANGE, bounded_cases, cases


def faults(way, given) -> tuple[int, int]:
    """Count tables other than the one that brute force finds, and those looked at."""
    wrong = seen = 0
    for rules, asked in given:
        values = range(8) if rules.nonnegative else RANGE
        best = nearest_whole(
            rules.tree,
            whole_weights(rules),
            rules.pinned,
            asked.tolist(),
            values,
            rules.least,
            rules.most,
            norm="l1",
        )
        if best is None or any(abs(best[leaf]) == 7 for leaf in rules.tree.leaf_nodes):
            continue
        wrong += way(rules).apply(asked).tolist() != best
        seen += 1
    return wrong, seen


def test_tables_are_those_of_brute_force():
    for given in (cases(600, seed=21, most_leaves=4), bounded_cases(200, seed=22)):
        wrong, seen = faults(LeastDeviation, given)
        assert wrong == 0
        assert seen > 80


class ForgetsSquares(LeastDeviation):
    """Takes another of the tables with the least sum: the first leaf holds one more."""

    def apply(self, values):
        found = super().apply(values)
        leaves = self.rules.tree.leaf_nodes
        moved = found.copy()
        moved[leaves[0]] += 1
        other = self.rules.tree.aggregate(moved[leaves])
        sums = [np.abs(z - values) @ whole_weights(self.rules) for z in (found, other)]
        return other if sums[0] == sums[1] else found


@pytest.mark.parametrize("sabotage", [WholeOptimum, ForgetsSquares])
def test_the_test_of_deviations_barks(sabotage):
    assert faults(sabotage, cases(300, seed=21, most_leaves=3))[0] > 5


def test_the_search_ends_at_the_same_table_wherever_it_begins():
    """One nearest table, and no start that leads elsewhere: far starts and near ones agree."""
    random = np.random.default_rng(23)
    tree = hf.Hierarchy.from_paths([(a, b) for a in range(6) for b in range(7)])
    rules = TreeRules(tree, [Fraction(2), Fraction(3), Fraction(1)], None, nonnegative=True)
    asked = tree.aggregate(random.poisson(9, 42)) + np.rint(random.laplace(0, 5, tree.size)).astype(
        int
    )
    found = LeastDeviation(rules).apply(asked)
    given = asked_for(asked)
    for _ in range(5):
        start = tree.aggregate(random.integers(0, 500, 42))
        sizes = type(given)(given.values, given.unit, in_sizes=True)
        assert settled(rules, start, sizes, 512).tolist() == found.tolist()
