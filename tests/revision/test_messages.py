"""Messages: weights, what is rounded, what is cut off, what one node strays."""

import math
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import holdfast as hf
from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.revision.messages import message as room
from holdfast.revision.messages.layout import layout
from holdfast.revision.messages.message import Messages
from holdfast.revision.messages.node_weights import node_weights
from holdfast.revision.messages.parts import Parts
from holdfast.revision.messages.reach import beyond, reach
from holdfast.revision.messages.shapes import shapes_of
from holdfast.revision.noisy_tree import NoisyTree
from tests.plain import convolution as plain
from tests.plain import masses
from tests.plain.trees import ALL_FORMS, tree_of

HALF, FIFTH = DiscreteLaplace.with_ratio("0.5"), DiscreteLaplace.with_ratio("0.2")
WIDE, BELL = DiscreteLaplace.with_scale(3), DiscreteGaussian.with_scale("1.5")


def messages_of(noisy):
    shapes = shapes_of(noisy)
    parts = Parts(shapes)
    plan = layout(noisy.tree, shapes, parts)
    return Messages(shapes, parts, noisy.laws, plan.instances), plan


@cache
def exact_weights(law, radius):
    """Return the law's weights between bounds: exact for a rational ratio."""
    if isinstance(law, DiscreteLaplace) and law.ratio is not None:
        return {k: law.ratio ** abs(k) for k in range(-radius, radius + 1)}
    square = law.variance_parameter if isinstance(law, DiscreteGaussian) else None
    exponent = (lambda k: -k * k / (2 * square)) if square else (lambda k: -abs(k) / law.scale)
    return {k: masses.exp(Fraction(exponent(k))).above for k in range(-radius, radius + 1)}


def roundings_hold(messages, laws) -> bool:
    """Each stored message against one step in fractions from the stored messages below it."""
    for number, part in enumerate(messages.parts.listed):
        message = messages.listed[number]
        found = plain.exact(message.weights)
        looked_at = {s: w for s, w in found.items() if abs(s) < 4 or s > message.radius - 3}
        scale = Fraction(2) ** message.scale
        if part.is_node:
            own = exact_weights(laws[part.level], message.radius)
            below = {s: Fraction(1) for s in found}
            if part.family >= 0:
                below = plain.exact(messages.listed[part.family].weights)
            expected = {s: own[s] * below[s] for s in looked_at}
        else:
            left, right = (messages.listed[p].weights for p in (part.left, part.right))
            expected = plain.convolve(plain.exact(left), plain.exact(right), looked_at)
        for s, weight in expected.items():
            off = abs(math.log(Fraction(found[s] * scale, 1) / weight))
            if off > float(message.own) + 1e-18:
                return False
    return True


@pytest.mark.parametrize("form", ALL_FORMS[::3])
@pytest.mark.parametrize("laws", [(HALF, FIFTH), (FIFTH, HALF), (BELL, HALF)])
def test_each_step_stays_within_its_roundings(form, laws):
    tree = tree_of(form)
    noisy = NoisyTree(tree, [laws[level % 2] for level in range(tree.depth)])
    messages, _ = messages_of(noisy)
    assert roundings_hold(messages, noisy.laws)


