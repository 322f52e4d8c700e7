"""Belief is the definition: both views, their characterisations, and one false claim."""

import math
from fractions import Fraction
from itertools import chain, combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from holdfast.foundation.errors import BadBelief
from holdfast.worlds.belief import Belief, mixture, nearest_by, product

WORLDS = range(5)


@st.composite
def beliefs(draw):
    """A belief about up to five worlds, some of them without mass."""
    parts = draw(st.lists(st.integers(0, 20), min_size=5, max_size=5))
    assume(sum(parts))
    return Belief({w: Fraction(part, sum(parts)) for w, part in zip(WORLDS, parts, strict=True)})


events = st.sets(st.sampled_from(WORLDS), min_size=1)


def subsets(event):
    return chain.from_iterable(combinations(sorted(event), n) for n in range(len(event) + 1))


def nearest(event):
    return nearest_by(lambda a, b: abs(a - b), event, tie=min)


def test_apple_and_banana():
    """The paper's box: revision keeps the banana, update empties the box."""
    box = Belief({"a": Fraction(7, 10), "b": Fraction(3, 10)})
    map_ = {"ab": "b", "a": "", "b": "b", "": ""}
    assert box.revise({"b", ""}) == Belief({"b": 1})
    assert box.update({"b", ""}, map_) == Belief({"b": Fraction(3, 10), "": Fraction(7, 10)})
    assert box["ab"] == 0


def is_revision(posterior, prior, event) -> bool:
    """The ratio characterisation: nothing outside, and all ratios kept inside."""
    if posterior.chance(event) != 1:
        return False
    return all(
        posterior.chance(one) * prior.chance(other) == prior.chance(one) * posterior.chance(other)
        for one in subsets(event)
        for other in subsets(event)
        if prior.chance(other)
    )


@given(beliefs(), events)
def test_the_ratio_characterisation(prior, event):
    """Proposition 2.1: revision has it, and whatever has it is the revision."""
    assume(prior.chance(event))
    assert is_revision(prior.revise(event), prior, event)


@given(beliefs(), beliefs(), events)
def test_nothing_else_has_the_ratio_property(prior, other, event):
    assume(prior.chance(event))
    assert (other == prior.revise(event)) == is_revision(other, prior, event)


@given(beliefs(), events, events)
def test_the_convex_combination(prior, one, other):
    """Proposition 2.2 on disjoint events of positive chance."""
    other = other - one
    assume(prior.chance(one) and prior.chance(other))
    weight = prior.chance(one) / (prior.chance(one) + prior.chance(other))
    mixed = prior.revise(one).mix(prior.revise(other), weight)
    assert prior.revise(one | other) == mixed


@given(beliefs(), beliefs(), events)
def test_revision_is_the_least_divergence(prior, other, event):
    """-ln P(C), exactly; every other belief in C lies farther, strictly."""
    chance = prior.chance(event)
    assume(chance)
    revised = prior.revise(event)
    best = revised.divergence(prior)
    assert best.terms == ({} if chance == 1 else {1 / chance: 1})
    assert float(best) == pytest.approx(-math.log(chance))
    assume(other.chance(event))
    other = other.revise(event)
    rival = other.divergence(prior)
    assert other == revised or not rival.finite or rival.bounds().below > best.bounds().above


def test_the_arguments_of_the_divergence_matter():
    """Exchanged, as the paper's section 3 has it, the divergence is infinite for every P'."""
    prior = Belief({0: Fraction(1, 2), 1: Fraction(1, 2)})
    assert not prior.divergence(prior.revise({0})).finite
    assert float(prior.divergence(prior.revise({0}))) == math.inf


@given(beliefs(), beliefs(), st.fractions(0, 1), events)
def test_update_is_a_homomorphism(one, other, weight, event):
    """Equation 2: the image of a mixture is the mixture of the images."""
    map_ = nearest(event)
    left = one.mix(other, weight).update(event, map_)
    assert left == one.update(event, map_).mix(other.update(event, map_), weight)


def test_revision_is_no_homomorphism():
    one, other = Belief({0: 1}), Belief({1: Fraction(1, 2), 2: Fraction(1, 2)})
    half = Fraction(1, 2)
    left = one.mix(other, half).revise({0, 1})
    assert left != one.revise({0, 1}).mix(other.revise({0, 1}), half)


def scatter(belief: Belief, kernel: dict[int, Belief]) -> Belief:
    """Return the belief after each world's chance is spread by the kernel."""
    return mixture(kernel, belief)


@given(beliefs(), beliefs(), st.fractions(0, 1))
def test_imaging_is_not_the_only_homomorphic_rule(one, other, weight):
    """The paper says it is. Any kernel into C is homomorphic; this one is no imaging."""
    coin = Belief({0: Fraction(1, 2), 1: Fraction(1, 2)})
    kernel = {world: coin if world > 1 else Belief({world: 1}) for world in WORLDS}
    left = scatter(one.mix(other, weight), kernel)
    assert left == scatter(one, kernel).mix(scatter(other, kernel), weight)
    image_of_a_point = scatter(Belief({4: 1}), kernel)
    assert len(image_of_a_point) == 2  # an imaging sends a point to a point


