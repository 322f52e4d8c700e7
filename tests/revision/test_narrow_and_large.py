"""Laws narrower than a unit, groups beyond all floats, scales too large for tables."""

import math

import numpy as np
import pytest

import holdfast as hf
from holdfast.foundation.errors import BadParameter
from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.revision.closed_forms.group import GroupClosedForm
from holdfast.revision.closed_forms.group_weights import first_reach
from holdfast.revision.closed_forms.halves import half_table
from holdfast.revision.messages.tree_messages import TreeMessages
from holdfast.revision.noisy_tree import NoisyTree
from holdfast.revision.rejection import cost
from holdfast.revision.rejection.tree_rejection import expected_draws

NARROW = [
    DiscreteGaussian("0.16"),
    DiscreteGaussian("0.2304"),
    DiscreteLaplace.with_scale("0.4"),
    DiscreteLaplace.with_scale("0.1"),
]


def flat(leaves, law):
    tree = hf.Hierarchy.from_paths([(str(k),) for k in range(leaves)])
    return NoisyTree(tree, [law] * 2)


def mean_cost(leaves, law):
    """Return leaves over the chance that a try is accepted, from masses added up one by one."""
    reach = 40
    masses = np.array([float(law.mass(k)) for k in range(-reach, reach + 1)])
    sums = np.ones(1)
    for _ in range(leaves):
        sums = np.convolve(sums, masses)
        keep = min(sums.size // 2, 3 * reach)
        sums = sums[sums.size // 2 - keep : sums.size // 2 + keep + 1]
    middle = sums.size // 2
    accepted = sums[middle - reach : middle + reach + 1] @ (masses / masses[reach])
    return leaves / accepted


@pytest.mark.parametrize("law", NARROW, ids=repr)
@pytest.mark.parametrize("leaves", [2, 30, 300])
def test_the_cost_of_trials_with_narrow_laws(law, leaves):
    """A law narrower than half a unit still has neighbours of 0; `auto` goes by this figure."""
    predicted = expected_draws(flat(leaves, law), closed_forms=False)
    assert predicted == pytest.approx(mean_cost(leaves, law), rel=1e-6)


def test_the_test_of_costs_barks(monkeypatch):
    """A narrow law that is put at 0 alone has an acceptance up to 155 times too large."""
    law = NARROW[0]
    only_zero = lambda law, distance, step: (distance == 0) * 1.0  # noqa: E731
    monkeypatch.setattr(cost, "_weights", only_zero)
    predicted = expected_draws(flat(300, law), closed_forms=False)
    assert predicted < mean_cost(300, law) / 5


@pytest.mark.parametrize(
    ("narrow", "whole"),
    [(NARROW[0], 1 + 2 * math.exp(-3.125)), (NARROW[2], (1 + math.exp(-2.5)) / -math.expm1(-2.5))],
)
def test_a_narrow_law_among_long_ones_keeps_its_whole_weight(narrow, whole):
    assert cost._mass(narrow) == pytest.approx(whole, rel=1e-4)


@pytest.mark.parametrize(("cells", "scale"), [(512, 3), (263, 10), (300, 6)])
def test_a_group_whose_weight_is_beyond_all_floats_is_halved(cells, scale):
    """Words all over the scale have the outcomes that the exact weights give."""
    table = half_table(cells, DiscreteLaplace.with_scale(scale))
    words = [k * 2**64 // 12 + 12345 for k in range(12)]
    for total in (0, 17):
        drawn = table.draw(np.full(len(words), total), hf.tape(words, width=64))
        exact = [table.settle(total, word, hf.tape([0, 0], width=64)) for word in words]
        assert drawn.tolist() == exact
        assert len(set(exact)) > 8


def test_a_large_group_is_drawn_many_times():
    """512 cells of scale 3: their weight at 0 is about e**990."""
    tree = hf.Hierarchy.from_paths([(k,) for k in range(512)])
    revised = hf.Mechanism(tree, DiscreteLaplace.with_scale(3)).revise(tree.sums())
    found = revised.draws(tree.aggregate([7] * 512), 1000, hf.seeded(1))
    assert revised.method == "closed-form"
    assert all(tree.sums().holds(row) for row in found)


def test_a_scale_too_large_for_messages_is_refused_by_name():
    """One leaf has no convolution, and still a weight for every total."""
    with pytest.raises(BadParameter, match="totals of noise up to 524,288"):
        TreeMessages(flat(1, DiscreteLaplace.with_scale(2**20)))


def test_a_narrow_group_begins_near_zero():
    """In the far tail of a scale of 1/1000 weights need thousands of bits."""
    assert first_reach(DiscreteLaplace.with_scale("0.001")) == 2
    assert first_reach(DiscreteLaplace.with_scale(5)) == 32
    noise = GroupClosedForm(flat(2, DiscreteLaplace.with_scale("0.001"))).noise(hf.seeded(1), 10)
    assert not noise.any()
