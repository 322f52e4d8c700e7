"""A level's figures from those of its nodes."""

import math

import numpy as np

from holdfast.publication.level_error import NO_INTERVAL, by_level, level_errors, widest
from tests.publication.forecast.samples import TREE

NODES = np.arange(12.0)  # root 0; levels 1, 2, 3 and 4, ..., 11


def test_means_are_over_the_nodes_of_a_level():
    assert by_level(TREE, NODES).tolist() == [0, 2, 7.5]
    assert by_level(TREE, np.stack([NODES, 2 * NODES])).tolist() == [[0, 2, 7.5], [0, 4, 15]]
    assert widest(TREE, NODES).tolist() == [0, 3, 11]


def test_a_level_is_named_and_counted():
    found = level_errors(
        TREE, by_level(TREE, NODES), by_level(TREE, NODES), widest(TREE, NODES), True
    )
    assert [(each.level, each.nodes) for each in found] == [
        ("root", 1),
        ("level 1", 3),
        ("level 2", 8),
    ]
    assert found[1].mean_error == 2
    assert found[1].standard_deviation == math.sqrt(2)  # of the mean variance, not the mean root
    assert found[1].half_width == 3
    assert all(each.exact for each in found)


def test_no_interval_is_no_number():
    assert math.isnan(NO_INTERVAL)
