"""What lies beyond the radii of messages is counted: part by part, and over a whole tree.

The definition is enumerated and the truncation is made so large that its worlds are among those
cut off. Worlds beyond the box that is listed have a chance far below every bound compared here.
"""

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.revision.messages import message as room
from holdfast.revision.messages.message import ROUNDING
from holdfast.revision.messages.reach import beyond
from holdfast.revision.messages.tree_messages import TreeMessages
from holdfast.revision.noisy_tree import NoisyTree
from tests.plain import taxi
from tests.plain.trees import ALL_FORMS, conditional, gaussian_weights, laplace_weights, tree_of

HALF, BELL = DiscreteLaplace.with_ratio("0.5"), DiscreteGaussian(Fraction(2))
BOX = {1: 24, 2: 24, 3: 18, 4: 12}
FORMS = ALL_FORMS[:8] + ALL_FORMS[-3:]
FLAT = ((),) * 3


@cache
def worlds_of(form, law, pinned=()):
    tree = tree_of(form)
    size = BOX[tree.leaf_nodes.size]
    one = laplace_weights(law.ratio, size) if law is HALF else gaussian_weights(Fraction(2), size)
    return conditional(tree, [one] * tree.depth, pinned)


def sampler_of(form, law, rare, monkeypatch, pinned=()):
    monkeypatch.setattr(room, "TRUNCATION", rare)
    tree = tree_of(form)
    return TreeMessages(NoisyTree(tree, [law] * tree.depth, pinned)), tree


def instances(sampler, tree):
    """Yield each part where it stands: its nodes, and the parts it is made of, with theirs."""
    messages, ends = sampler._messages, tree.arrays.child_offsets.tolist()
    kept = sampler._layout.node_of_slot
    slots = np.arange(tree.size) if kept is None else kept
    place = {node: slot for slot, node in enumerate(slots.tolist())}
    for node in range(tree.size):
        pending = [(messages.parts.of_shape[messages.shapes.of_node[node]], place[node])]
        while pending:
            number, at = pending.pop()
            part = messages.parts.listed[number]
            below = []
            if part.is_node and part.family >= 0:
                below = [(part.family, ends[node])]
                pending += [] if messages.parts.listed[part.family].is_node else below
            elif not part.is_node:
                middle = at + messages.parts.listed[part.left].children
                below = [(part.left, at), (part.right, middle)]
                pending += [b for b in below if not messages.parts.listed[b[0]].is_node]
            yield tuple(
                (n, slots[a : a + messages.parts.listed[n].children])
                for n, a in ((number, at), *below)
            )


def beyond_its_radius(sampler, worlds, part):
    number, nodes = part
    return np.abs(worlds[:, nodes].sum(axis=1)) > sampler._messages.listed[number].radius


def each_cut_holds(sampler, tree, worlds, chances) -> bool:
    """Whether no part is left, by worlds that stay in the parts below it, oftener than it says."""
    for part, *below in instances(sampler, tree):
        out = beyond_its_radius(sampler, worlds, part)
        for other in below:
            out &= ~beyond_its_radius(sampler, worlds, other)
        if chances[out].sum() > sampler._messages.listed[part[0]].cut:
            return False
    return True


def all_of_it_holds(sampler, tree, worlds, chances) -> bool:
    """Whether worlds that no draw can be have no more chance than the evidence says."""
    out = np.zeros(len(worlds), dtype=bool)
    for part, *_ in instances(sampler, tree):
        out |= beyond_its_radius(sampler, worlds, part)
    return bool(chances[out].sum() <= sampler._messages.evidence.truncation)


@pytest.mark.parametrize("rare", [Fraction(1, 2), Fraction(1, 8), Fraction(1, 64)])
@pytest.mark.parametrize("law", [HALF, BELL])
def test_what_lies_beyond_the_radii_is_counted(law, rare, monkeypatch):
    """If it failed, draws would miss worlds of which the evidence says nothing."""
    for form in FORMS:
        worlds = worlds_of(form, law)
        sampler, tree = sampler_of(form, law, rare, monkeypatch)
        assert each_cut_holds(sampler, tree, *worlds), form
        assert all_of_it_holds(sampler, tree, *worlds), form


@pytest.mark.parametrize("pinned", [(0,), (1,)])
@pytest.mark.parametrize("law", [HALF, BELL])
def test_it_is_counted_under_public_totals_too(law, pinned, monkeypatch):
    """A pinned node has no noise to cut; what lies below it has."""
    for form in FORMS:
        worlds = worlds_of(form, law, pinned)
        sampler, tree = sampler_of(form, law, Fraction(1, 8), monkeypatch, pinned)
        assert each_cut_holds(sampler, tree, *worlds), form
        assert all_of_it_holds(sampler, tree, *worlds), form


