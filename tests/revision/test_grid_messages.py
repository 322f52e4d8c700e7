"""Continuous noise on trees by messages on a grid: errors to many digits, draws for research."""

from math import lgamma, log

import numpy as np
import pytest
from scipy.integrate import quad

import holdfast as hf
from holdfast.foundation.errors import BadParameter
from holdfast.revision.evidence import NotProven
from holdfast.revision.messages.grid_messages import GridMessages
from holdfast.revision.noisy_tree import NoisyTree
from tests.plain.trees import tree_of
from tests.revision.test_marginals import taxi_tree

ONE = hf.Laplace.with_scale(1)


@pytest.fixture(scope="module")
def taxi_errors():
    return GridMessages(NoisyTree(taxi_tree(), [ONE] * 3)).errors


def group_transform(n, t):
    """Return the Fourier transform of a group's message: theory, 3.2, times the node's weight."""
    total = 0.0
    for k in range(n):
        j = n - 1 - k
        weight = lgamma(n + j) - lgamma(n) - lgamma(j + 1) - (n + j) * log(2)
        total += 2 * np.exp(weight) * ((2 - 1j * t) ** -(k + 1)).real
    return total


def the_single_zone():
    """E|u| and E u**2 of the borough of one zone, by an integral over characteristic functions."""

    def others(t):
        sizes = (69, 69, 61, 43, 20)
        return (
            np.prod([group_transform(n, t) / group_transform(n, 0) for n in sizes])
            * 2
            / (1 + t * t)
        )

    def moment(power):
        factor = 2 if power == 2 else 1
        return quad(
            lambda t: factor * 2 * ((2 - 1j * t) ** -(power + 1)).real * others(t),
            0,
            60,
            limit=400,
            epsabs=1e-12,
        )[0]

    return moment(1) / moment(0), moment(2) / moment(0)


def test_errors_agree_with_an_independent_integral(taxi_errors):
    """The note's table has .475422 and .442375 for this node: wrong in the sixth digit."""
    variances, sizes = taxi_errors
    size, square = the_single_zone()
    assert (size, square) == pytest.approx((0.4754235762, 0.4423760389), abs=1e-9)
    assert (sizes[6], variances[6]) == pytest.approx((size, square), abs=1e-8)


def test_the_taxi_trees_errors_are_those_of_the_note(taxi_errors):
    """theory, 4.4: to the digits given, but for the borough of one zone (above)."""
    variances, sizes = taxi_errors
    assert sizes[:6] == pytest.approx(
        [0.837051, 0.830736, 0.830736, 0.829901, 0.826873, 0.814902], abs=1.1e-6
    )
    assert variances[:6] == pytest.approx(
        [1.320834, 1.297810, 1.297810, 1.294788, 1.283880, 1.241485], abs=1.6e-6
    )
    first = 7 + np.cumsum([0, 69, 69, 61, 43])
    assert sizes[first] == pytest.approx(
        [0.985646, 0.985646, 0.983784, 0.977103, 0.951670], abs=2e-6
    )
    assert variances[first] == pytest.approx(
        [1.929451, 1.929451, 1.920476, 1.888592, 1.771708], abs=2e-6
    )


def test_sizes_in_units_of_their_scale_add_up_to_the_dimension(taxi_errors):
    """theory, 3.7: sum E|U|/scale = 263 on the taxi tree, and on any tree with any scales."""
    assert taxi_errors[1].sum() == pytest.approx(263, abs=1e-6)
    tree = tree_of((((), ()), ((), (), ()), ()))
    laws = [hf.Laplace.with_scale(scale) for scale in (3, 1, "0.5")]
    _, sizes = GridMessages(NoisyTree(tree, laws)).errors
    scales = np.array([3.0, 1.0, 0.5])[tree.levels]
    assert (sizes / scales).sum() == pytest.approx(tree.leaf_nodes.size, abs=1e-6)


def test_small_trees_have_the_fractions_of_the_note():
    """theory, 4.2: leaf, group and root of the tree of groups of two and one."""
    variances, sizes = GridMessages(NoisyTree(tree_of((((), ()), ((),))), [ONE] * 3)).errors
    assert variances[[3, 2, 1, 0]] == pytest.approx(
        [4025 / 5976, 1817 / 5976, 835 / 1992, 122 / 249], abs=1e-8
    )
    assert sizes[[3, 2, 1, 0]] == pytest.approx(
        [599 / 996, 199 / 498, 239 / 498, 43 / 83], abs=1e-8
    )


def test_a_coarse_grid_without_extrapolation_is_caught():
    sampler = GridMessages(NoisyTree(tree_of((((), ()), ((),))), [ONE] * 3))
    _, sizes = sampler._errors_on(16)
    assert abs(sizes[0] - 43 / 83) > 1e-5


def test_gaussian_noise_has_the_variance_of_the_projection():
    tree = tree_of(((), ()))
    law = hf.Gaussian.with_scale(2)
    variances, _ = GridMessages(NoisyTree(tree, [law] * 2)).errors
    assert variances == pytest.approx(4 * 2 / 3 * np.ones(3), rel=1e-8)


def test_draws_lie_on_the_grid_and_add_up():
    tree = tree_of((((), ()), ()))
    sampler = GridMessages(NoisyTree(tree, [ONE] * 3, [1]))
    noise = sampler.noise(hf.seeded(1), 100)
    assert noise.dtype == np.float64
    assert np.array_equal(noise * 32, np.rint(noise * 32))
    assert all(tree.sums().holds(row) for row in noise)
    assert not noise[:, 1].any()
    assert isinstance(sampler.evidence, NotProven)
    assert sampler.half_widths(0.05)[1] == 0
    assert 1 < sampler.half_widths(0.05)[0] < 3


def test_discrete_laws_are_refused():
    with pytest.raises(BadParameter, match="continuous laws"):
        GridMessages(NoisyTree(tree_of(((), ())), [hf.DiscreteLaplace.with_scale(1)] * 2))
