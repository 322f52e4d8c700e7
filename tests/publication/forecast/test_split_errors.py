"""Mean errors of a split: those of the mechanism it calibrates; and the tree that stands in."""

from fractions import Fraction

import numpy as np
import pytest

import holdfast as hf
from holdfast.noise.budget import Pure
from holdfast.noise.sensitivity import Neighbours, sensitivity
from holdfast.publication.forecast import split_errors
from holdfast.publication.forecast.split_errors import SplitErrors, typical_tree
from holdfast.publication.level_error import by_level
from tests.publication.forecast.samples import LAPLACE, TREE, mechanism

SHARES = (Fraction(1, 2), Fraction(1, 5), Fraction(3, 10))
DISTANCES = sensitivity(3, Neighbours.ADD_REMOVE)
RAGGED = hf.Hierarchy.from_paths([(g, n) for g in range(60) for n in range(20 + 7 * (g % 5))])


def errors(tree=TREE):
    return SplitErrors(tree, LAPLACE, Pure(Fraction(1)), DISTANCES)


def test_they_are_those_of_the_mechanism():
    split = dict(enumerate(SHARES))
    revised = mechanism(split=split, epsilon=1).revise(TREE.sums())
    assert errors().of(SHARES) == pytest.approx(by_level(TREE, revised.expected_error()))
    assert errors().of(SHARES) != pytest.approx(errors().of(SHARES[::-1]), rel=0.01)


def test_noise_that_nothing_follows_is_infinitely_far():
    far = SplitErrors(TREE, LAPLACE, Pure(Fraction(1, 10**9)), DISTANCES)
    assert np.isinf(far.of(SHARES)).all()


def test_the_typical_tree_has_the_average_children():
    found = typical_tree(RAGGED)
    assert np.diff(found.arrays.level_offsets).tolist() == [1, 60, 60 * 34]
    early = hf.Hierarchy.from_paths([("a", 1), ("a", 2), ("a", 3), ("b",)])
    assert np.diff(typical_tree(early).arrays.level_offsets).tolist() == [1, 2, 6]


def test_it_stands_in_for_a_large_tree_only(monkeypatch):
    small = errors()
    assert small.typical() is small
    monkeypatch.setattr(split_errors, "LARGE", 5)
    assert small.typical().tree != TREE


def test_it_strays_about_as_the_tree_does():
    """Ratios of errors between two splits, level by level: within 2 % on a ragged tree."""
    ragged, typical = errors(RAGGED), errors(typical_tree(RAGGED))
    one, other = (each.of(SHARES) / each.of(SHARES[::-1]) for each in (ragged, typical))
    assert other == pytest.approx(one, rel=0.02)
