"""The discrete laws: masses, cumulatives, variances, tails; and draws in large numbers."""

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.foundation.errors import BadParameter
from holdfast.foundation.randomness import seeded, system_chance
from holdfast.noise import discrete_laplace
from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.discrete_laplace import DiscreteLaplace
from tests.plain import masses
from tests.plain.statistics import smallest_visible_fault, strays

LAWS = [
    DiscreteLaplace.with_ratio("0.5"),
    DiscreteLaplace.with_ratio(Fraction(1, 1000)),
    DiscreteLaplace.with_scale(3),
    DiscreteGaussian.with_scale("0.5"),
    DiscreteGaussian.with_scale(2),
]


def test_laplace_masses_by_the_definition():
    for given_law, ratio in ((LAWS[2], masses.exp(Fraction(-1, 3))),):
        expected = masses.discrete_laplace(ratio, reach=20)
        assert all(given_law.mass(k).meets(mass) for k, mass in expected.items())
    assert LAWS[0].mass(3) == LAWS[0].mass(-3)
    assert LAWS[0].mass(3).below == LAWS[0].mass(3).above == Fraction(1, 24)


@pytest.mark.parametrize("square", [Fraction(1, 4), Fraction(4), Fraction(9)])
def test_gaussian_masses_by_the_definition(square):
    expected = masses.discrete_gaussian(square, reach=24)
    law = DiscreteGaussian.with_variance(square)
    assert all(law.mass(k).meets(mass) for k, mass in expected.items())
    variance = sum(k * k * mass.below for k, mass in expected.items())
    assert abs(float(law.variance) - float(variance)) < 1e-6


@pytest.mark.parametrize("law", LAWS)
def test_cumulatives_add_up_masses(law):
    below = sum(law.mass(k).below for k in range(-200, -1))
    assert abs(float(law.cumulative(-2)) - float(below)) < 1e-12
    for k in range(-4, 5):
        step = law.cumulative(k).above - law.cumulative(k - 1).below
        assert step >= law.mass(k).below
        assert law.cumulative(k).below - law.cumulative(k - 1).above <= law.mass(k).above


@pytest.mark.parametrize("law", LAWS)
def test_tails_are_bounded_above(law):
    for k in range(8):
        inside = sum(law.mass(j).below for j in range(-k, k + 1))
        assert law.tail_above(k) >= 1 - inside - Fraction(1, 10**40)
    if isinstance(law, DiscreteLaplace):
        assert law.tail_above(3) <= (1 - sum(law.mass(j).below for j in range(-3, 4))) * (
            1 + Fraction(1, 10**40)
        )


@pytest.mark.parametrize(
    ("law", "variance"),
    [
        (DiscreteLaplace.with_ratio("0.5"), 4.0),
        (DiscreteLaplace.with_scale(3), 17.834255192513016),
        (DiscreteGaussian.with_scale(1), 0.9999997887677279),
    ],
)
def test_reference_variances(law, variance):
    """2 q / (1 - q)**2, and the sum over the lattice."""
    assert float(law.variance) == pytest.approx(variance, rel=1e-14)


SCALES = [Fraction(1, 3), 1, 3, 16, 17, 100, 1000]


@pytest.mark.parametrize("scale", SCALES)
def test_many_laplace_draws(scale):
    """With 10**6 draws a fault of 0.0052 in the cumulative is seen; false alarm 1e-9 (DKW)."""
    law = DiscreteLaplace.with_scale(scale)
    assert smallest_visible_fault(10**6) < 0.0053
    assert not strays(law.draw(system_chance(), 10**6), lambda k: float(law.cumulative(k)))


@pytest.mark.parametrize("sigma", [Fraction(1, 2), 1, 5, 63, 64, 300])
def test_many_gaussian_draws(sigma):
    """With 10**6 draws a fault of 0.0052 in the cumulative is seen; false alarm 1e-9 (DKW)."""
    law = DiscreteGaussian.with_scale(sigma)
    assert not strays(law.draw(system_chance(), 10**6), lambda k: float(law.cumulative(k)))


def shifted_by_one(draws):
    return draws + 1


def of_a_scale_two_per_cent_too_large(draws):
    return DiscreteLaplace.with_scale("102").draw(seeded(1), draws.size)


def without_the_first_lower_digit(draws):
    return draws & ~np.int64(7)


def with_a_hole_at_zero(draws):
    return np.where(draws == 0, 1, draws)


@pytest.mark.parametrize(
    "sabotage",
    [
        shifted_by_one,
        of_a_scale_two_per_cent_too_large,
        without_the_first_lower_digit,
        with_a_hole_at_zero,
    ],
)
def test_the_test_of_many_draws_barks(sabotage):
    law = DiscreteLaplace.with_scale(100)
    draws = law.draw(seeded(2), 10**6)
    assert strays(sabotage(draws), lambda k: float(law.cumulative(k)))


