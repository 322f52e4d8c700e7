"""Noise drawn by messages has the conditional law of the definition."""

from fractions import Fraction
from inspect import signature

import numpy as np
import pytest

import holdfast as hf
from holdfast.foundation.errors import BadChance, BadParameter
from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.laplace import Laplace
from holdfast.revision.messages import layout as layouts
from holdfast.revision.messages.tree_messages import TreeMessages
from holdfast.revision.noisy_tree import NoisyTree
from tests.plain.enumeration import law as law_of
from tests.plain.statistics import ALARM, smallest_visible_fault
from tests.plain.trees import (
    ALL_FORMS,
    conditional,
    gaussian_weights,
    laplace_weights,
    left_out,
    strays_from,
    tree_of,
)

RATIOS = [Fraction(3, 10), Fraction(2, 5), Fraction(1, 4), Fraction(1, 3), Fraction(1, 5)]
LAWS = [DiscreteLaplace.with_ratio(ratio) for ratio in RATIOS]
DRAWS = 20_000
REACH = {2: 30, 3: 14, 4: 9, 5: 6}
FAR = 80  # where weights end that can be left out: below 1e-31 of the whole


def a_case(form, pinned=()):
    """Return a tree with its own ratio on each level, and what draws on it are compared with."""
    tree = tree_of(form)
    far = [laplace_weights(ratio, FAR) for ratio in RATIOS[: tree.depth]]
    return NoisyTree(tree, LAWS[: tree.depth], pinned), *expected(tree, far, REACH, pinned)


def expected(tree, far, reaches, pinned=()):
    """Return the worlds of a box, their chances, and the chance of a world elsewhere."""
    reach = reaches.get(tree.leaf_nodes.size, 30)
    within = [weights[: reach + 1] for weights in far]
    return *conditional(tree, within, pinned), left_out(tree, far, reach, pinned)


def has_the_law(draws, worlds, chances, rest) -> bool:
    return not strays_from(worlds, chances, draws, ALARM, rest)


@pytest.mark.parametrize("form", ALL_FORMS)
def test_draws_on_every_small_tree_have_the_law_of_the_definition(form):
    """20,000 draws: a fault of 0.038 in cumulative is seen, false alarm 1e-9 (DKW)."""
    noisy, worlds, chances, rest = a_case(form)
    assert smallest_visible_fault(DRAWS) + rest < 0.038
    assert has_the_law(TreeMessages(noisy).noise(hf.seeded(11), DRAWS), worlds, chances, rest)


@pytest.mark.parametrize(
    ("form", "pinned"),
    [(((), ()), [0]), ((((), ()), ()), [0]), ((((), ()), ((), ())), [1, 2]), ((((), ()), ()), [1])],
)
def test_pinned_totals_have_no_noise(form, pinned):
    noisy, *law = a_case(form, tuple(pinned))
    draws = TreeMessages(noisy).noise(hf.seeded(5), DRAWS)
    assert not draws[:, pinned].any()
    assert has_the_law(draws, *law)


SQUARES = [Fraction(1), Fraction(1, 2), Fraction(3, 4), Fraction(1, 2), Fraction(1)]
BELLS = [DiscreteGaussian(square) for square in SQUARES]
BELL_REACH = {1: 12, 2: 12, 3: 8, 4: 6, 5: 4}
FEWER = 10_000


def a_gaussian_case(form):
    """Return a tree with its own sigma squared on each level, and the same as `a_case`."""
    tree = tree_of(form)
    far = [gaussian_weights(square, 30) for square in SQUARES[: tree.depth]]
    return NoisyTree(tree, BELLS[: tree.depth]), *expected(tree, far, BELL_REACH)


@pytest.mark.parametrize("form", ALL_FORMS)
def test_discrete_gaussian_noise_is_drawn_by_the_same_messages(form):
    """10,000 draws: a fault of 0.053 in cumulative is seen, false alarm 1e-9 (DKW)."""
    noisy, worlds, chances, rest = a_gaussian_case(form)
    assert smallest_visible_fault(FEWER) + rest < 0.053
    assert has_the_law(TreeMessages(noisy).noise(hf.seeded(7), FEWER), worlds, chances, rest)


OTHER_BELLS = {
    "Laplace laws": LAWS,
    "levels moved up by one": BELLS[1:] + BELLS[:1],
    "the root's weight forgotten": [DiscreteGaussian(Fraction(10**4)), *BELLS[1:]],
}


@pytest.mark.parametrize("laws", OTHER_BELLS.values(), ids=OTHER_BELLS)
@pytest.mark.parametrize("form", [((), ()), (((), ()), ((), ())), ((), (), (), (), ())])
def test_the_gaussian_test_barks(form, laws):
    noisy, *law = a_gaussian_case(form)
    other = NoisyTree(noisy.tree, laws[: noisy.tree.depth])
    assert not has_the_law(TreeMessages(other).noise(hf.seeded(7), FEWER), *law)


def node_weight_forgotten(noisy):
    laws = [DiscreteLaplace.with_ratio("0.99"), *noisy.laws[1:]]
    return TreeMessages(NoisyTree(noisy.tree, laws)).noise(hf.seeded(11), DRAWS)


