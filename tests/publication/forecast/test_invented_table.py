"""A table to simulate on: the same for the same tree, sparse, and under the rules."""

import numpy as np
import pytest

import holdfast as hf
from holdfast.foundation.errors import BadTable
from holdfast.publication.forecast.invented_table import invented, public_table
from tests.plain import taxi
from tests.publication.forecast.samples import GROUP, TREE, mechanism, rules_of

WIDE = hf.Hierarchy.from_paths([(g, n) for g in range(400) for n in range(25)])


def shape_of(counts):
    """Return the share of empty leaves and groups, and of the others those of at least 11."""
    groups = counts.reshape(400, 25).sum(axis=1)
    return (counts == 0).mean(), (groups == 0).mean(), (counts[counts > 0] >= 11).mean()


def test_it_is_as_sparse_as_is_written():
    """A quarter of the groups, half of the rest, and half of what is left at least 11: to 2 %."""
    counts = invented(WIDE)
    assert shape_of(counts) == pytest.approx((0.625, 0.25, 0.5), abs=0.02)
    assert 1000 < counts.max() <= 100_000
    dense = np.where(counts == 0, 1, counts)  # the test barks
    assert shape_of(dense) != pytest.approx((0.625, 0.25, 0.5), abs=0.02)


def test_it_goes_by_the_tree_alone():
    assert invented(taxi.tree()).tolist() == invented(taxi.tree()).tolist()
    assert invented(GROUP).any()  # the leaves below the root are no empty group


def test_it_obeys_the_rules():
    replacing = mechanism(neighbours="replace-one")
    for rules in (rules_of(TREE), rules_of(TREE) & hf.total(1000)):
        table = public_table(replacing, rules, None)
        assert rules.holds(table.values)
    assert table.called == "an invented table, moved onto the rules"
    assert table.values[0] == 1000


def test_public_counts_are_taken_as_they_are():
    counts = [4, 0, 0, 1, 0, 7, 0, 2]
    table = public_table(mechanism(), rules_of(TREE), counts)
    assert table.values.tolist() == TREE.aggregate(counts).tolist()
    assert table.called == "the public table given"


@pytest.mark.parametrize("counts", [[1, 2], [0.5] * 8, "counts", [None] * 8])
def test_what_is_no_table_of_leaves_is_refused(counts):
    with pytest.raises(BadTable):
        public_table(mechanism(), rules_of(TREE), counts)