@given(st.lists(st.sampled_from([0, 1]), min_size=3, max_size=3))
def test_a_homomorphism_that_keeps_points_is_imaging(targets):
    """With point masses going to point masses, and those of C staying, it is a nearest map."""
    points = {0: 0, 1: 1} | dict(zip((2, 3, 4), targets, strict=True))
    prior = Belief({world: Fraction(1, 5) for world in WORLDS})
    kernel = {world: Belief({target: 1}) for world, target in points.items()}
    assert scatter(prior, kernel) == prior.update({0, 1}, points)


def test_ties_are_refused_or_given():
    prior = Belief({1: 1})
    with pytest.raises(BadBelief, match="a tie of 2"):
        prior.update({0, 2}, nearest_by(lambda a, b: abs(a - b), {0, 2}))
    assert prior.update({0, 2}, nearest({0, 2})) == Belief({0: 1})


def test_update_makes_the_impossible_possible_and_the_sure_unsure():
    """Both happen under update and never under revision."""
    prior = Belief({0: Fraction(1, 2), 3: Fraction(1, 2)})
    updated = prior.update({0, 2}, {0: 0, 3: 2})
    assert prior[2] == 0 < updated[2]
    assert prior.chance({0, 3}) == 1 > updated.chance({0, 3})


def test_worlds_of_the_event_stay_without_being_told():
    prior = Belief({0: Fraction(1, 2), 1: Fraction(1, 2)})
    assert prior.update({0, 2}, {1: 2}) == Belief({0: Fraction(1, 2), 2: Fraction(1, 2)})


def test_an_event_may_be_any_collection_read_once():
    prior = Belief({0: Fraction(1, 2), 1: Fraction(1, 2)})
    assert prior.revise(w for w in (0, 5)) == Belief({0: 1})
    assert prior.update((w for w in (0, 5)), {0: 0, 1: 5})[5] == Fraction(1, 2)


def test_independent_worlds():
    coin = Belief({0: Fraction(1, 2), 1: Fraction(1, 2)})
    assert product([coin, coin])[0, 1] == Fraction(1, 4)
    assert product([coin, coin]).map(sum) == Belief(
        {0: Fraction(1, 4), 1: Fraction(1, 2), 2: Fraction(1, 4)}
    )


def test_a_belief_is_a_mapping():
    belief = Belief({"a": "0.5", "b": 0.5, "c": 0})
    assert dict(belief) == {"a": Fraction(1, 2), "b": Fraction(1, 2)}
    assert len(belief) == 2
    assert "c" not in belief
    assert repr(Belief({"a": 1})) == "Belief({'a': 1})"
    assert hash(belief) == hash(Belief({"b": "0.5", "a": "0.5"}))


BAD = {
    "does not add up": lambda: Belief({0: Fraction(1, 2)}),
    "floats that do not add up": lambda: Belief({0: 0.1, 1: 0.2, 2: 0.7}),
    "negative": lambda: Belief({0: 2, 1: -1}),
    "not a number": lambda: Belief({0: float("nan")}),
    "True": lambda: Belief({0: True}),
    "empty": lambda: Belief({}),
    "a null event": lambda: Belief({0: 1}).revise({1}),
    "an empty event": lambda: Belief({0: 1}).revise(set()),
    "a world without a nearest one": lambda: Belief({0: 1}).update({1}, {}),
    "a world of the event that is moved": lambda: Belief({0: 1}).update({0, 1}, {0: 1}),
    "a nearest world outside": lambda: Belief({0: 1}).update({1}, {0: 2}),
    "no world to go to": lambda: Belief({0: 1}).update(set(), nearest_by(lambda a, b: 0, set())),
    "a mixture with a belief missing": lambda: mixture({}, {0: 1}),
    "a text for an event": lambda: Belief({"a": 1}).update("b", {"a": ""}),
    "no event": lambda: Belief({0: 1}).revise(None),
    "no chances": lambda: Belief(None),
    "a list of pairs": lambda: Belief([("a", 1)]),
    "a number for a nearest map": lambda: Belief({0: 1}).update({1}, 5),
    "bounds of an infinite divergence": lambda: Belief({0: 1}).divergence(Belief({1: 1})).bounds(),
    "a weight beyond one": lambda: Belief({0: 1}).mix(Belief({1: 1}), 2),
}


@pytest.mark.parametrize("make", BAD.values(), ids=BAD.keys())
def test_bad_beliefs_are_refused(make):
    with pytest.raises(BadBelief):
        make()


def revises_without_dividing(prior, event):
    chances = {world: prior[world] for world in event}
    chances["lost"] = 1 - sum(chances.values())
    return Belief(chances)


def updates_instead(prior, event):
    return prior.update(event, nearest(event))


def revises_on_the_rest(prior, event):
    return prior.revise(set(WORLDS) - set(event))


@pytest.mark.parametrize(
    "sabotage", [revises_without_dividing, updates_instead, revises_on_the_rest]
)
def test_the_ratio_test_barks(sabotage):
    prior = Belief({0: Fraction(1, 2), 1: Fraction(1, 3), 4: Fraction(1, 6)})
    assert not is_revision(sabotage(prior, {0, 1}), prior, {0, 1})