def cutting_nothing_at(kind):
    def sabotage(messages):
        for number, part in enumerate(messages.parts.listed):
            if kind(part):
                messages.listed[number] = replace(messages.listed[number], cut=Fraction(0))

    return sabotage


def two_less_on_either_side(messages):
    """Weights are dropped without a word."""
    for number, one in enumerate(messages.listed):
        messages.listed[number] = replace(one, weights=one.weights[2:-2])


NODES = cutting_nothing_at(lambda part: part.is_node)
RUNS = cutting_nothing_at(lambda part: not part.is_node)


@pytest.mark.parametrize("sabotage", [NODES, RUNS, two_less_on_either_side])
@pytest.mark.parametrize("law", [HALF, BELL])
def test_the_cut_test_barks(sabotage, law, monkeypatch):
    sampler, tree = sampler_of(FLAT, law, Fraction(1, 2), monkeypatch)
    sabotage(sampler._messages)
    assert not each_cut_holds(sampler, tree, *worlds_of(FLAT, law))


def test_the_test_of_the_whole_barks(monkeypatch):
    """All cuts are forgotten."""
    sampler, tree = sampler_of(FLAT, HALF, Fraction(1, 2), monkeypatch)
    cutting_nothing_at(lambda part: True)(sampler._messages)
    assert not all_of_it_holds(sampler, tree, *worlds_of(FLAT, HALF))


@pytest.mark.parametrize("law", [HALF, BELL])
def test_the_truncation_is_that_of_every_part_as_often_as_it_occurs(law):
    """A tree of 263 zones: without the repetition it would be some ten times less."""
    sampler = TreeMessages(NoisyTree(taxi.tree(), [law] * 3))
    often, listed = sampler._layout.instances.tolist(), sampler._messages.listed
    by_hand = sum(many * one.cut for many, one in zip(often, listed, strict=True))
    assert by_hand <= sampler.evidence.truncation <= by_hand + Fraction(1, 2**190)
    assert sum(one.cut for one in listed) < by_hand / 2


def joins_count(messages, forgotten) -> bool:
    """Whether joins count all roundings, though one more is forgotten."""
    listed = messages.listed
    return all(
        one.own - forgotten
        >= (2 * min(listed[part.left].radius, listed[part.right].radius) + 1) * ROUNDING
        for part, one in zip(messages.parts.listed, listed, strict=True)
        if not part.is_node
    )


@pytest.mark.parametrize("law", [HALF, BELL])
def test_a_join_counts_a_rounding_for_each_product_and_each_sum(law):
    """Of n products and n - 1 sums each weight suffers at most one of each, and their chain."""
    messages = TreeMessages(NoisyTree(taxi.tree(), [law] * 3))._messages
    assert joins_count(messages, 0)
    assert not joins_count(messages, ROUNDING)


SIBLINGS = (2, 3, 8, 69, 263)


def best_bound(law, siblings, radius):
    """Return the least of the bounds that `beyond` may give, a little below by rounding.

    Gaussian: 2 e**(-(r + 1)**2 / (2 k sigma**2)); Laplace: 2 M(t)**k e**(-t (r + 1)), least over
    a grid of t that is sixteen times as fine as the house's.
    """
    if isinstance(law, DiscreteGaussian):
        exponent = (radius + 1) ** 2 / (2 * siblings * float(law.variance_parameter))
        return 2 * math.exp(-exponent) * (1 - 1e-12)
    rate = float(law.rate)
    tilts = rate * np.arange(1, 4096) / 4096
    moments = -np.log1p(-np.exp(tilts - rate)) - np.log1p(-np.exp(-tilts - rate))
    moments += 2 * math.log1p(-math.exp(-rate))
    logged = math.log(2) + siblings * moments - tilts * (radius + 1)
    return min(1.0, math.exp(logged.min())) * (1 - 1e-9)


def shortfalls(bound) -> int:
    return sum(
        bound(law, siblings, radius) < best_bound(law, siblings, radius)
        for law in (HALF, DiscreteLaplace.with_scale(3), BELL)
        for siblings in SIBLINGS
        for radius in (0, 3, 10, 40, 200, 700)
    )


def test_what_is_cut_off_is_never_below_the_bound_that_is_proven():
    """The true tail of many siblings is too small to be seen in floats; the bound is not."""
    assert shortfalls(beyond) == 0


def of_one_side(law, siblings, radius):
    return beyond(law, siblings, radius) / 2


def of_one_more(law, siblings, radius):
    return beyond(law, siblings, radius + 1)


def of_one_sibling_less(law, siblings, radius):
    return beyond(law, siblings - 1, radius)


@pytest.mark.parametrize("sabotage", [of_one_side, of_one_more, of_one_sibling_less])
def test_the_bound_test_barks(sabotage):
    assert shortfalls(sabotage) > 20
