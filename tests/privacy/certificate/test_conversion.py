"""From rho to epsilon: never below what a Gaussian mechanism of this rho needs.

If this failed, an epsilon would be told that the noise does not keep.
"""

import math
from fractions import Fraction

import pytest

from holdfast.noise.gaussian import Gaussian
from holdfast.privacy.certificate import conversion
from holdfast.privacy.certificate.conversion import epsilon_above
from holdfast.privacy.loss import delta_above

RHOS = [Fraction(1, 1000), Fraction(1, 100), Fraction(1, 10), Fraction(1, 2), Fraction(2), 10]
DELTAS = [Fraction(1, 10**n) for n in (2, 6, 10, 20)]


def needed(rho, epsilon) -> Fraction:
    """Return the exact delta of the Gaussian mechanism of this rho, distance 1."""
    return delta_above(Gaussian(1 / (2 * Fraction(rho))), 1, epsilon)


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("delta", DELTAS)
def test_a_gaussian_keeps_the_epsilon_told(rho, delta):
    """And it is not far from the least: half the epsilon is too little for small deltas."""
    epsilon = epsilon_above(Fraction(rho), delta)
    assert needed(rho, epsilon) <= delta
    assert delta > Fraction(1, 10**6) or needed(rho, epsilon / 2) > delta


def test_the_choice_of_the_order_is_never_unsafe(monkeypatch):
    """A poor order costs."""
    honest = epsilon_above(Fraction(1, 10), DELTAS[1])
    for order in (1.5, 2.0, 1000.0):
        monkeypatch.setattr(conversion, "_order", lambda *_, order=order: order)
        assert epsilon_above(Fraction(1, 10), DELTAS[1]) > honest


@pytest.mark.parametrize("share", [Fraction(1, 2), Fraction(3, 4)])
def test_the_comparison_barks(share):
    """A smaller epsilon does not keep a small delta."""
    for rho in RHOS[1:5]:
        epsilon = epsilon_above(Fraction(rho), DELTAS[2])
        assert needed(rho, epsilon * share) > DELTAS[2]


def test_it_is_better_than_the_textbook():
    """rho + 2 sqrt(rho ln(1/delta)), Bun and Steinke 2016."""
    for rho in RHOS:
        for delta in DELTAS:
            textbook = float(rho) + 2 * (float(rho) * -_ln(delta)) ** 0.5
            assert float(epsilon_above(Fraction(rho), delta)) <= textbook


def _ln(number) -> float:
    return math.log(number)


def test_no_loss_is_no_epsilon():
    assert epsilon_above(Fraction(0), DELTAS[0]) == 0
