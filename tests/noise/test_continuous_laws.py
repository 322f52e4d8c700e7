"""The continuous laws on every tape of short words: their exact law is the quantile grid.

The float laws are research mode; what is shown here is that they are the right laws.
"""

import math
from fractions import Fraction

import numpy as np
import pytest

from holdfast.foundation.errors import BadParameter
from holdfast.foundation.randomness import system_chance, tape
from holdfast.noise.gaussian import Gaussian
from holdfast.noise.laplace import Laplace
from tests.plain.statistics import smallest_visible_fault, strays

WIDTH = 10
CELLS = 2**WIDTH


def laplace_agrees(draw) -> bool:
    """Each word's value lies at the middle of its cell of the cumulative, to rounding."""
    law = Laplace.with_scale(3)
    values = [draw(law, tape([word], width=WIDTH)) for word in range(CELLS)]
    return all(
        abs(law.cumulative(value) - (word + 0.5) / CELLS) < 1e-12
        for word, value in enumerate(values)
    )


def test_laplace_on_every_tape():
    assert laplace_agrees(lambda law, chance: law.draw(chance))


def of_half_the_scale(law, chance):
    return Laplace(law.scale / 2).draw(chance)


def without_its_sign(law, chance):
    return abs(law.draw(chance))


def with_its_halves_exchanged(law, chance):
    return -law.draw(chance)


@pytest.mark.parametrize(
    "sabotage", [of_half_the_scale, without_its_sign, with_its_halves_exchanged]
)
def test_the_laplace_test_barks(sabotage):
    assert not laplace_agrees(sabotage)


SHORT = 6
SIDE = 2**SHORT


def gaussian_agrees(draw) -> bool:
    """All pairs of six-bit words: the cumulative of the draws is the normal one to 3 / 64.

    A convex set of area p holds p of the grid's middles to within its perimeter over 64; the
    set {radius, angle : x <= t} is not convex but has two boundary lines, monotone in each.
    """
    law = Gaussian.with_scale(2)
    pairs = ((u, v) for u in range(SIDE) for v in range(SIDE))
    values = np.sort([draw(law, tape(pair, width=SHORT)) for pair in pairs])
    shares = (np.arange(values.size) + 0.5) / values.size
    gaps = [abs(law.cumulative(x) - s) for x, s in zip(values.tolist(), shares, strict=True)]
    return max(gaps) < 3 / SIDE


def test_gaussian_on_every_tape():
    assert gaussian_agrees(lambda law, chance: law.draw(chance))


def of_a_scale_too_large(law, chance):
    return 1.3 * law.draw(chance)


def with_half_the_circle(law, chance):
    u, v = ((int(chance.words(1)[0]) + 0.5) / SIDE for _ in range(2))
    return float(law.sigma * math.sqrt(-2 * math.log(u)) * math.cos(math.pi / 2 * v))


def with_one_word_for_both(law, chance):
    u, _ = ((int(chance.words(1)[0]) + 0.5) / SIDE for _ in range(2))
    return float(law.sigma * math.sqrt(-2 * math.log(u)) * math.cos(2 * math.pi * u))


@pytest.mark.parametrize(
    "sabotage", [of_a_scale_too_large, with_half_the_circle, with_one_word_for_both]
)
def test_the_gaussian_test_barks(sabotage):
    assert not gaussian_agrees(sabotage)


@pytest.mark.parametrize("law", [Laplace.with_scale(2), Gaussian.with_scale("0.5")])
def test_many_draws(law):
    """With 10**6 draws a fault of 0.0052 in the cumulative is seen; false alarm 1e-9 (DKW)."""
    assert smallest_visible_fault(200_000) < 0.012
    assert not strays(law.draw(system_chance(), 200_000), law.cumulative)
    assert strays(1.05 * law.draw(system_chance(), 200_000), law.cumulative)


@pytest.mark.parametrize("law", [Laplace.with_scale(2), Gaussian.with_scale(2)])
def test_density_cumulative_variance_and_tail_belong_together(law):
    step = 1e-4
    for x in (-3.0, -0.5, 0.7, 4.0):
        slope = (law.cumulative(x + step) - law.cumulative(x - step)) / (2 * step)
        assert slope == pytest.approx(law.density(x), rel=1e-6)
        assert law.tail_above(abs(x)) >= 2 * law.cumulative(-abs(x)) * (1 - 1e-12)
    grid = np.linspace(-120, 120, 240_001)
    density = np.array([law.density(x) for x in grid])
    assert (density * grid**2).sum() * (grid[1] - grid[0]) == pytest.approx(float(law.variance))


def test_variances_are_exact():
    assert Laplace.with_scale(3).variance == 18
    assert Gaussian.with_scale("0.1").variance == Fraction(1, 100)
    assert Gaussian.with_variance("0.01") == Gaussian.with_scale("0.1")


@pytest.mark.parametrize("law", [Laplace, Gaussian])
@pytest.mark.parametrize("scale", [0, -1, float("nan"), "x", True])
def test_bad_scales_are_refused(law, scale):
    with pytest.raises(BadParameter):
        law.with_scale(scale)


@pytest.mark.parametrize("scale", [Fraction(1, 2**1000), Fraction(2**1000)])
def test_scales_beyond_the_floats_are_refused(scale):
    """A sigma that rounds to 0.0 would add no noise at all."""
    with pytest.raises(BadParameter, match="2\\*\\*-400"):
        Laplace.with_scale(scale)
    with pytest.raises(BadParameter, match="2\\*\\*-400"):
        Gaussian.with_variance(scale)


def test_far_tails_are_answered_at_once():
    assert Laplace.with_scale(1).tail_above(1e300) < 1e-300
    assert Gaussian.with_scale(1).tail_above(1e6) < 1e-300


@pytest.mark.parametrize("law", [Laplace.with_scale(1), Gaussian.with_scale(1)])
def test_the_tail_beyond_a_negative_size_is_everything(law):
    assert law.tail_above(-5) == 1