def test_very_large_scales_keep_their_spread():
    """Mean of |k| / scale at 2**40: 1 +- 6.2 standard errors, false alarm below 1e-9."""
    draws = DiscreteLaplace.with_scale(2**40).draw(system_chance(), 10**6)
    assert abs(np.abs(draws / 2.0**40).mean() - 1) < 6.2 / 1000
    sigma = DiscreteGaussian.with_scale(2**40).draw(system_chance(), 10**6) / 2.0**40
    assert abs((sigma**2).mean() - 1) < 6.2 * np.sqrt(2) / 1000


def test_low_digits_of_large_scales_are_even():
    """The lowest bit at scale 10**6 is fair: false alarm 1e-9 (Hoeffding), fault of 0.004 seen."""
    draws = DiscreteLaplace.with_scale(10**6).draw(system_chance(), 10**6)
    assert abs((draws & 1).mean() - 0.5) < np.sqrt(np.log(2e9) / 2e6) < 0.0034


@pytest.mark.parametrize("scale", [0, -1, float("nan"), True, "1e3", 2**40 + 1, Fraction(1, 1001)])
def test_bad_scales_are_refused(scale):
    with pytest.raises(BadParameter, match="scale"):
        DiscreteLaplace.with_scale(scale)


@pytest.mark.parametrize("ratio", [0, 1, -1, 2, 1 - 1e-14, True, "half"])
def test_bad_ratios_are_refused(ratio):
    with pytest.raises(BadParameter):
        DiscreteLaplace.with_ratio(ratio)


@pytest.mark.parametrize("sigma", [0, -1, float("inf"), True, 2**40 + 1, "0.001"])
def test_bad_sigmas_are_refused(sigma):
    with pytest.raises(BadParameter, match="sigma"):
        DiscreteGaussian.with_scale(sigma)


def test_a_law_needs_a_ratio_or_a_scale():
    with pytest.raises(BadParameter, match="a ratio or a scale"):
        DiscreteLaplace()
    with pytest.raises(BadParameter, match="both or neither"):
        DiscreteLaplace(Fraction(1, 2), Fraction(1))


def test_chances_of_a_wide_gaussian_are_refused_but_not_its_draws():
    law = DiscreteGaussian.with_scale(10**6)
    with pytest.raises(BadParameter, match="summed term by term"):
        law.mass(0)
    assert isinstance(law.draw(seeded(1)), int)


@given(st.fractions(Fraction(1, 100), Fraction(10**6)), st.integers(0, 2**60))
@settings(max_examples=60)
def test_every_legal_scale_draws(scale, seed):
    """No table is empty, too long or slow, whatever the scale."""
    law = DiscreteLaplace.with_scale(scale)
    assert law.draw(seeded(seed), (2, 3)).shape == (2, 3)
    tables = discrete_laplace._tables(law)
    assert tables.leading.step <= max(1, scale / 8)


@pytest.mark.parametrize("size", [-1, 1.5, True, (2, -1), "x"])
def test_bad_sizes_are_refused(size):
    with pytest.raises(BadParameter, match="size"):
        LAWS[0].draw(seeded(1), size)


def test_shapes_and_types():
    assert isinstance(LAWS[0].draw(seeded(1)), int)
    assert LAWS[0].draw(seeded(1), 0).shape == (0,)
    assert LAWS[0].draw(seeded(1), (3, 0)).shape == (3, 0)
    drawn = LAWS[2].draw(seeded(1), 200_001)
    assert drawn.shape == (200_001,)
    assert drawn.dtype == np.int64


def test_far_values_are_answered_at_once():
    """A value that comes from a table must never hang the program."""
    assert DiscreteGaussian.with_scale(1).tail_above(10**9) < Fraction(1, 10**1000)
    assert DiscreteGaussian.with_scale(1).mass(10**9).below == 0
    assert DiscreteLaplace.with_scale(1).cumulative(-(2**62)).below == 0
    assert DiscreteLaplace.with_ratio("0.5").mass(10**11).below == 0
    assert DiscreteLaplace.with_ratio("0.5").mass(10**11).above > 0


def test_a_ratio_next_to_one_is_refused_at_once():
    with pytest.raises(BadParameter, match="scale"):
        DiscreteLaplace.with_ratio(1 - Fraction(1, 2**200))


def test_a_scale_whose_chance_is_almost_dyadic_still_draws():
    """e**(-1/scale) within 2**-460 of a half: the floors need many more bits than usual."""
    with localcontext() as context:
        context.prec = 160
        rate = Fraction(Decimal(2).ln())
    law = DiscreteLaplace(scale=1 / rate)
    assert law.draw(seeded(1), 100).shape == (100,)
