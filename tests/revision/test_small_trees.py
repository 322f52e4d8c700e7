"""All trees of up to five leaves: chains and closed forms against the definition.

What other samplers draw on these trees is compared in their own files.
"""

from fractions import Fraction

import numpy as np
import pytest

from holdfast.foundation.randomness import seeded
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.revision.chains.metropolis import Metropolis
from holdfast.revision.closed_forms.group import GroupClosedForm
from holdfast.revision.noisy_system import system_of
from holdfast.revision.noisy_tree import NoisyTree
from tests.plain.statistics import ALARM, smallest_visible_fault
from tests.plain.trees import (
    ALL_FORMS,
    conditional,
    laplace_weights,
    left_out,
    strays_from,
    tree_of,
)

RATIOS = [Fraction(2, 5), Fraction(1, 2), Fraction(1, 4), Fraction(1, 3), Fraction(1, 5)]
REACH = {1: 40, 2: 30, 3: 16, 4: 9, 5: 6}
FAR = 90
CHAINS, STEPS, DRAWS = 4_000, 300, 20_000


def noisy(tree, ratios=RATIOS, pinned=()) -> NoisyTree:
    laws = [DiscreteLaplace.with_ratio(ratio) for ratio in ratios[: tree.depth]]
    return NoisyTree(tree, laws, pinned)


def are_right(draws, tree, pinned=()) -> bool:
    """Whether whole worlds have the law of the definition, but for those beyond a box (DKW)."""
    reach = REACH[tree.leaf_nodes.size]
    far = [laplace_weights(ratio, FAR) for ratio in RATIOS[: tree.depth]]
    worlds, chances = conditional(tree, [some[: reach + 1] for some in far], pinned)
    rest = max(left_out(tree, far, reach, pinned), 0.0)
    assert rest < 0.01
    return not strays_from(worlds, chances, draws, ALARM, rest)


@pytest.mark.parametrize("form", ALL_FORMS, ids=str)
def test_chains_have_the_law_on_every_small_tree(form):
    """4,000 last states by the default steps: a fault of 0.083, and of the box, is seen.

    False alarm 1e-9, but for what 300 steps leave. If it failed, chains would revise by a tree
    of their own.
    """
    assert smallest_visible_fault(CHAINS) < 0.083
    tree = tree_of(form)
    system = system_of(noisy(tree))
    assert are_right(Metropolis(system, None, STEPS).noise(seeded(1), CHAINS), tree)


def other_laws(*ratios):
    return lambda tree: (noisy(tree, [Fraction(*ratio) for ratio in ratios]), STEPS)


WEAK_ROOT = other_laws((9, 10), (1, 2), (1, 4))
EXCHANGED = other_laws((1, 4), (1, 2), (2, 5))


def too_short(tree):
    return noisy(tree), 3


@pytest.mark.parametrize("sabotage", [WEAK_ROOT, EXCHANGED, too_short])
def test_the_test_of_chains_barks(sabotage):
    tree = tree_of((((), ()), ()))
    made, steps = sabotage(tree)
    assert not are_right(Metropolis(system_of(made), None, steps).noise(seeded(2), CHAINS), tree)


ROOTS = [(leaves, pinned) for leaves in range(1, 6) for pinned in ((), (0,))]


@pytest.mark.parametrize(("leaves", "pinned"), ROOTS)
def test_closed_forms_have_the_law_on_every_small_group(leaves, pinned):
    """20,000 draws: a fault of 0.037, and of the box, is seen; false alarm 1e-9 (DKW)."""
    assert smallest_visible_fault(DRAWS) < 0.037
    tree = tree_of(((),) * leaves)
    draws = GroupClosedForm(noisy(tree, pinned=pinned)).noise(seeded(3), DRAWS)
    assert are_right(draws, tree, pinned)


@pytest.mark.parametrize("leaves", [1, 2, 5])
def test_the_test_of_closed_forms_barks(leaves):
    """A public total is forgotten, and either scale is another."""
    tree = tree_of(((),) * leaves)
    free = GroupClosedForm(noisy(tree)).noise(seeded(4), DRAWS)
    assert not are_right(free, tree, (0,))
    for ratios in ((Fraction(1, 2), RATIOS[1]), (RATIOS[0], Fraction(2, 5))):
        draws = GroupClosedForm(noisy(tree, ratios)).noise(seeded(4), DRAWS)
        assert not are_right(draws, tree)
    assert np.abs(free).max() > 0
