"""How far noise strays at each node, by the road that its laws allow."""

import math
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest

import holdfast as hf
from holdfast.foundation.progress import silent
from holdfast.revision.closed_forms.conditional_density import ConditionalDensity
from holdfast.revision.expected_errors import expected_errors, normal_half_width
from holdfast.revision.noisy_system import system_of
from holdfast.revision.noisy_tree import NoisyTree
from tests.plain.lattice import least_squares
from tests.plain.trees import conditional, gaussian_weights, laplace_weights

TREE = hf.Hierarchy.from_paths([("a", "x"), ("a", "y"), ("b", "z")])
HALF, THIRD, FIFTH = Fraction(1, 2), Fraction(1, 3), Fraction(1, 5)
RATIOS = (HALF, THIRD, FIFTH)
SQUARES = (Fraction(2), Fraction(1), Fraction(3))


def errors(laws, pinned=()):
    return expected_errors(NoisyTree(TREE, laws, pinned), silent)


def moments(weights, pinned=()):
    worlds, chances = conditional(TREE, weights, pinned)
    return chances @ worlds.astype(float) ** 2, chances @ np.abs(worlds), (worlds, chances)


WHOLE = {
    "laplace": (
        [hf.DiscreteLaplace.with_ratio(r) for r in RATIOS],
        [laplace_weights(r, 40) for r in RATIOS],
    ),
    "gaussian": (
        [hf.DiscreteGaussian.with_variance(s) for s in SQUARES],
        [gaussian_weights(s, 40) for s in SQUARES],
    ),
}


@pytest.mark.parametrize("kind", WHOLE)
@pytest.mark.parametrize("pinned", [(), (0,), (1,)])
def test_whole_noise_strays_as_the_definition_says(kind, pinned):
    laws, weights = WHOLE[kind]
    found, (squares, sizes, _) = errors(laws, pinned), moments(weights, pinned)
    assert found.variances == pytest.approx(squares, rel=1e-9, abs=1e-12)
    assert found.mean_sizes == pytest.approx(sizes, rel=1e-9, abs=1e-12)
    if not pinned:  # exchanged levels are told apart
        other = moments(weights[::-1])[0]
        assert found.variances != pytest.approx(other, rel=1e-2)


@pytest.mark.parametrize("kind", WHOLE)
@pytest.mark.parametrize("missed", [0.5, 0.05, 0.001])
def test_whole_half_widths_are_the_smallest_that_keep_their_word(kind, missed):
    laws, weights = WHOLE[kind]
    worlds, chances = moments(weights)[2]
    for node, width in enumerate(errors(laws).half_widths(missed)):
        size = np.abs(worlds[:, node])
        assert chances[size > width].sum() <= missed
        assert width == 0 or chances[size > width - 1].sum() > missed


@pytest.mark.parametrize("scales", [(1, 1, 1), (3, 2, 1), (2, 1, 2)])
@pytest.mark.parametrize("pinned", [(), (0,)])
def test_laplace_noise_strays_as_its_exact_integrals_say(scales, pinned):
    noisy = NoisyTree(TREE, [hf.Laplace.with_scale(s) for s in scales], pinned)
    exact = ConditionalDensity(system_of(noisy))
    found = expected_errors(noisy, silent)
    variances = [float(exact.variance()[node][node]) for node in range(TREE.size)]
    assert found.variances == pytest.approx(variances, rel=1e-7, abs=1e-12)
    assert found.mean_sizes == pytest.approx(list(map(float, exact.mean_sizes())), rel=1e-7)


def test_laplace_half_widths_keep_their_word():
    """Two cells with no sum: each has density e**(-2|u|), so the width is ln(1/missed)/2."""
    pair = hf.Hierarchy.from_paths([("a",), ("b",)])
    laws = [hf.Laplace.with_scale(1)] * 2
    found = expected_errors(NoisyTree(pair, laws, (0,)), silent)
    for missed in (0.5, 0.05, 0.001):
        exact = math.log(1 / missed) / 2
        widths = found.half_widths(missed)
        assert widths[0] == 0
        assert (exact <= widths[1:]).all()
        assert (widths[1:] <= exact + 2 / 32).all()


@pytest.mark.parametrize("pinned", [(), (0,), (1,)])
def test_gaussian_noise_strays_as_the_weighted_projection(pinned):
    noisy = NoisyTree(TREE, [hf.Gaussian.with_variance(s) for s in SQUARES], pinned)
    levels = TREE.levels.tolist()
    system = system_of(noisy)
    rows = [[0] * TREE.size for _ in system.rows]
    for line, row in zip(rows, system.rows, strict=True):
        for cell, value in row.terms:
            line[cell] = value
    exact = least_squares(rows, [SQUARES[level] for level in levels])
    found = expected_errors(noisy, silent)
    variances = np.array([float(exact[node][node]) for node in range(TREE.size)])
    assert found.variances == pytest.approx(variances, abs=1e-12)
    assert found.mean_sizes == pytest.approx(np.sqrt(2 / math.pi * variances), abs=1e-12)
    widths = found.half_widths(0.05)
    assert widths == pytest.approx(NormalDist().inv_cdf(0.975) * np.sqrt(variances), abs=1e-12)


@pytest.mark.parametrize("missed", [0.9, 0.3, 0.05, 1e-3, 1e-9, 1e-12])
def test_the_normal_half_width_is_rounded_up(missed):
    width = normal_half_width(missed)
    assert math.erfc(width / math.sqrt(2)) <= missed
    assert math.erfc(width * (1 - 1e-12) / math.sqrt(2)) > missed * (1 - 1e-9)
    if missed >= 1e-9:
        assert width == pytest.approx(NormalDist().inv_cdf(1 - missed / 2), rel=1e-7)
