"""The mechanism that a plan asks for: its streets, its shares, its refusals.

If this failed, a plan would publish by another way than it says.
"""

from fractions import Fraction
from pathlib import Path

import pytest

from holdfast.foundation.errors import BadPlan
from holdfast.mechanism.plain import Mechanism
from holdfast.mechanism.revised import Revised
from holdfast.mechanism.updated import Updated
from holdfast.publication.plan.reading import plan_of
from holdfast.publication.street import mechanism_of, rules_of, street_of
from tests.publication.released import TREE
from tests.publication.samples import PLAN, changed

HERE = Path("somewhere")


def street(*pairs, more=""):
    return street_of(plan_of(changed(PLAN, *pairs) + more, HERE), TREE)


def test_the_default_street():
    found = street()
    assert isinstance(found, Updated)
    assert isinstance(found.source, Revised)
    assert [rule.name for rule in found.invariant.statements] == ["sums", "nonnegative"]


def test_sums_alone():
    found = street(("nonnegative = true", "nonnegative = false"))
    assert isinstance(found, Revised)


def test_update_alone():
    found = street(more='\n[method]\nstreet = ["update"]\n')
    assert isinstance(found, Updated)
    assert isinstance(found.source, Mechanism)


def test_the_sampler_asked_for():
    found = street(more='\n[method]\nsampler = "messages"\n')
    assert found.source.method == "messages"


def test_shares_are_exact():
    split = 'epsilon = "1"\nsplit = { root = "0.2", Borough = "0.3", Zone = "0.5" }'
    plan = plan_of(changed(PLAN, ('epsilon = "1"', split)), HERE)
    scales = [law.scale for law in mechanism_of(plan, TREE).laws]
    assert scales == [5, Fraction(10, 3), 2]


def test_the_best_split_adds_up():
    plan = plan_of(changed(PLAN, ('epsilon = "1"', 'epsilon = "1"\nsplit = "best"')), HERE)
    assert mechanism_of(plan, TREE).certificate.epsilon == 1


def test_a_public_total():
    text = changed(
        PLAN,
        ('"add-remove"', '"replace-one"'),
        ("nonnegative = true\n", "nonnegative = true\ntotal = 60\n"),
    )
    names = [rule.name for rule in rules_of(plan_of(text, HERE), TREE).statements]
    assert names == ["sums", "total = 60", "nonnegative"]


REFUSED = {
    "inequalities revised": '\n[method]\nstreet = ["revise"]\n',
    "nobody": None,
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_published_is_refused(case):
    if REFUSED[case]:
        with pytest.raises(BadPlan, match="street"):
            street(more=REFUSED[case])
        return
    text = changed(PLAN, ('"add-remove"', '"replace-one"'), ("nonnegative = true\n", "total = 0\n"))
    with pytest.raises(BadPlan, match="no pair"):
        street_of(plan_of(text, HERE), TREE)