def one_levels_scale_swapped(noisy):
    laws = [noisy.laws[1], noisy.laws[0], *noisy.laws[2:]]
    return TreeMessages(NoisyTree(noisy.tree, laws)).noise(hf.seeded(11), DRAWS)


def leaf_only_noise(noisy):
    leaves = noisy.tree.leaf_nodes
    drawn = hf.Mechanism(noisy.tree, dict(enumerate(noisy.laws))).draws(
        [0] * noisy.tree.size, DRAWS, hf.seeded(11)
    )
    return np.stack([noisy.tree.aggregate(row) for row in drawn[:, leaves]])


def wrong_sign(noisy):
    """One child's noise is turned round after the draw, and the sums worked out again."""
    drawn = TreeMessages(noisy).noise(hf.seeded(11), DRAWS)[:, noisy.tree.leaf_nodes]
    drawn[:, 0] = -drawn[:, 0]
    return np.stack([noisy.tree.aggregate(row) for row in drawn])


def started_at_the_data(noisy):
    """A chain that has moved in only nine of ten runs."""
    drawn = TreeMessages(noisy).noise(hf.seeded(11), DRAWS)
    drawn[::10] = 0
    return drawn


@pytest.mark.parametrize(
    "sabotage",
    [
        node_weight_forgotten,
        one_levels_scale_swapped,
        leaf_only_noise,
        wrong_sign,
        started_at_the_data,
    ],
)
@pytest.mark.parametrize("form", [((), ()), (((), ()), ())])
def test_the_law_test_barks(sabotage, form):
    noisy, *law = a_case(form)
    assert has_the_law(TreeMessages(noisy).noise(hf.seeded(11), DRAWS), *law)
    assert not has_the_law(sabotage(noisy), *law)


@pytest.mark.parametrize("often", [1, 10**9])
def test_families_and_waves_draw_the_same_law(often, monkeypatch):
    monkeypatch.setattr(layouts.layout, "__defaults__", (often,))
    noisy, *law = a_case((((), ()), ((), ()), ()))
    draws = np.concatenate(
        [TreeMessages(noisy).noise(hf.seeded(seed), 1) for seed in range(400)]
        + [TreeMessages(noisy).noise(hf.seeded(9), DRAWS)]
    )
    assert has_the_law(draws, *law)


def test_the_law_on_every_tape():
    """One group of two cells with a steep law, words of 3 bits: nothing random."""
    tree = tree_of(((), ()))
    ratio = Fraction(1, 20)
    sampler = TreeMessages(NoisyTree(tree, [DiscreteLaplace.with_ratio(ratio)] * 2))
    found, left = law_of(lambda tape: tuple(sampler.noise(tape, 1)[0].tolist()), depth=6, width=3)
    worlds, chances = conditional(tree, [laplace_weights(ratio, 12)] * 2)
    assert left < Fraction(1, 100)
    for world, chance in zip(worlds.tolist(), chances.tolist(), strict=True):
        seen = float(found.get(tuple(world), 0))
        assert seen - 1e-9 <= chance <= seen + float(left) + 1e-9


def test_a_deep_ragged_tree_adds_up():
    """Every form at once below one root, with levels of their own law."""
    leaves = []
    for number, form in enumerate(ALL_FORMS):
        leaves += [(f"form {number}", *path) for path in _paths(form)]
    tree = hf.Hierarchy.from_paths(leaves)
    laws = [DiscreteLaplace.with_scale(s) for s in (9, 2, "0.5", 4, 30, 1)][: tree.depth]
    noise = TreeMessages(NoisyTree(tree, laws)).noise(hf.seeded(3), 50)
    assert all(tree.sums().holds(row) for row in noise)
    assert np.unique(noise[:, 0]).size > 10


def _paths(form, above=()):
    if not form:
        yield above or ("leaf",)
    for number, child in enumerate(form):
        yield from _paths(child, (*above, str(number)))


def test_the_sampler_takes_no_data():
    """Run time and memory of an equality draw cannot depend on what is never handed over."""
    parameters = signature(TreeMessages.noise).parameters
    assert list(parameters) == ["self", "chance", "count"]


def test_continuous_laws_and_no_chance_are_refused():
    tree = tree_of(((), ()))
    with pytest.raises(BadParameter, match="discrete laws"):
        TreeMessages(NoisyTree(tree, [Laplace.with_scale(1)] * 2))
    with pytest.raises(BadChance):
        TreeMessages(NoisyTree(tree, LAWS[:2])).noise(7, 1)
    with pytest.raises(BadParameter, match="count"):
        TreeMessages(NoisyTree(tree, LAWS[:2])).noise(hf.seeded(1), -1)


def test_a_pinned_node_must_be_one():
    with pytest.raises(BadParameter, match="pinned"):
        NoisyTree(tree_of(((), ())), LAWS[:2], [3])
    with pytest.raises(BadParameter, match="a law for each of 2 levels"):
        NoisyTree(tree_of(((), ())), LAWS[:3])
