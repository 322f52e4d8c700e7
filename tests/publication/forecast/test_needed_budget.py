"""The budget that an error needs: enough, and the next smaller one is not."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

import holdfast as hf
from holdfast.foundation.errors import BadParameter
from holdfast.publication.forecast.needed_budget import LOWEST, budget_for, decimal, near
from holdfast.publication.forecast.prediction import forecast
from holdfast.publication.forecast.recalibration import calibrated
from holdfast.publication.forecast.streets import REVISE
from tests.plain import taxi
from tests.publication.forecast.samples import GAUSSIAN, LAPLACE, TREE, mechanism, rules_of

TAXI = taxi.tree()
WANTED = [{1: 5}, {"root": "0.01", "level 2": 3}, {2: 40}]


def errors_with(found, rules, amount):
    """Return the mean errors by level that the forecast of the revised street tells."""
    again = calibrated(found.mechanism).spending(amount)
    street = next(each for each in forecast(again, rules) if each.street == REVISE)
    return [level.mean_error for level in street.levels]


def keeps(mechanism, wanted, errors):
    tree = mechanism.tree
    return all(errors[tree.level_number(name)] <= float(wish) for name, wish in wanted.items())


@pytest.mark.parametrize("family", [LAPLACE, GAUSSIAN])
@pytest.mark.parametrize("wanted", WANTED, ids=str)
def test_the_answer_keeps_the_errors_and_less_does_not(family, wanted):
    """As the forecast tells them; the next smaller budget is the saboteur."""
    made = mechanism(TREE, family)
    found = budget_for(made, TREE.sums(), wanted)
    assert keeps(made, wanted, errors_with(found, TREE.sums(), found.amount))
    assert not keeps(made, wanted, errors_with(found, TREE.sums(), found.less))
    assert found.ratio <= 1 < found.ratio_with_less
    assert 0 < found.amount - found.less <= found.amount / 100
    assert len(str(found.amount * 10**9).rstrip("0")) <= 3


def test_the_taxi_tree():
    """On the taxi tree mean error 5 at the boroughs needs epsilon 0.458."""
    found = budget_for(mechanism(TAXI), rules_of(TAXI), {1: 5})
    assert found.amount == Fraction("0.458")
    assert found.mechanism.certificate.epsilon == Fraction("0.458")


@pytest.mark.parametrize("family", [LAPLACE, GAUSSIAN])
@pytest.mark.parametrize(
    ("neighbours", "split"),
    [
        ("add-remove", None),
        ("add-remove", {0: "0.2", 1: "0.3", 2: "0.5"}),
        ("replace-one", None),
        ("replace-one", {0: "0.1", 1: "0.4", 2: "0.5"}),
    ],
)
def test_a_mechanism_is_made_again_as_it_was(family, neighbours, split):
    words = {"rho": "0.07"} if family == GAUSSIAN else {"epsilon": "0.7"}
    made = mechanism(TREE, family, neighbours, split=split, rows=1, **words)
    again = calibrated(made)
    assert again.amount == Fraction(next(iter(words.values())))
    assert again.spending(again.amount).laws == made.laws
    assert again.spending(2 * again.amount).laws != made.laws


def test_facts_help():
    """Where the total is public less is needed."""
    made = mechanism(TREE, neighbours="replace-one")
    free, given = (
        budget_for(made, rules, {1: 2}).amount
        for rules in (TREE.sums(), TREE.sums() & hf.total(100))
    )
    assert given < free


def test_decimals_have_three_digits_and_rise():
    places = np.arange(LOWEST, 2000)
    values = [decimal(place) for place in places.tolist()]
    assert all(low < high for low, high in pairwise(values))
    assert all(
        abs(near(float(value)) - place) <= 1 for place, value in zip(places, values, strict=True)
    )


def test_few_looks_are_enough():
    told = []
    budget_for(mechanism(), TREE.sums(), {1: 5}, lambda *news: told.append(news))
    assert 2 <= len(told) <= 8


@pytest.mark.parametrize("wanted", [{1: "0.0000001"}, {1: 1001}, {1: 10**12}])
def test_what_no_budget_gives_is_refused(wanted):
    with pytest.raises(BadParameter):
        budget_for(mechanism(), TREE.sums(), wanted)


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        (mechanism(), {}),
        (mechanism(), "Borough<=5"),
        (mechanism(), {"Borough": 5}),
        (mechanism(), {1: -1}),
        (mechanism(TREE, "laplace"), {1: 5}),
        (mechanism(TREE, "gaussian"), {1: 5}),
        (hf.Mechanism(TREE, hf.DiscreteLaplace.with_scale(3)), {1: 5}),
    ],
)
def test_what_is_not_meant_is_refused(made, wanted):
    with pytest.raises(BadParameter):
        budget_for(made, TREE.sums(), wanted)
