"""What one node's noise strays, before any data is read: against the definition and the note."""

from fractions import Fraction

import numpy as np
import pytest

import holdfast as hf
from holdfast.foundation.errors import BadParameter
from holdfast.foundation.progress import silent
from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.revision.messages.marginals import Marginals
from holdfast.revision.messages.moments import mean_size, spread, variance
from holdfast.revision.messages.tree_messages import TreeMessages
from holdfast.revision.noisy_tree import NoisyTree
from tests.plain.trees import ALL_FORMS, conditional, gaussian_weights, laplace_weights, tree_of

RATIOS = [Fraction(3, 10), Fraction(2, 5), Fraction(1, 4), Fraction(1, 3), Fraction(1, 5)]
REACH = {1: 30, 2: 30, 3: 18, 4: 12, 5: 8}
TAXI = (69, 69, 61, 43, 20, 1)


def errors_by_definition(tree, weights, pinned=()):
    worlds, chances = conditional(tree, weights, pinned)
    return chances @ worlds.astype(float) ** 2, chances @ np.abs(worlds)


@pytest.mark.parametrize("form", ALL_FORMS)
@pytest.mark.parametrize("pin", [False, True])
def test_every_nodes_errors_are_those_of_the_definition(form, pin):
    """What lies beyond the reach has a chance below 1e-4; most agree far closer."""
    tree = tree_of(form)
    pinned = (int(tree.arrays.child_offsets[0]),) if pin else ()
    reach = REACH[tree.leaf_nodes.size]
    weights = [laplace_weights(ratio, reach) for ratio in RATIOS]
    laws = [DiscreteLaplace.with_ratio(ratio) for ratio in RATIOS[: tree.depth]]
    squares, sizes = TreeMessages(NoisyTree(tree, laws, pinned)).marginals.errors()
    expected_squares, expected_sizes = errors_by_definition(tree, weights, pinned)
    assert squares == pytest.approx(expected_squares, rel=2e-3)
    assert sizes == pytest.approx(expected_sizes, rel=1e-3)


def taxi_tree():
    return hf.Hierarchy.from_paths([(b, z) for b, n in enumerate(TAXI) for z in range(n)])


TABLE = {  # theory, 4.6: root, boroughs, leaves; pinned root: boroughs, leaves
    "0.5": (0.146805, 0.731868, 68.953612, 0.625703, 68.944975),
    "0.75": (0.413045, 2.142729, 144.300477, 1.978440, 144.288019),
    "1": (0.666456, 3.526976, 217.842123, 3.340485, 217.827781),
    "1.5": (1.136360, 6.129978, 358.191892, 5.882743, 358.172909),
    "2": (1.583071, 8.610243, 493.531184, 8.292993, 493.506920),
    "3": (2.449657, 13.410779, 758.044533, 12.947120, 758.009206),
    "4": (3.301865, 18.120218, 1019.190949, 17.507491, 1019.144339),
    "6": (4.991310, 27.440655, 1537.945121, 26.527353, 1537.875730),
}


def by_level(scales, pinned=()):
    laws = [DiscreteLaplace.with_scale(scale) for scale in scales]
    _, sizes = TreeMessages(NoisyTree(taxi_tree(), laws, pinned)).marginals.errors()
    return [sizes[0], sizes[1:7].sum(), sizes[7:].sum()]


@pytest.mark.parametrize("scale", TABLE)
def test_the_taxi_trees_errors_are_those_of_the_note(scale):
    """All eight rows of the table, to the digits given."""
    free, pinned = by_level([scale] * 3), by_level([scale] * 3, [0])
    assert [*free, *pinned[1:]] == pytest.approx(TABLE[scale], abs=1.01e-6)
    assert pinned[0] == 0


def test_the_table_test_barks():
    """One level's scale is another."""
    assert by_level([3, 3, "3.001"]) != pytest.approx(TABLE["3"][:3], abs=1e-3)
    assert by_level([3, "3.001", 3]) != pytest.approx(TABLE["3"][:3], abs=1e-4)


TREES = {  # theory, 4.3, q = 1/2: chance of no noise; variances of root, groups, leaves
    (((), ()), ((),)): (0.2816431097, {0: 0.8216942893, 1: 0.6985679656, 3: 1.2084399967}),
    (((), ()), ((), ())): (0.1391275320, {0: 0.9954171021, 1: 0.7838232319, 3: 1.2455943137}),
    (((), (), ()), ((), ())): (0.0586596467, {0: 1.0871043556}),
    ((), ()): (3 / 11, {0: 1.5622895623}),
    ((), (), ()): (27 / 245, {0: 2.0136054422}),
}


@pytest.mark.parametrize("form", TREES)
def test_small_trees_have_the_variances_of_the_note(form):
    tree = tree_of(form)
    law = DiscreteLaplace.with_ratio(Fraction(1, 2))
    squares, _ = TreeMessages(NoisyTree(tree, [law] * tree.depth)).marginals.errors()
    _, expected = TREES[form]
    for node, value in expected.items():
        assert squares[node] == pytest.approx(value, abs=1e-9)


