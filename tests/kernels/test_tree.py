"""Loops over trees agree with dictionaries of paths."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernels import tree as kernel
from holdfast.worlds.hierarchy import Hierarchy
from tests.plain import tree as plain


@st.composite
def leaf_lists(draw):
    """Leaves of a ragged tree, in any order."""
    names = st.sampled_from("abcde")
    paths = draw(
        st.lists(st.lists(names, min_size=1, max_size=4).map(tuple), min_size=1, max_size=20)
    )
    kept = []
    for path in dict.fromkeys(paths):
        clash = any(path[: len(o)] == o or o[: len(path)] == path for o in kept)
        if not clash:
            kept.append(path)
    return kept


@given(leaf_lists())
def test_nodes_come_in_the_promised_order(leaves):
    tree = Hierarchy.from_paths(leaves)
    expected = plain.nodes(leaves)
    assert list(tree.paths) == expected
    assert list(tree.leaves) == [path for path in expected if path in leaves]
    assert tree.levels.tolist() == [len(path) for path in expected]


@given(leaf_lists(), st.data())
def test_sums_are_the_sums_of_leaves(leaves, data):
    tree = Hierarchy.from_paths(leaves)
    values = {leaf: data.draw(st.integers(-100, 100)) for leaf in tree.leaves}
    found = tree.aggregate([values[leaf] for leaf in tree.leaves])
    assert found.tolist() == plain.aggregate(leaves, values)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=1, max_size=40))
def test_dense_and_sparse_branches_agree(rows):
    """The table of all keys and the sort are two ways to the same nodes."""
    parents, codes = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    dense = kernel.branch(parents, codes, 6)
    sparse = kernel.branch(parents, codes, 10**6)
    assert all(np.array_equal(one, other) for one, other in zip(dense, sparse, strict=True))


def test_the_order_test_barks():
    """Sorted siblings, instead of siblings by first appearance, would be seen."""
    leaves = [("b",), ("a",)]
    assert plain.nodes(leaves) != sorted(plain.nodes(leaves))
    with pytest.raises(AssertionError):
        assert list(Hierarchy.from_paths(leaves).paths) == [(), ("a",), ("b",)]
