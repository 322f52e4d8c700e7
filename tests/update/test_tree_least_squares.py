"""Two sweeps find the nearest table that adds up, and know how far it strays."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import holdfast as hf
from holdfast.revision.closed_forms.gaussian_tree import GaussianTree
from holdfast.revision.noisy_tree import NoisyTree
from holdfast.solvers.tree_sweeps import TreeSweeps
from holdfast.update.trees.tree_least_squares import TreeLeastSquares
from holdfast.update.trees.tree_rules import TreeRules
from tests.plain.nearest import rows_of
from tests.update.cases import cases, farthest, node_weights


def equalities():
    """Yield the cases without the rule of no negative counts."""
    for rules, asked in cases(120, seed=1):
        yield TreeRules(rules.tree, rules.weights, rules.pinned), asked


def test_the_nearest_table_is_the_exact_one():
    """Values up to 6 and a few dozen roundings: nothing beyond 1e-13."""
    assert farthest(TreeLeastSquares, equalities()) < 1e-13


class EqualWeights(TreeLeastSquares):
    @property
    def _sweeps(self):
        return TreeSweeps(self.rules.tree.arrays, np.where(self.rules.is_pinned, 0.0, 1.0))


class ForgetsPins(TreeLeastSquares):
    @property
    def _sweeps(self):
        return TreeSweeps(self.rules.tree.arrays, np.where(self.rules.is_pinned, 1.0, 1.0))


class OnlyGoesDown(TreeLeastSquares):
    def nearest(self, target):
        found = super().nearest(target)
        return replace(found, nodes=self._sweeps.share_out(target.copy()))


@pytest.mark.parametrize("sabotage", [EqualWeights, ForgetsPins, OnlyGoesDown])
def test_the_test_of_least_squares_barks(sabotage):
    assert farthest(sabotage, equalities()) > 0.1


def test_sums_hold_as_they_are_added():
    """Floats that leave the update add up to the last bit, as `aggregate` adds them."""
    for rules, asked in cases(40, seed=2):
        assert rules.tree.sums().holds(TreeLeastSquares(rules).apply(asked * 0.1 + 1 / 3))


def dense_covariance(rules) -> np.ndarray:
    """Return H (H' W H)**-1 H', H the leaves below each node, in units of the largest weight."""
    below = rows_of(rules.tree).astype(float)
    largest = float(max(rules.weights))
    weights = np.array([float(weight) / largest for weight in node_weights(rules)])
    return below @ np.linalg.inv(below.T @ (weights[:, None] * below)) @ below.T


def test_variances_and_covariances_are_those_of_the_matrix():
    for rules, _ in cases(60, seed=3):
        if rules.pinned:
            continue
        exact, squares = dense_covariance(rules), TreeLeastSquares(rules)
        assert np.allclose(squares.variance(), np.diag(exact), rtol=1e-12)
        for one in range(rules.tree.size):
            for other in range(rules.tree.size):
                assert squares.covariance(one, other) == pytest.approx(
                    exact[one, other], rel=1e-11, abs=1e-13
                )


def test_both_views_coincide_for_gaussian_noise():
    """Weighted by inverse variances, the error of the projection is the noise given the sums."""
    tree = hf.Hierarchy.from_paths([("a", "x"), ("a", "y"), ("b", "u"), ("c",)])
    laws = [hf.Gaussian.with_variance(v) for v in (2, "0.5", 3)]
    rules = TreeRules(tree, [1 / law.variance for law in laws])
    unit = float(1 / max(rules.weights))
    found = TreeLeastSquares(rules).variance() * unit
    assert np.allclose(found, GaussianTree(NoisyTree(tree, laws)).variance(), rtol=1e-12)


def test_a_million_leaves_are_moved_without_a_system():
    """Each of 1,000 groups of 1,000: the missing share of each group is handed out evenly."""
    paths = {"a": np.repeat(np.arange(1000), 1000), "b": np.tile(np.arange(1000), 1000)}
    tree = hf.Hierarchy.from_frame(paths, ["a", "b"])
    rules = TreeRules(tree, [Fraction(1)] * 3)
    asked = np.zeros(tree.size)
    asked[1:1001] = 1001.0
    found = TreeLeastSquares(rules).apply(asked)
    # each group: w (s - 1001)**2 + s**2 / 1000, then the root's own term
    alone, estimate = 1000 / 1001, 1000.0
    root = estimate * 1000 * 1 / (1 + 1000 * alone)
    assert found[0] == pytest.approx(root, rel=1e-9)
    assert np.ptp(found[tree.leaf_nodes]) < 1e-9
