"""The definition in floats that samplers are compared with is the revision of a belief."""

from fractions import Fraction

import numpy as np
import pytest

from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.revision.noisy_tree import NoisyTree
from holdfast.worlds.belief import Belief
from tests.plain.conditional import conditional_law
from tests.plain.statistics import ALARM, threshold
from tests.plain.trees import (
    ALL_FORMS,
    Form,
    conditional,
    gaussian_weights,
    laplace_weights,
    left_out,
    strays_from,
    total_weight,
    tree_of,
)

RATIOS = [Fraction(3, 10), Fraction(2, 5), Fraction(1, 4), Fraction(1, 3), Fraction(1, 5)]
SQUARES = [Fraction(1), Fraction(1, 2), Fraction(3, 4), Fraction(2), Fraction(1, 2)]
LAPLACE = [DiscreteLaplace.with_ratio(ratio) for ratio in RATIOS]
GAUSSIAN = [DiscreteGaussian(square) for square in SQUARES]
MIXED = [LAPLACE[0], GAUSSIAN[1], LAPLACE[2], GAUSSIAN[3], LAPLACE[4]]
FAMILIES = {"Laplace": LAPLACE, "two families": MIXED}
REACH = {1: 4, 2: 4, 3: 3, 4: 2, 5: 2}
PINS = {"free": (), "root": (0,), "a child": (1,), "both": (0, 1)}


def weights_of(law, reach: int) -> list[float]:
    if isinstance(law, DiscreteLaplace):
        return laplace_weights(law.ratio, reach)
    return gaussian_weights(law.variance_parameter, reach)


def a_case(form: Form, laws, pinned=()) -> tuple[NoisyTree, int]:
    tree = tree_of(form)
    return NoisyTree(tree, laws[: tree.depth], pinned), REACH[tree.leaf_nodes.size]


def is_the_revision(noisy: NoisyTree, reach: int, worlds, chances) -> bool:
    """Return whether worlds in floats have the chances of a revised belief, to 12 digits."""
    law, _ = conditional_law(noisy, reach)
    near = [world for world in law if max(map(abs, world)) <= reach]
    revised = Belief({**law, "nowhere": 1 - sum(law.values())}).revise(near)
    found = {tuple(w): c for w, c in zip(worlds.tolist(), chances.tolist(), strict=True)}
    return found.keys() == set(revised) and all(
        abs(chance - float(revised[world])) <= 1e-12 * float(revised[world])
        for world, chance in found.items()
    )


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("form", ALL_FORMS, ids=repr)
def test_worlds_have_the_chances_of_a_revised_belief(form, family):
    """Every form with up to five leaves, free and pinned; nothing random.

    If it failed, draws with the law of another belief would pass as noise given the sums.
    """
    for pinned in PINS.values():
        noisy, reach = a_case(form, FAMILIES[family], pinned)
        weights = [weights_of(law, reach) for law in noisy.laws]
        assert is_the_revision(noisy, reach, *conditional(noisy.tree, weights, pinned))


def a_level_forgotten(noisy, weights):
    return conditional(noisy.tree, [[1.0] * len(weights[0]), *weights[1:]])


def levels_exchanged(noisy, weights):
    return conditional(noisy.tree, [weights[1], weights[0], *weights[2:]])


def a_pin_too_many(noisy, weights):
    return conditional(noisy.tree, weights, (1,))


def of_the_wrong_sign(noisy, weights):
    worlds, chances = conditional(noisy.tree, weights)
    worlds[:, 0] = worlds[:, 1] - worlds[:, 2]
    return worlds, chances


@pytest.mark.parametrize(
    "sabotage", [a_level_forgotten, levels_exchanged, a_pin_too_many, of_the_wrong_sign]
)
@pytest.mark.parametrize("form", [((), ()), (((), ()), ((), ()))])
def test_the_test_of_the_definition_barks(sabotage, form):
    noisy, reach = a_case(form, LAPLACE)
    weights = [weights_of(law, reach) for law in noisy.laws]
    assert is_the_revision(noisy, reach, *conditional(noisy.tree, weights))
    assert not is_the_revision(noisy, reach, *sabotage(noisy, weights))


@pytest.mark.parametrize("form", ALL_FORMS[:4])
def test_what_is_left_out_of_a_box_is_what_a_larger_box_holds(form):
    """Two ways: by adding up over totals, and world by world."""
    for pinned in PINS.values():
        noisy, reach = a_case(form, LAPLACE, pinned)
        far = [weights_of(law, 14) for law in noisy.laws]
        worlds, chances = conditional(noisy.tree, far, pinned)
        beyond = chances[np.abs(worlds).max(axis=1) > reach].sum()
        assert left_out(noisy.tree, far, reach, pinned) == pytest.approx(beyond, abs=1e-12)
        assert chances.max() == pytest.approx(1 / total_weight(noisy.tree, far, pinned), rel=1e-12)


def test_draws_out_of_the_box_are_no_deviation():
    """A box of reach 1 leaves 0.11 out, twice what 10,000 right draws stray with chance 1e-9.

    Right draws stray where this is not counted, and a level forgotten is still caught.
    """
    noisy, _ = a_case(((), ()), LAPLACE)
    far = [weights_of(law, 30) for law in noisy.laws]
    rest, count = left_out(noisy.tree, far, 1), 10_000
    assert rest > 2 * threshold(count)
    rng = np.random.default_rng(1)
    worlds, chances = conditional(noisy.tree, far)
    draws = worlds[rng.choice(len(worlds), count, p=chances)]
    box = conditional(noisy.tree, [some[:2] for some in far])
    assert strays_from(*box, draws, ALARM)
    assert not strays_from(*box, draws, ALARM, rest)
    _, wrong = a_level_forgotten(noisy, far)
    draws = worlds[rng.choice(len(worlds), count, p=wrong)]
    assert strays_from(*box, draws, ALARM, rest)
