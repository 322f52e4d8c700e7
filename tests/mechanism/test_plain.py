"""The mechanism: noise on every node, each level by its own law."""

from fractions import Fraction

import numpy as np
import pytest

import holdfast as hf
from holdfast.foundation.errors import BadChance, BadParameter, BadTable
from holdfast.worlds.belief import Belief
from tests.plain.enumeration import law as law_of
from tests.plain.statistics import strays

TREE = hf.Hierarchy.from_paths([("a",), ("b",)])
HALF = hf.DiscreteLaplace.with_ratio("0.5")
FIFTH = hf.DiscreteLaplace.with_ratio(Fraction(1, 5))
TENTH = hf.DiscreteLaplace.with_ratio(Fraction(1, 10))


def test_the_chance_of_a_noisy_table_is_the_product_of_its_laws():
    """On every tape: the root by one law, the leaves by another, all independent."""
    mechanism = hf.Mechanism(TREE, {0: TENTH, 1: FIFTH})
    values = TREE.aggregate([1, 0])
    found, left = law_of(lambda chance: tuple(mechanism.draw(values, chance)), depth=6, width=2)
    assert left < Fraction(1, 3)
    for root in range(-1, 4):
        for a in range(-1, 3):
            for b in range(-2, 2):
                mass = TENTH.mass(root - 1).below * FIFTH.mass(a - 1).below * FIFTH.mass(b).below
                seen = found.get((root, a, b), Fraction(0))
                assert seen <= mass <= seen + left


def shares_the_noise_of_the_leaves(mechanism, values, chance):
    noisy = mechanism.draw(values, chance)
    noisy[2] = values[2] + noisy[1] - values[1]
    return tuple(noisy.tolist())


def exchanges_the_levels(mechanism, values, chance):
    other = hf.Mechanism(mechanism.tree, {0: mechanism.laws[1], 1: mechanism.laws[0]})
    return tuple(other.draw(values, chance).tolist())


@pytest.mark.parametrize("sabotage", [shares_the_noise_of_the_leaves, exchanges_the_levels])
def test_the_law_test_barks(sabotage):
    mechanism = hf.Mechanism(TREE, {0: TENTH, 1: FIFTH})
    values = TREE.aggregate([1, 0])
    found, _ = law_of(lambda chance: sabotage(mechanism, values, chance), depth=6, width=2)
    masses = {
        (r, a, b): TENTH.mass(r - 1).below * FIFTH.mass(a - 1).below * FIFTH.mass(b).below
        for r, a, b in found
    }
    assert any(found[world] > mass for world, mass in masses.items())


def test_simulated_draws_follow_their_level():
    """With 200 000 draws a fault of 0.012 is seen, false alarm 1e-9 (DKW)."""
    mechanism = hf.Mechanism(TREE, {0: hf.DiscreteLaplace.with_scale(5), 1: HALF})
    draws = mechanism.draws(TREE.aggregate([7, 9]), 200_000, hf.seeded(1))
    assert draws.shape == (200_000, 3)
    root = hf.DiscreteLaplace.with_scale(5)
    assert not strays(draws[:, 0] - 16, lambda k: float(root.cumulative(k)))
    assert not strays(draws[:, 2] - 9, lambda k: float(HALF.cumulative(k)))


def test_draws_are_simulations_and_refuse_system_chance():
    with pytest.raises(BadChance, match="many draws of one table are many releases"):
        hf.Mechanism(TREE, HALF).draws([2, 1, 1], 2, hf.system_chance())


def test_whole_numbers_in_whole_numbers_out():
    noisy = hf.Mechanism(TREE, HALF).draw([2, 1, 1], hf.system_chance())
    assert noisy.dtype == np.int64
    floats = hf.Mechanism(TREE, hf.Laplace.with_scale(1)).draw([2, 1, 1], hf.seeded(1))
    assert floats.dtype == np.float64


def test_a_table_that_does_not_add_up_is_refused():
    with pytest.raises(BadTable, match="does not add up"):
        hf.Mechanism(TREE, HALF).draw([3, 1, 1], hf.seeded(1))


def test_floats_are_refused_by_discrete_noise():
    with pytest.raises(BadTable, match="whole numbers"):
        hf.Mechanism(TREE, HALF).draw([2.0, 1.0, 1.0], hf.seeded(1))


@pytest.mark.parametrize(
    "law",
    [None, 3, {0: HALF}, {0: HALF, 1: 3}, {0: HALF, 1: hf.Laplace.with_scale(1)}, {"x": HALF}],
)
def test_bad_laws_are_refused(law):
    with pytest.raises(BadParameter):
        hf.Mechanism(TREE, law)


def test_a_relation_must_be_known():
    with pytest.raises(BadParameter, match="neighbours"):
        hf.Mechanism(TREE, HALF, neighbours="bounded")


def test_a_mechanism_is_a_belief_about_worlds():
    """Revised on the sums by the definition, the noisy table adds up: step two does this fast."""
    reach = range(-6, 7)
    prior = Belief(
        {
            (r, a, b): HALF.mass(r).below * HALF.mass(a).below * HALF.mass(b).below
            for r in reach
            for a in reach
            for b in reach
        }
        | {"beyond": 1 - sum(HALF.mass(k).below for k in reach) ** 3}
    )
    coherent = {world for world in prior if world != "beyond" and world[0] == world[1] + world[2]}
    revised = prior.revise(coherent)
    variance = sum(chance * world[0] ** 2 for world, chance in revised.items())
    assert float(variance) == pytest.approx(1.5622895623, abs=0.05)


def test_counts_near_the_end_of_64_bits_are_refused():
    """Noise added to them would wrap around to the other sign without a word."""
    for end in (2**63 - 1, -(2**63), 2**62, -(2**62)):
        with pytest.raises(BadTable, match="counts below"):
            hf.Mechanism(TREE, HALF).draw([end, end, 0], hf.seeded(1))
    near = 2**62 - 1
    assert hf.Mechanism(TREE, HALF).draw([near, near, 0], hf.seeded(1))[0] > 2**61


@pytest.mark.parametrize("chance", [42, None, np.random.default_rng(1), hf.system_chance])
def test_what_is_no_source_of_chance_is_refused(chance):
    mechanism = hf.Mechanism(TREE, HALF)
    for attempt in (
        lambda: mechanism.draw([2, 1, 1], chance),
        lambda: mechanism.draws([2, 1, 1], 2, chance),
        lambda: HALF.draw(chance),
        lambda: hf.Gaussian.with_scale(1).draw(chance, 3),
    ):
        with pytest.raises(BadChance, match="seeded"):
            attempt()


def test_what_is_no_tree_or_no_split_is_refused():
    with pytest.raises(BadParameter, match="a Hierarchy"):
        hf.Mechanism("tree", HALF)
    with pytest.raises(BadParameter, match="a Hierarchy"):
        hf.Mechanism.calibrate(None, "laplace", epsilon=1)
    for split in ([1, 2], 1, "equal"):
        with pytest.raises(BadParameter, match="a mapping from level"):
            hf.Mechanism.calibrate(TREE, "laplace", split=split, epsilon=1)


def test_it_shows_itself():
    shown = repr(hf.Mechanism(TREE, {0: HALF, 1: hf.DiscreteGaussian.with_scale(3)}))
    assert "add-remove, rows 1" in shown
    assert "root DiscreteLaplace(ratio 1/2)" in shown
    assert "level 1 DiscreteGaussian(sigma squared 9)" in shown
    assert "about 0.0901" in repr(hf.Laplace.with_scale(0.0901))
