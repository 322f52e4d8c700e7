"""What an update did, told by level."""

import numpy as np

import holdfast as hf
from holdfast.update.diagnosis import diagnose

TREE = hf.Hierarchy.from_frame(
    {"Area": ["a", "a", "b"], "Place": ["x", "y", "u"]}, ["Area", "Place"]
)
RULES = TREE.sums() & hf.nonnegative() & hf.inequalities([[0, 1, -2, 0, 0, 0]], 0)
NOISY = np.array([10, 7, -1, 5, -2, 3])
UPDATED = np.array([9, 6, 3, 6, 0, 3])


def test_moves_and_negatives_are_counted_by_level():
    found = diagnose(RULES, NOISY, UPDATED)
    root, areas, places = found.levels
    assert (root.name, areas.name, places.name) == ("root", "Area", "Place")
    assert (root.mean_move, areas.largest_move, places.mean_move) == (1, 4, 1)
    assert (root.shift, areas.shift, places.shift) == (-1, 3, 3)
    assert (areas.negative_before, places.negative_before, places.negative_after) == (1, 1, 0)


def test_gaps_and_zeros_are_told():
    found = diagnose(RULES, NOISY, UPDATED)
    assert found.largest_gap == 4  # 10 against 7 - 1; 7 against 5 - 2; -1 against 3
    assert (found.lowest_before, found.turned_zero, found.leaves) == (-2, 1, 3)
    assert not found.noise_dominates
    assert "1 of 3 leaves became 0" in str(found)


def test_rules_with_nothing_to_spare_are_named():
    """a, 6, is twice b, 3, and must be at least that."""
    assert diagnose(RULES, NOISY, UPDATED).binding == ("a - 2 b >= 0",)
    assert "nothing to spare: a - 2 b >= 0" in str(diagnose(RULES, NOISY, UPDATED))


def test_a_table_of_zeros_is_said_aloud():
    found = diagnose(RULES, NOISY, np.zeros(6, dtype=int))
    assert found.noise_dominates
    assert "nothing but zeros" in str(found)
    assert not diagnose(RULES, UPDATED * 0, UPDATED * 0).noise_dominates
