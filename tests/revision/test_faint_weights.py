"""Weights too small to follow are cut off and counted, and never fall to 0 unseen."""

from fractions import Fraction

import numpy as np
import pytest

import holdfast as hf
from holdfast.foundation.errors import BadParameter
from holdfast.foundation.randomness import seeded
from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.revision.messages import message as message_file
from holdfast.revision.messages.message import FAINT
from holdfast.revision.messages.tree_messages import TreeMessages
from holdfast.revision.noisy_tree import NoisyTree
from tests.plain.trees import ALL_FORMS, conditional, laplace_weights, tree_of

HALF = DiscreteLaplace.with_ratio(Fraction(1, 2))


def chain(levels):
    """Two leaves, each below a run of single children."""
    return hf.Hierarchy.from_paths([("a",) * levels, ("b",) * levels])


LAWS = {
    "scale 20": DiscreteLaplace.with_scale(20),
    "scale 1/2": DiscreteLaplace.with_scale("0.5"),
    "sigma squared 1/50": DiscreteGaussian.with_variance(Fraction(1, 50)),
    "sigma 4": DiscreteGaussian.with_scale(4),
}


def smallest_normal(sampler):
    return min(m.weights.min() for m in sampler._messages.listed)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("levels", [3, 16, 40])
def test_nothing_underflows_in_a_long_run_of_single_children(law, levels):
    """Each level multiplies the weights at the edge by some 2**-66; floats end at 2**-1074."""
    sampler = TreeMessages(NoisyTree(chain(levels), [LAWS[law]] * (levels + 1)))
    assert smallest_normal(sampler) >= FAINT / 2
    assert sampler.evidence.truncation < Fraction(1, 2**63)
    assert sampler.evidence.rounding < Fraction(1, 10**9)
    noise = sampler.noise(seeded(1), 50)
    assert all(chain(levels).sums().holds(row) for row in noise)


@pytest.mark.parametrize("levels", [16, 40])
def test_the_underflow_test_barks(levels, monkeypatch):
    monkeypatch.setattr(message_file, "FAINT", 0.0)
    sampler = TreeMessages(NoisyTree(chain(levels), [LAWS["scale 20"]] * (levels + 1)))
    assert not smallest_normal(sampler) >= FAINT / 2


@pytest.mark.parametrize("form", ALL_FORMS[:3])
def test_what_is_cut_off_is_counted(form, monkeypatch):
    """With weights cut off at 1/100 already, the chance that is lost is within the evidence."""
    monkeypatch.setattr(message_file, "FAINT", 0.01)
    tree = tree_of(form)
    sampler = TreeMessages(NoisyTree(tree, [HALF] * tree.depth))
    reach = {2: 24, 3: 16}[tree.leaf_nodes.size]
    worlds, chances = conditional(tree, [laplace_weights(Fraction(1, 2), reach)] * tree.depth)
    messages = sampler._messages
    radii = [
        messages.listed[messages.parts.of_shape[shape]].radius
        for shape in messages.shapes.of_node.tolist()
    ]
    lost = chances[(np.abs(worlds) > radii).any(axis=1)].sum()
    assert 1e-6 < lost <= float(sampler.evidence.truncation)


@pytest.mark.parametrize("square", ["0.001", "0.0027", "0.0029", "0.003", "0.004", "0.02", "0.25"])
def test_narrow_gaussians_have_weights_that_are_known(square):
    """The radius ends where the tail falls below what is asked, not one farther."""
    pair = hf.Hierarchy.from_paths([("a",), ("b",)])
    law = DiscreteGaussian.with_variance(square)
    sampler = TreeMessages(NoisyTree(pair, [law, law]))
    assert sampler.evidence.bound < Fraction(1, 10**12)


@pytest.mark.parametrize("pinned", [(), (0,), (1,), (1, 2)])
def test_the_total_weight_counts_what_stands_below_a_pinned_node(pinned):
    """Ratio 1/2: by the definition, what lies beyond 24 being less than a millionth."""
    tree = hf.Hierarchy.from_paths([("a", "x"), ("a", "y"), ("b", "z"), ("b", "w")])
    weights = laplace_weights(Fraction(1, 2), 9)
    grids = np.meshgrid(*[np.arange(-9, 10)] * 4, indexing="ij")
    leaves = np.stack([grid.reshape(-1) for grid in grids], axis=1)
    groups = leaves.reshape(-1, 2, 2).sum(axis=2)
    nodes = np.concatenate([groups.sum(axis=1)[:, None], groups, leaves], axis=1)
    free = [node for node in range(7) if node not in pinned]
    held = (nodes[:, list(pinned)] == 0).all(axis=1)
    table = np.array([*weights, *[0.5**k for k in range(10, 40)]])
    expected = table[np.abs(nodes[held][:, free])].prod(axis=1).sum()
    found = TreeMessages(NoisyTree(tree, [HALF] * 3, pinned)).total_weight
    assert float(found) == pytest.approx(expected, rel=1e-3)


def test_work_without_end_is_refused_at_once():
    """Two leaves of scale 40,000 would take 10**12 products."""
    pair = hf.Hierarchy.from_paths([("a",), ("b",)])
    law = DiscreteLaplace.with_scale(40_000)
    with pytest.raises(BadParameter, match=r"messages: .*Use method 'exact'"):
        TreeMessages(NoisyTree(pair, [law, law]))