def test_a_scale_of_three_on_a_small_tree():
    """theory, 4.3, q = e**(-1/3)."""
    tree = tree_of((((), ()), ((),)))
    law = DiscreteLaplace.with_scale(3)
    squares, _ = TreeMessages(NoisyTree(tree, [law] * 3)).marginals.errors()
    assert squares[:2] == pytest.approx([4.2180970147, 3.6074933083], abs=1e-9)
    assert squares[3] == pytest.approx(5.8772279258, abs=1e-9)


def test_gaussian_noise_has_its_errors_too():
    tree, squares = tree_of((((), ()), ())), [Fraction(2), Fraction(1), Fraction(3)]
    laws = [DiscreteGaussian(square) for square in squares]
    found, _ = TreeMessages(NoisyTree(tree, laws)).marginals.errors()
    expected, _ = errors_by_definition(tree, [gaussian_weights(q, 18) for q in squares])
    assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("missed", [0.5, 0.1, 0.05, 0.001])
def test_intervals_are_the_smallest_that_keep_their_word(missed):
    tree = tree_of((((), ()), ()))
    laws = [DiscreteLaplace.with_ratio(ratio) for ratio in RATIOS[:3]]
    worlds, chances = conditional(tree, [laplace_weights(r, 40) for r in RATIOS])
    found = TreeMessages(NoisyTree(tree, laws)).marginals.half_widths(missed)
    for node, width in enumerate(found.tolist()):
        beyond = chances[np.abs(worlds[:, node]) > width].sum()
        within = chances[np.abs(worlds[:, node]) > width - 1].sum()
        assert beyond <= missed < within


TWO, FOURTH = tree_of(((), ())), Fraction(1, 4)


def half_widths(missed):
    """Two leaves whose total is pinned: one number of ratio 1/4."""
    laws = [DiscreteLaplace.with_ratio("0.5")] * 2
    return TreeMessages(NoisyTree(TWO, laws, (0,))).marginals.half_widths(missed).tolist()


def keeps_its_word(width_of) -> bool:
    """Whether a chance a little above that of more than 3 allows 3, and one nearer to it, 4."""
    beyond = float(2 * FOURTH**4 / (1 + FOURTH))
    return width_of(beyond + 1e-10)[1:] == [3, 3] and width_of(beyond + 1e-12)[1:] == [4, 4]


def test_an_interval_is_not_too_narrow_by_a_rounding():
    """Chances that are missed by less than their error count as missed."""
    assert keeps_its_word(half_widths)
    assert half_widths(0.01)[0] == 0


@pytest.mark.parametrize("slack", [-1e-9, 1e-9])
def test_the_test_of_narrow_intervals_barks(slack):
    assert not keeps_its_word(lambda missed: half_widths(missed + slack))


def test_intervals_are_told_down_to_a_chance_that_floats_hold():
    assert half_widths(1.01e-8)[1] > 10
    with pytest.raises(BadParameter, match="Lower the confidence"):
        half_widths(1e-9)


def test_progress_is_told_stages_and_public_counts():
    told = []
    tree = tree_of((((), ()), ((), ())))
    sampler = TreeMessages(
        NoisyTree(tree, [DiscreteLaplace.with_scale(1)] * 3),
        lambda stage, done, total: told.append((stage, done, total)),
    )
    sampler.marginals.errors()
    assert {stage for stage, _, _ in told} == {"messages", "expected errors"}
    assert told[-1] == ("expected errors", 7, 7)
    assert silent("stage", 1, 2) is None


def test_moments_of_weights():
    weights = np.array([1.0, 2.0, 4.0, 2.0, 1.0])
    assert variance(weights) == pytest.approx((2 * 4 + 4) / 10)
    assert mean_size(weights) == pytest.approx((2 * 2 + 4) / 10)
    assert [spread(weights, rare) for rare in (0.0, 0.19, 0.2, 0.59, 0.6, 1.0)] == [
        2,
        2,
        1,
        1,
        0,
        0,
    ]


class ForgetsTheRest(Marginals):
    """The outside message is 1 everywhere: a node's law is that of its subtree alone."""

    def _beside(self, mine, other, outside):
        return np.ones(self._inside[mine].size)


def test_the_errors_test_barks(monkeypatch):
    tree = tree_of((((), ()), ()))
    laws = [DiscreteLaplace.with_ratio(ratio) for ratio in RATIOS[:3]]
    sampler = TreeMessages(NoisyTree(tree, laws))
    wrong = ForgetsTheRest(tree, sampler._messages, silent).errors()[0]
    expected, _ = errors_by_definition(tree, [laplace_weights(r, 18) for r in RATIOS])
    assert np.abs(wrong / expected - 1).max() > 0.02
