"""Unbiased rounding, on every draw there is: one word decides all."""

import numpy as np
import pytest

import holdfast as hf
from holdfast.update.whole import unbiased_rounding as room
from holdfast.update.whole.unbiased_rounding import unbiased
from tests.plain.trees import ALL_FORMS, tree_of

WIDTH = 6  # bits of a unit in these tests: 64 draws are all there are


@pytest.fixture(autouse=True)
def _few_parts(monkeypatch):
    monkeypatch.setattr(room, "PARTS", WIDTH)


def all_tables(tree, table, way=unbiased):
    """Return the rounded table of each word."""
    words = range(1 << WIDTH)
    return np.stack([way(tree, table, hf.tape([word], width=WIDTH)) for word in words])


def tables():
    """Yield trees with tables whose leaves are multiples of 1/64."""
    random = np.random.default_rng(41)
    apart = [("a", "y"), ("a", "x", "1"), ("a", "x", "2"), ("b", "v"), ("b", "w", "1")]
    trees = [tree_of(form) for form in ALL_FORMS] + [hf.Hierarchy.from_paths(apart)] * 20
    for tree in trees:
        parts = random.integers(0, 5 << WIDTH, tree.leaf_nodes.size)
        yield tree, tree.aggregate(parts) / (1 << WIDTH)


def bias(way) -> float:
    """Return how far the mean of any node is from its real value, over all draws."""
    return max(
        float(np.abs(all_tables(tree, table, way).mean(axis=0) - table).max())
        for tree, table in tables()
    )


def test_the_mean_over_all_draws_is_the_table():
    assert bias(unbiased) == 0


def test_every_draw_adds_up_and_no_node_moves_by_a_unit():
    for tree, table in tables():
        found = all_tables(tree, table)
        assert all(tree.sums().holds(row) for row in found)
        assert (found >= np.floor(table)).all()
        assert (found <= np.ceil(table)).all()


def test_many_equal_fractions_do_not_add_up_to_a_drift(monkeypatch):
    """A million leaves of 3.3 make 3,300,000, whatever the draw; so does a pinned total."""
    monkeypatch.setattr(room, "PARTS", 20)
    tree = hf.Hierarchy.from_paths([(a, b) for a in range(50) for b in range(2000)])
    leaves = np.full(100_000, 3.3)
    leaves[::7] = 2.0
    table = tree.aggregate(leaves)
    for seed in range(20):
        found = unbiased(tree, table, hf.seeded(seed))
        assert np.abs(found - table).max() < 1
        assert (found[tree.leaf_nodes][::7] == 2).all()
        assert abs(int(found[0]) - float(table[0])) < 1
    even = tree.aggregate(np.full(100_000, 3.3))
    assert {int(unbiased(tree, even, hf.seeded(seed))[0]) for seed in range(20)} == {330_000}


def each_leaf_to_the_nearest(tree, table, chance):
    return tree.aggregate(np.rint(table[tree.leaf_nodes]).astype(np.int64))


def leaves_in_their_own_order(tree, table, chance):
    """Ragged trees: the leaves of a node do not stand together, and its total strays."""
    start = int(chance.words(1)[0])
    parts = np.rint(table[tree.leaf_nodes] * (1 << WIDTH)).astype(np.int64)
    passed = (np.cumsum(parts) + start) >> WIDTH
    return tree.aggregate(np.diff(passed, prepend=0))


def test_the_tests_bark():
    assert bias(each_leaf_to_the_nearest) > 0.1
    strays = 0.0
    for tree, table in tables():
        found = all_tables(tree, table, leaves_in_their_own_order)
        strays = max(strays, float(np.abs(found - table).max()))
    assert strays >= 1


def test_whole_tables_stay():
    tree = hf.Hierarchy.from_paths([("a", "x"), ("a", "y"), ("b", "u")])
    table = tree.aggregate([3, 0, 5])
    assert (all_tables(tree, table.astype(float)) == table).all()
