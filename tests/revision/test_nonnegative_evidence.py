"""What is stated of noise on counts of at least 0: the chance of the event, and what is cut off."""

from fractions import Fraction

import numpy as np
import pytest

from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.revision.inequalities import nonnegative_messages, reach
from holdfast.revision.inequalities.geometry import Join
from holdfast.revision.inequalities.nonnegative_messages import NonnegativeMessages
from holdfast.revision.messages.message import ROUNDING
from holdfast.revision.messages.reach import beyond
from holdfast.revision.noisy_tree import NoisyTree
from tests.plain import masses, taxi
from tests.plain.trees import tree_of
from tests.revision.test_nonnegative_messages import taxi_tree

HALF = DiscreteLaplace.with_ratio("0.5")
COUNTS = (0, 1, 5)


def a_leaf_under_a_root() -> NoisyTree:
    """Both have ratio 1/2, so their noise is one number of ratio 1/4."""
    return NoisyTree(tree_of(((),)), [HALF] * 2)


def exact(count: int, ratio: Fraction = Fraction(1, 4)) -> Fraction:
    return 1 - ratio ** (count + 1) / (1 + ratio)


def right_ones(chance=exact) -> int:
    """Return for how many counts the exact chance lies between the bounds."""
    sampler = NonnegativeMessages(a_leaf_under_a_root())
    tables = [sampler._tree.aggregate([count]) for count in COUNTS]
    return sum(
        chance(count) in sampler.chance_of(table)
        for count, table in zip(COUNTS, tables, strict=True)
    )


@pytest.mark.parametrize("truncation", [reach.TRUNCATION, Fraction(1, 64)])
def test_the_chance_of_the_event_is_exactly_between_its_bounds(truncation, monkeypatch):
    """1 - r**(x + 1)/(1 + r); with so much cut off that it counts, too.

    If it failed, the price of the rule would be quoted too low.
    """
    monkeypatch.setattr(reach, "TRUNCATION", truncation)
    assert right_ones() == len(COUNTS)


def test_the_test_of_the_chance_barks(monkeypatch):
    """A chance off by a millionth of a millionth; and bounds that forget what is cut off."""
    assert right_ones(lambda count: exact(count) * (1 - Fraction(1, 10**12))) == 0
    monkeypatch.setattr(reach, "TRUNCATION", Fraction(1, 64))
    honest = nonnegative_messages.reach_of

    def forgets(*given):
        found = honest(*given)
        return reach.Reach(found.radius, Fraction(0), found.underflow, found.kind)

    monkeypatch.setattr(nonnegative_messages, "reach_of", forgets)
    assert right_ones() < len(COUNTS)


@pytest.mark.parametrize("counts", [(0,) * 5, (2, 0, 1, 0, 0)])
def test_the_bounds_are_as_far_apart_as_two_messages_may_be_off(counts):
    """Both weights may be off by e**(+-rounding), so their ratio by the square of it."""
    sampler = NonnegativeMessages(small())
    bounds = sampler.chance_of(small().tree.aggregate(counts))
    assert bounds.above < 1
    assert bounds.above >= bounds.below * (1 + 4 * sampler.evidence.rounding)


def small(pinned=()) -> NoisyTree:
    return NoisyTree(taxi_tree((3, 2)), [DiscreteLaplace.with_scale(3)] * 3, pinned)


def odds_of(noisy) -> Fraction:
    return reach._odds_against_empty(noisy, list(noisy.laws))


def odds_are_right(noisy, odds) -> bool:
    """Whether 1 / c(0) is at least as messages say, and no more by a thousand-millionth."""
    found = NonnegativeMessages(noisy).chance_of(np.zeros(noisy.tree.size, dtype=np.int64))
    return found.below * odds <= 1 + Fraction(1, 10**9) and found.above * odds >= 1


@pytest.mark.parametrize("pinned", [(), (0,), (1,), (1, 2)])
def test_the_empty_table_has_the_explicit_chance(pinned):
    """c(0), a product over free leaves over the weight of all noise: what range is needed.

    Of a pinned total no noise of at least 0 is left but none.
    """
    noisy = small(pinned)
    assert odds_are_right(noisy, odds_of(noisy))
    assert not odds_are_right(noisy, odds_of(noisy) * (1 + Fraction(1, 10**8)))
    assert not odds_are_right(noisy, odds_of(noisy) * (1 - Fraction(1, 10**8)))


def test_the_odds_of_one_leaf_are_not_below_the_exact_ones():
    """1 + r, where both scales are s and r is e**(-2/s): roundings of messages are made good."""
    for scale in range(1, 12):
        noisy = NoisyTree(tree_of(((),)), [DiscreteLaplace.with_scale(scale)] * 2)
        exact_odds = 1 + masses.exp(Fraction(-2, scale)).above
        assert 0 <= odds_of(noisy) - exact_odds < Fraction(1, 10**9)


TREES = {
    "small": small(),
    "pinned": small((0,)),
    "a leaf": a_leaf_under_a_root(),
    "taxi": NoisyTree(taxi.tree(), [DiscreteLaplace.with_scale(3)] * 3),
}


def range_suffices(sampler, noisy, radius) -> bool:
    """Whether every part's tail, times the greatest odds, is covered by the truncation."""
    ends = noisy.tree.arrays.child_offsets
    siblings = int(np.diff(ends).max())
    tails = [beyond(law, siblings, radius) for law in noisy.laws[1:]]
    tails += [beyond(law, 1, radius) for law in noisy.laws]
    return sampler._count * max(tails) * odds_of(noisy) <= sampler.evidence.truncation


@pytest.mark.parametrize("name", TREES)
def test_noise_is_followed_as_far_as_the_evidence_says(name):
    """For the empty table, whose chance is least. A range shorter by a tenth is seen."""
    noisy = TREES[name]
    sampler = NonnegativeMessages(noisy)
    assert range_suffices(sampler, noisy, sampler.radius)
    assert not range_suffices(sampler, noisy, int(sampler.radius * 0.9) - 3)


def roundings_of(sampler) -> Fraction:
    """Return the roundings of all joins and all nodes, above and below the line."""
    joins = sum(isinstance(step, Join) for step in sampler._steps)
    terms = (2 * sampler.radius + 1) * ROUNDING + sampler._reach.underflow
    own = max(2 * weights.error for weights in sampler._own)
    return 2 * (joins * terms + sampler._tree.size * own)


@pytest.mark.parametrize("name", TREES)
def test_the_rounding_is_that_of_every_join_and_every_node(name):
    """If it failed, a draw's law would be farther from the conditional one than is stated."""
    sampler = NonnegativeMessages(TREES[name])
    assert roundings_of(sampler) <= sampler.evidence.rounding <= 2 * roundings_of(sampler) + 1e-12
    assert 0 < sampler._reach.underflow < ROUNDING
    assert sampler.evidence.rounding > 0
