"""Conditioning, unions, composition and mixtures of finite mechanisms: what holds, and traps."""

import math
from fractions import Fraction
from itertools import product

import pytest

from tests.plain import exact_finite
from tests.plain.exact_finite import conditioned, delta, joint, loss, mapped, mixture

HALF, NINE = Fraction(1, 2), Fraction(9, 10)
COIN = {0: HALF, 1: HALF}


def laplace(q, reach=40):
    """Return noise on 0 and on 1, without a normaliser: only for conditioning within the reach."""
    return {x: {z: q ** abs(z - x) for z in range(-reach, reach + 1)} for x in (0, 1)}


def without_normaliser(mechanism, event):
    kept = set(event)
    return {name: {z: p for z, p in law.items() if z in kept} for name, law in mechanism.items()}


def union_of_points(condition):
    """Return the losses given {0}, given {1}, and given either."""
    noisy = laplace(HALF)
    return [loss(condition(noisy, event)) for event in ({0}, {1}, {0, 1})]


def test_the_union_of_two_points_costs_what_neither_does():
    """Theory 2.7: given 0 or given 1 the output is public; given either, the loss is 1/q."""
    assert union_of_points(conditioned) == [1, 1, 2]


def test_a_twin_without_normaliser_is_seen():
    assert union_of_points(without_normaliser) != [1, 1, 2]


@pytest.mark.parametrize("q", [Fraction(1, 7), HALF, Fraction(4, 5)])
def test_the_right_rule_for_unions_is_a_bound(q):
    """max(e1 + ln sup w/w', e2 + ln sup (1-w)/(1-w')), and at most twice the plain loss."""
    noisy = laplace(q)
    for low, high in product(range(-3, 1), range(1, 4)):
        first, second = set(range(low, 1)), set(range(1, high + 1))
        sides = {
            name: {"first": sum(law[z] for z in first), "second": sum(law[z] for z in second)}
            for name, law in noisy.items()
        }
        shares = conditioned(sides, {"first", "second"})
        bound = max(
            loss(conditioned(noisy, event))
            * max(shares[a][side] / shares[b][side] for a, b in PAIRS)
            for side, event in (("first", first), ("second", second))
        )
        assert loss(conditioned(noisy, first | second)) <= min(bound, q**-2)


PAIRS = ((0, 1), (1, 0))


def test_resampling_until_nonnegative():
    """Given z >= 0 the loss is (1 + q - q**2)/q; a finite window misses less than q**reach."""
    q = HALF
    found = loss(conditioned(laplace(q), range(41)))
    exact = (1 + q - q * q) / q
    assert abs(found - exact) < exact * 4 * q**40
    assert found > 1 / q * Fraction(6, 5)  # a claim of 1/q is caught


def test_two_cells_with_a_fixed_total():
    """Total 3, r = q**2 the weight of one unit moved: (1 + r)/(r (1 + r**2)), 12/5 at r = 1/2."""
    law = {x: {z: HALF ** abs(z - x) for z in range(4)} for x in (0, 1)}
    assert (
        loss(conditioned(law, range(4))) == Fraction(12, 5) == (1 + HALF) / (HALF * (1 + HALF**2))
    )


def test_two_outputs_with_one_coin_reveal_the_secret():
    """Each has loss 1, both together an infinite one; with coins of their own both have loss 1."""
    both = {x: {(w, w ^ x): HALF for w in (0, 1)} for x in (0, 1)}
    for place in (0, 1):
        assert loss(mapped(both, lambda pair, place=place: pair[place])) == 1
    assert loss(both) == math.inf
    assert loss(joint({0: COIN, 1: COIN}, lambda _: {0: COIN, 1: COIN})) == 1


def adaptive(first):
    """Return the second step: in its event with chance 9/10 where the first output is the data."""
    return {
        x: {"in": NINE if first == x else 1 - NINE, "out": 1 - NINE if first == x else NINE}
        for x in (0, 1)
    }


def test_conditioning_an_adaptive_composition_at_the_end():
    """Theory 2.8: ln 9 in all, though each step given its event has loss 0."""
    public = {0: COIN, 1: COIN}
    assert loss(public) == 1
    assert all(loss(conditioned(adaptive(y), {"in"})) == 1 for y in (0, 1))
    event = [(y, "in") for y in (0, 1)]
    assert loss(conditioned(joint(public, adaptive), event)) == 9
    stepwise = joint(public, lambda y: conditioned(adaptive(y), {"in"}))
    assert loss(stepwise) == 1


def test_independent_composition_multiplies():
    noisy = {x: {z: (NINE if z == x else 1 - NINE) for z in (0, 1)} for x in (0, 1)}
    assert loss(noisy) == 9
    assert loss(joint(noisy, lambda _: noisy)) == 81
    event = {(0, 0), (0, 1)}
    assert loss(conditioned(joint(noisy, lambda _: noisy), event)) == 9


def test_mixtures():
    """Theory 1, 21: the largest loss, and the mean of the deltas; the index may be released."""
    noisy = {x: {z: (NINE if z == x else 1 - NINE) for z in (0, 1)} for x in (0, 1)}
    leaky = {x: {"none": NINE, x: 1 - NINE} for x in (0, 1)}
    parts, weights = [noisy, leaky, {0: COIN, 1: COIN}], [HALF, Fraction(1, 3), Fraction(1, 6)]
    assert loss(mixture([HALF, HALF], [noisy, {0: COIN, 1: COIN}])) == 9
    for factor in (Fraction(1), Fraction(3), Fraction(9)):
        mean = sum(w * delta(part, factor) for w, part in zip(weights, parts, strict=True))
        whole = mixture(weights, parts)
        assert delta(whole, factor) <= mean
        assert delta(mapped(whole, lambda pair: pair[1]), factor) <= delta(whole, factor)


def test_conditioning_may_reveal_all_that_delta_allows():
    """Theory 2.6: the secret with chance 1/1000; given that something is said, always."""
    rare = Fraction(1, 1000)
    leaky = {x: {"none": 1 - rare, x: rare} for x in (0, 1)}
    assert delta(leaky, Fraction(1)) == rare
    assert delta(conditioned(leaky, {0, 1}), Fraction(10**9)) == 1


def test_a_distant_half_line_tells_nothing():
    """Theory 2.6: given z >= 10 both laws are one, though 2 epsilon is all that is claimed."""
    assert loss(conditioned(laplace(HALF), range(10, 41))) == 1


def forgets_the_other_order(mechanism):
    one, other = mechanism.values()
    return max(p / other[z] for z, p in one.items())


def test_a_loss_in_one_direction_is_seen(monkeypatch):
    law = {0: {0: Fraction(2, 5), 1: Fraction(3, 5)}, 1: {0: Fraction(4, 5), 1: Fraction(1, 5)}}
    assert loss(law) == 3
    turned = {0: law[1], 1: law[0]}
    assert loss(turned) == 3
    assert forgets_the_other_order(law) != forgets_the_other_order(turned)
    assert exact_finite.delta(law, Fraction(1)) == Fraction(2, 5)
