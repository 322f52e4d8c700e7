"""No interior point solver finds a nearer table than ours: on 10,000 leaves, to 1e-9."""

from fractions import Fraction

import numpy as np
import pytest
from benchmarks.peers import PEERS, programme

from holdfast.update.trees.tree_least_squares import TreeLeastSquares
from holdfast.update.trees.tree_nonnegative import TreeNonnegative
from holdfast.update.trees.tree_rules import TreeRules
from holdfast.update.whole.whole_optimum import WholeOptimum
from tests.update.test_tree_nonnegative import large_tree

BROKEN = 1e-6  # their points may break a rule by as much


def asked_of(tree, seed):
    random = np.random.default_rng(seed)
    leaves = np.where(random.random(10_000) < 0.5, 0, random.poisson(40, 10_000))
    return tree.aggregate(leaves) + np.rint(random.laplace(0, 8, tree.size)).astype(np.int64)


@pytest.mark.parametrize("nonnegative", [False, True])
@pytest.mark.parametrize("name", ["PIQP", "Clarabel"])
@pytest.mark.parametrize("seed", range(3))
def test_our_objective_is_never_above_theirs(name, nonnegative, seed):
    """Theirs may lie below by what their broken rules give them, and no more."""
    tree = large_tree(seed)
    asked = asked_of(tree, seed)
    given = programme(tree, asked, nonnegative)
    rules = TreeRules(tree, [Fraction(1)] * tree.depth, None, nonnegative)
    table = (TreeNonnegative if nonnegative else TreeLeastSquares)(rules).apply(asked)
    theirs = PEERS[name](given)  # a status other than solved is an error
    assert given.gap(theirs) < BROKEN
    assert given.gap(table) < 1e-9
    assert given.objective(table) <= given.objective(theirs) * (1 + 1e-9)
    whole = WholeOptimum(rules).apply(asked)
    assert given.gap(whole.astype(float)) == 0
    assert given.objective(table) <= given.objective(whole.astype(float))


def test_the_test_of_objectives_barks():
    """A table that was clipped and added up is farther than theirs."""
    tree = large_tree(0)
    asked = asked_of(tree, 0)
    given = programme(tree, asked, nonnegative=True)
    clipped = tree.aggregate(np.maximum(asked[tree.leaf_nodes], 0)).astype(float)
    assert given.objective(clipped) > given.objective(PEERS["PIQP"](given)) * 1.01
