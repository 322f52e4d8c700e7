"""A way that obeys equalities is never handed a table."""

import inspect
import subprocess
import sys
from typing import get_type_hints

import numpy as np
import pytest

import holdfast as hf
from holdfast.foundation.errors import BadParameter
from holdfast.foundation.progress import silent
from holdfast.mechanism.choice import METHODS
from holdfast.mechanism.condition import Condition
from holdfast.mechanism.way import Blind, Sighted, way_for
from holdfast.revision.evidence import Sampler
from holdfast.revision.inequalities.nonnegative_messages import NonnegativeMessages
from holdfast.revision.inequalities.rule_rejection import RuleRejection
from tests.mechanism.samples import (
    A_IS_B,
    FIRST_IS_MORE,
    GROUP,
    NORMAL,
    REAL,
    TABLE,
    TREE,
    WHOLE,
    WHOLE_GAUSSIAN,
    mechanism,
)

LAWS = (WHOLE, WHOLE_GAUSSIAN, REAL, NORMAL)
SUMS = TREE.sums()


def way(law, rules, method="auto", tree=TREE):
    return way_for(Condition(tree, (law,) * tree.depth, rules), method, silent)


def every_way_of_equalities():
    for law in LAWS:
        for method in METHODS:
            for tree, rules in ((TREE, SUMS), (GROUP, GROUP.sums()), (TREE, SUMS & A_IS_B)):
                try:
                    yield way(law, rules, method, tree)
                except BadParameter:
                    continue


def arguments(function):
    return list(inspect.signature(function).parameters)


def test_no_sampler_of_equalities_has_an_argument_for_a_table():
    """Nothing could be told of the table by time, memory or noise: it is not there."""
    ways = list(every_way_of_equalities())
    assert len({type(found.sampler) for found in ways}) == 10  # every sampler of the house
    for found in ways:
        assert type(found) is Blind
        assert arguments(found.sampler.noise) == ["chance", "count"]
    assert get_type_hints(Blind)["sampler"] is Sampler


SABOTAGE = """
from holdfast.foundation.randomness import Chance
from holdfast.mechanism.way import Blind, Sighted
from holdfast.worlds.vectors import Numbers

class Peeks:
    evidence = None
    def noise(self, chance: Chance, count: int, table: Numbers) -> Numbers:
        return table

def shows(way: Blind, table: Numbers, chance: Chance) -> Numbers:
    return way.sampler.noise_for(table, chance, 1)

peeking = Blind(Peeks(), "exact", "")
"""


def test_the_type_checker_stops_a_sampler_that_looks(tmp_path):
    (tmp_path / "peeks.py").write_text(SABOTAGE)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "peeks.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert '"Sampler" has no attribute "noise_for"' in done.stdout
    assert 'Argument 1 to "Blind" has incompatible type "Peeks"' in done.stdout


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_the_noise_is_the_same_for_every_table(law):
    """Seeds alike, tables far apart: noise alike. Floats to the rounding of the sum."""
    revised = mechanism(law=law).revise(SUMS)
    other = TREE.aggregate([10**6, 0, 5])
    noise = [revised.draws(table, 50, hf.seeded(3)) - table for table in (TABLE, other)]
    assert np.abs(noise[0] - noise[1]).max() <= (0 if law in (WHOLE, WHOLE_GAUSSIAN) else 1e-9)


def looks(table, noise):
    return noise + (table > 10**5)


def test_the_test_of_equal_noise_barks():
    revised = mechanism().revise(SUMS)
    other = TREE.aggregate([10**6, 0, 5])
    noise = [
        looks(table, revised.draws(table, 50, hf.seeded(3)) - table) for table in (TABLE, other)
    ]
    assert np.abs(noise[0] - noise[1]).max() > 0


@pytest.mark.parametrize(
    ("law", "rules", "kind"),
    [
        (WHOLE, SUMS & hf.nonnegative(), NonnegativeMessages),
        (WHOLE_GAUSSIAN, SUMS & hf.nonnegative(), RuleRejection),
        (WHOLE, SUMS & FIRST_IS_MORE, RuleRejection),
        (WHOLE, SUMS & hf.nonnegative() & FIRST_IS_MORE, RuleRejection),
        (REAL, SUMS & FIRST_IS_MORE & A_IS_B, RuleRejection),
    ],
)
def test_inequalities_are_drawn_by_what_must_see_the_table(law, rules, kind):
    found = way(law, rules)
    assert type(found) is Sighted
    assert type(found.sampler) is kind
    assert arguments(found.sampler.noise_for) == ["table", "chance", "count"]


def test_non_negative_trees_have_one_method():
    with pytest.raises(BadParameter, match=r"method 'exact'.*which is free"):
        way(WHOLE, SUMS & hf.nonnegative(), "exact")
    assert way(WHOLE, SUMS & hf.nonnegative(), "messages").method == "messages"
