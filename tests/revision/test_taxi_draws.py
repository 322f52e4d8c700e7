"""Draws on a tree of 263 zones stray, level by level, as the exact laws of its nodes say.

Messages, rejection and chains are held to the same figures. Sizes are cut at a public bound,
so that a proven inequality holds for their means: Maurer and Pontil 2009, theorem 4.
"""

from functools import cache

import numpy as np
import pytest

from holdfast.foundation.randomness import seeded
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.revision.chains.metropolis import Metropolis
from holdfast.revision.messages.tree_messages import TreeMessages
from holdfast.revision.noisy_system import system_of
from holdfast.revision.noisy_tree import NoisyTree
from holdfast.revision.rejection.tree_rejection import TreeRejection
from tests.plain import taxi
from tests.plain.gamma_statistic import share_threshold

NODES = taxi.by_level(np.ones(taxi.NODES))
NOTE = (0.666456, 3.526976, 217.842123)  # theory 4.6, scale 1: root, boroughs, zones
NOTE_PINNED = (0, 3.340485, 217.827781)
FAR, NEAR = 16, 4  # bounds of sizes: what lies beyond is nothing, or little


def noisy(scales=(1, 1, 1), pinned=()) -> NoisyTree:
    return NoisyTree(taxi.tree(), [DiscreteLaplace.with_scale(s) for s in scales], pinned)


@cache
def expected(pinned, most) -> np.ndarray:
    """Return the mean of a level's sizes, cut at `most`, by the exact law of each node."""
    means = np.zeros(taxi.NODES)
    for nodes, weights in TreeMessages(noisy(pinned=pinned)).marginals.laws():
        sizes = np.abs(np.arange(weights.size) - weights.size // 2)
        means[nodes] = weights @ np.minimum(sizes, most) / weights.sum()
    return taxi.by_level(means) / NODES


def allowed(noise, most) -> np.ndarray:
    """Return how far the mean of each level may be off; alarm 1e-9 for the three together."""
    shares = taxi.by_level(np.minimum(np.abs(noise), most) / most) / NODES
    variances = shares.var(axis=0, ddof=1)
    return most * np.array([share_threshold(len(noise), 3, float(v)) for v in variances])


def stray(noise, pinned=(), most=FAR) -> bool:
    found = taxi.by_level(np.minimum(np.abs(noise), most)).mean(axis=0) / NODES
    return bool((np.abs(found - expected(pinned, most)) > allowed(noise, most)).any())


@pytest.mark.parametrize(("pinned", "note"), [((), NOTE), ((0,), NOTE_PINNED)])
def test_what_draws_are_held_to_is_what_the_note_says(pinned, note):
    """What lies beyond 16 is in its last digits."""
    assert expected(pinned, FAR) * NODES == pytest.approx(note, abs=1e-4)
    assert expected(pinned, NEAR)[2] < expected(pinned, FAR)[2]


@pytest.mark.parametrize("sampler", [TreeMessages, TreeRejection])
@pytest.mark.parametrize("pinned", [(), (0,)])
def test_draws_stray_as_the_exact_laws_say(sampler, pinned):
    """20,000 draws: with a bound of b a fault of 2 b is seen; false alarm 1e-9."""
    noise = sampler(noisy(pinned=pinned)).noise(seeded(1), 20_000)
    assert not stray(noise, pinned)
    assert (2 * allowed(noise, FAR) < (0.22, 0.17, 0.12)).all()


def test_chains_stray_as_the_exact_laws_say():
    """2,000 chains of 8,000 steps, sizes cut at 4; false alarm 1e-9, but for what steps leave."""
    noise = Metropolis(system_of(noisy()), None, 8_000).noise(seeded(2), 2_000)
    assert not stray(noise, most=NEAR)
    assert (2 * allowed(noise, NEAR) < (0.53, 0.38, 0.25)).all()


@pytest.mark.parametrize("scales", [(2, 1, 1), (1, 2, 1), (1, 1, "1.1")])
@pytest.mark.parametrize("sampler", [TreeMessages, TreeRejection])
def test_the_test_of_draws_barks(sampler, scales):
    """The scale of each level in turn is another."""
    assert stray(sampler(noisy(scales)).noise(seeded(3), 20_000))


def test_the_test_of_a_public_total_barks():
    """It is forgotten, or kept where there is none."""
    for drawn, held in (((), (0,)), ((0,), ())):
        assert stray(TreeMessages(noisy(pinned=drawn)).noise(seeded(4), 20_000), held)


def test_the_test_of_chains_barks():
    """A hundred steps: the zones still have noise of their own, and boroughs that of their sums."""
    noise = Metropolis(system_of(noisy()), None, 100).noise(seeded(5), 2_000)
    assert stray(noise, most=NEAR)