def spoiled(messages, number, factor):
    wrong = messages.listed[number].weights.copy()
    wrong[wrong.size // 2] *= factor
    changed = messages.listed[number]
    messages.listed[number] = room.Message(wrong, changed.scale, changed.own, changed.cut)
    return messages


@pytest.mark.parametrize("number", range(5))
def test_the_rounding_test_barks(number):
    """A weight that is off by 2**-40, in each part in turn."""
    tree = tree_of(((), ((), ())))
    noisy = NoisyTree(tree, [HALF, FIFTH, HALF])
    messages, _ = messages_of(noisy)
    assert not roundings_hold(spoiled(messages, number, 1 + 2.0**-40), noisy.laws)


@pytest.mark.parametrize("law", [HALF, FIFTH, WIDE, BELL, DiscreteLaplace.with_scale("0.01")])
def test_weights_of_a_law_are_within_their_error(law):
    radius = 1 if law.variance.above < Fraction(1, 100) else 20
    weights = node_weights(law, radius)
    expected = exact_weights(law, radius)
    for k, found in plain.exact(weights.weights).items():
        assert abs(found - expected[k]) <= (weights.error + Fraction(1, 10**30)) * expected[k]
    assert weights.error < Fraction(1, 2**52)


@given(
    st.sampled_from([HALF, FIFTH, WIDE, BELL, DiscreteLaplace.with_ratio("0.9")]),
    st.integers(1, 5),
    st.integers(0, 25),
)
def test_what_is_cut_off_is_at_least_the_true_tail(law, siblings, radius):
    """The sum of independent draws, by convolution of their masses."""
    far = 60
    one = np.array([float(law.mass(k)) for k in range(-far, far + 1)])
    sums = np.ones(1)
    for _ in range(siblings):
        sums = np.convolve(sums, one)
    middle = sums.size // 2
    tail = 1 - sums[max(0, middle - radius) : middle + radius + 1].sum()
    bound = float(beyond(law, siblings, radius))
    assert bound >= tail - 1e-12
    assert bound <= 1 or radius < 3


def test_the_tail_test_barks():
    """A bound for one sibling does not hold for three."""
    one = np.array([float(HALF.mass(k)) for k in range(-60, 61)])
    three = np.convolve(np.convolve(one, one), one)
    tail = 1 - three[180 - 8 : 180 + 9].sum()
    assert float(beyond(HALF, 1, 8)) < tail < float(beyond(HALF, 3, 8))


@pytest.mark.parametrize("law", [HALF, WIDE, BELL])
@pytest.mark.parametrize("siblings", [1, 2, 35, 69, 263])
def test_radii_reach_as_far_as_asked_and_not_much_farther(law, siblings):
    chance = Fraction(1, 2**64 * 270)
    radius = reach(law, siblings, chance)
    assert beyond(law, siblings, radius) <= chance
    assert beyond(law, siblings, int(radius * 0.9) - 3) > chance


@pytest.mark.parametrize(("siblings", "noted"), [(35, 295), (69, 380), (132, 495), (263, 680)])
def test_radii_of_siblings_are_those_of_the_note(siblings, noted):
    """theory 3.5, at scale 3, each sum by itself beyond its radius with chance 2**-64.

    Found are 294, 379, 496 and 677.
    """
    assert abs(reach(WIDE, siblings, Fraction(1, 2**64)) - noted) <= 3
    assert abs(reach(WIDE, siblings, Fraction(1, 2**64 * 270)) - noted) > 3


@pytest.mark.parametrize("scales", list(product(("0.001", "0.1", 3, 100), repeat=3)))
def test_nothing_underflows_where_scales_differ_wildly(scales):
    tree = tree_of((((), ()), ((), (), ())))
    laws = [DiscreteLaplace.with_scale(scale) for scale in scales]
    messages, _ = messages_of(NoisyTree(tree, laws))
    assert all(message.weights.min() > 2.0**-500 for message in messages.listed)
    assert messages.evidence.bound < Fraction(1, 10**6)


def test_the_evidence_adds_up_over_the_tree():
    """taxi-like: 270 nodes at scale 3; truncation below 2**-64, rounding about 2e-11."""
    sizes = (69, 69, 61, 43, 20, 1)
    tree = hf.Hierarchy.from_paths([(b, z) for b, n in enumerate(sizes) for z in range(n)])
    messages, plan = messages_of(NoisyTree(tree, [WIDE] * 3))
    evidence = messages.evidence
    assert plan.instances.sum() == 2 * 270 - 1 - 7
    assert 0 < evidence.truncation <= Fraction(1, 2**64)
    assert Fraction(1, 10**12) < evidence.rounding < Fraction(1, 10**10)
    by_hand = 2 * sum(int(n) * m.own for n, m in zip(plan.instances, messages.listed, strict=True))
    assert by_hand <= evidence.rounding <= by_hand + Fraction(1, 2**190)
