"""What cannot be reported is refused, without showing a number."""

from dataclasses import replace

import numpy as np
import pytest

from holdfast.foundation.errors import BadParameter
from holdfast.publication.level_error import LevelError
from tests.publication.report.samples import small, taxi

BAD = {
    "value": np.zeros(5, dtype=np.int64),
    "lower": np.zeros(13),
    "upper": np.zeros((), dtype=np.int64),
    "wide": np.zeros(13, dtype=np.int64),
    "labels": ("one", "two"),
    "levels": (),
    "confidence": "95",
}


@pytest.mark.parametrize("name", BAD)
def test_each_check_fails(name):
    with pytest.raises(BadParameter) as caught:
        replace(small(), **{name: BAD[name]})
    assert "165475" not in str(caught.value)


def test_all_faults_are_told_at_once():
    with pytest.raises(BadParameter) as caught:
        replace(small(), value=np.zeros(2), levels=())
    assert len(caught.value.faults) == 3


@pytest.mark.parametrize("wrong", [-1.0, float("nan"), float("inf")])
@pytest.mark.parametrize("place", ["mean_error", "standard_deviation", "half_width"])
def test_errors_of_a_level_are_finite(place, wrong):
    good = LevelError("Borough", 7, 1.0, 2.0, 3.0, True)
    if place == "half_width" and wrong != wrong:
        assert replace(good, half_width=wrong)  # there may be no valid interval
        return
    with pytest.raises(BadParameter):
        replace(good, **{place: wrong})


def test_the_whole_is_named_by_its_root():
    assert small().named("root") == "New York (the whole)"
    assert small().named("level 1") == "level 1"


def test_labels_belong_to_leaves():
    reported = taxi()
    leaves = reported.tree.leaf_nodes.tolist()
    assert [reported.label_of[node] for node in leaves] == list(reported.labels)
    assert small().label_of == {}
