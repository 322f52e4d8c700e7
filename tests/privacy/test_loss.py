"""The loss of each law against sums over its masses, and against printed values.

If this failed, one law's noise would be sold for less than it costs.
"""

import math
from fractions import Fraction

import pytest

import holdfast as hf
from holdfast.foundation.bounds import Bounds
from holdfast.foundation.errors import HoldfastError
from holdfast.privacy import loss
from holdfast.privacy.loss import (
    concentrated_loss,
    delta_above,
    delta_of_signs,
    pure_loss,
    rho_of,
)

LAWS = [
    hf.DiscreteLaplace.with_scale(2),
    hf.DiscreteLaplace.with_ratio(Fraction(1, 2)),
    hf.DiscreteGaussian.with_scale(2),
    hf.DiscreteGaussian.with_scale("0.7"),
]
WIDE = 60  # masses beyond are below e**-30


def brute(law, distance, epsilon) -> float:
    """Return the sum over all outputs of what the one chance exceeds e**epsilon times the other."""
    masses = {k: float(law.mass(k)) for k in range(-WIDE - distance, WIDE + distance + 1)}
    grown = math.exp(epsilon)
    gaps = (masses[k] - grown * masses[k - distance] for k in range(-WIDE, WIDE + 1))
    return math.fsum(max(0.0, gap) for gap in gaps)


def far_from_brute(law) -> list[tuple[int, float]]:
    return [
        (distance, epsilon)
        for distance in (1, 2, 3, 5)
        for epsilon in (0, 0.125, 0.5, 1, 2, 3)
        if not -1e-15
        <= float(delta_above(law, distance, epsilon)) - brute(law, distance, epsilon)
        < 1e-11
    ]


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_delta_of_a_discrete_law_is_the_sum_over_outputs(law):
    assert far_from_brute(law) == []


@pytest.mark.parametrize("step", [-2, 2])
def test_the_comparison_barks(monkeypatch, step):
    """A half line that ends two units off gives less."""
    honest = loss._last_above

    def off(*arguments):
        bounds = honest(*arguments)
        return type(bounds)(bounds.below + step, bounds.above + step)

    monkeypatch.setattr(loss, "_last_above", off)
    assert all(far_from_brute(law) for law in LAWS)


# theory 2.5: two Laplace cells given their sum are one of half the scale
CONDITIONED = {0: 0.632121, 0.25: 0.583138, 0.5: 0.527633, 1: 0.393469, 1.5: 0.221199, 2: 0}


@pytest.mark.parametrize("epsilon", CONDITIONED)
def test_laplace_has_its_printed_profile(epsilon):
    found = delta_above(hf.Laplace.with_scale("0.5"), 1, epsilon)
    assert float(found) == pytest.approx(CONDITIONED[epsilon], abs=5.1e-7)


def test_gaussian_has_its_profile():
    """Balle and Wang at the sigma that theory 2.1 prints for epsilon 1 and delta 1e-5."""
    found = float(delta_above(hf.Gaussian.with_scale("3.7306316"), 1, 1))
    assert found == pytest.approx(1e-5, rel=1e-6)
    assert found != pytest.approx(float(delta_above(hf.Gaussian.with_scale(4), 1, 1)), rel=1e-2)


def test_pure_losses():
    assert pure_loss(hf.DiscreteLaplace.with_scale(3), 2) == Fraction(2, 3)
    assert pure_loss(hf.Laplace.with_scale(3), 2) == Fraction(2, 3)
    half = pure_loss(hf.DiscreteLaplace.with_ratio("0.5"), 1)
    assert Fraction(math.log(2)) < half < Fraction(math.log(2)) + Fraction(1, 10**15)
    assert pure_loss(hf.DiscreteGaussian.with_scale(3), 2) is None
    assert pure_loss(hf.Gaussian.with_scale(3), 2) is None
    assert delta_above(hf.DiscreteLaplace.with_scale(2), 2, 1) == 0
    assert delta_above(hf.DiscreteLaplace.with_scale(2), 0, 0) == 0


def test_concentrated_losses():
    assert concentrated_loss(hf.DiscreteGaussian.with_scale(3), 2) == Fraction(2, 9)
    assert concentrated_loss(hf.Gaussian.with_scale(3), 2) == Fraction(2, 9)
    assert concentrated_loss(hf.DiscreteLaplace.with_scale(3), 2) == Fraction(2, 9)
    assert rho_of(Fraction(1, 2)) == Fraction(1, 8)


@pytest.mark.parametrize("distance", [1, 2, 4])
@pytest.mark.parametrize("law", LAWS[2:], ids=repr)
def test_renyi_divergences_are_within_rho(law, distance):
    """For orders from 1.01 to 20; half the rho is seen."""
    masses = {k: float(law.mass(k)) for k in range(-40, 41 + distance)}
    rho = float(concentrated_loss(law, distance))
    within, half = [], []
    for order in (1.01, 1.5, 2, 4, 8, 20):
        logs = [
            order * math.log(masses[k]) + (1 - order) * math.log(masses[k - distance])
            for k in range(-40 + distance, 41)
            if masses[k] and masses[k - distance]
        ]
        most = max(logs)
        divergence = (most + math.log(math.fsum(math.exp(x - most) for x in logs))) / (order - 1)
        within.append(divergence <= order * rho * (1 + 1e-9))
        half.append(divergence <= order * rho / 2)
    assert all(within)
    assert not all(half)


def test_signs_become_a_delta():
    """Two nodes at rates 1 and 2; both farther: loss 3, one each way: 1 and -1."""
    chances = {(1, 1): 0.25, (1, -1): 0.25, (-1, 1): 0.25, (-1, -1): 0.25}
    found = delta_of_signs(chances, [Bounds.exactly(1), Bounds.exactly(2)], Fraction(0))
    expected = (1 - math.exp(-3)) / 4 + (1 - math.exp(-1)) / 4
    assert float(found) == pytest.approx(expected, rel=1e-14)
    assert found >= Fraction(1, 4) * 2 - Fraction(math.exp(-3) + math.exp(-1)) / 4 - Fraction(
        1, 10**16
    )


@pytest.mark.parametrize("epsilon", [-1, "nan", True, None])
def test_what_is_no_epsilon_is_refused(epsilon):
    with pytest.raises(HoldfastError, match="epsilon"):
        delta_above(LAWS[0], 1, epsilon)
