"""The streets: what there is under which rules, and which one is recommended."""

import pytest

import holdfast as hf
from holdfast.foundation.errors import BadRules
from holdfast.foundation.progress import silent
from holdfast.mechanism.plain import Mechanism
from holdfast.mechanism.revised import Revised
from holdfast.mechanism.updated import Updated
from holdfast.publication.forecast.streets import CONDITION, PLAIN, REVISE, STREET, UPDATE, streets
from tests.publication.forecast.samples import GAUSSIAN, GROUP, TREE, mechanism, rules_of

A_IS_B = hf.equalities([[0, 1, -1, *[0] * 9]], 0)
AT_MOST = hf.inequalities([[-1, *[0] * 11]], -1000)


def ways(mechanism, rules):
    return {each.name: each for each in streets(mechanism, rules, silent)}


def recommended(found):
    return [name for name, each in found.items() if each.recommended]


def test_every_street_is_the_way_it_says():
    found = ways(mechanism(), rules_of(TREE))
    assert list(found) == [PLAIN, REVISE, STREET, UPDATE, CONDITION]
    assert isinstance(found[PLAIN].way, Mechanism)
    assert isinstance(found[REVISE].way, Revised)
    assert not found[REVISE].way.invariant.inequalities
    assert isinstance(found[STREET].way, Updated)
    assert found[STREET].way.source is found[REVISE].way
    assert found[UPDATE].way.source is found[PLAIN].way
    assert found[CONDITION].way.invariant.inequalities
    assert recommended(found) == [STREET]


def test_without_inequalities_the_revision_is_the_street():
    found = ways(mechanism(), TREE.sums())
    assert list(found) == [PLAIN, REVISE, UPDATE]
    assert recommended(found) == [REVISE]


def test_facts_are_taken_along():
    found = ways(mechanism(neighbours="replace-one"), rules_of(TREE) & hf.total(100))
    assert found[REVISE].way.condition.pinned == (0,)
    assert found[CONDITION].way is not None


def test_what_no_sampler_covers_says_why_and_the_update_is_recommended():
    whole = ways(mechanism(neighbours="replace-one"), rules_of(TREE) & A_IS_B)
    assert "no exact sampler is known" in whole[REVISE].why_not
    assert whole[STREET].why_not == whole[REVISE].why_not
    assert recommended(whole) == [UPDATE]
    only = ways(mechanism(neighbours="replace-one"), TREE.sums() & A_IS_B)
    assert recommended(only) == [UPDATE]


@pytest.mark.parametrize(
    ("family", "more"), [(GAUSSIAN, None), ("laplace", None), ("discrete-laplace", AT_MOST)]
)
def test_trials_are_not_forecast(family, more):
    rules = rules_of(TREE) if more is None else rules_of(TREE) & more
    found = ways(mechanism(family=family, neighbours="replace-one"), rules)
    assert "by trial" in found[CONDITION].why_not
    assert recommended(found) == [STREET]


def test_a_fact_under_add_remove_is_refused():
    with pytest.raises(BadRules, match="add-remove"):
        ways(mechanism(), rules_of(TREE) & hf.total(100))


def test_rules_of_another_tree_are_refused():
    with pytest.raises(BadRules, match="another tree"):
        ways(mechanism(), GROUP.sums())
