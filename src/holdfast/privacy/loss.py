"""What noise costs at a distance: pure epsilon, rho, and the delta that goes with an epsilon.

Claim.      Every number returned is at least the true one.
Reason.     docs/theory/loss.md
Checked by. tests/privacy/test_loss.py
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import assert_never

from holdfast.foundation.bounds import Bounds, exp_bounds, sqrt_bounds
from holdfast.foundation.errors import BadParameter, Fault, shown
from holdfast.foundation.exact import exact, whole
from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.gaussian import Gaussian
from holdfast.noise.laplace import Laplace
from holdfast.noise.law import DiscreteLaw, Law
from holdfast.noise.normal import gaussian_delta

DIGITS = 50


def rate(law: Law) -> Fraction | None:
    """Return the epsilon of a distance of 1, or None where no epsilon bounds the loss."""
    match law:
        case DiscreteLaplace():
            return law.rate.above
        case Laplace():
            return 1 / law.scale
        case DiscreteGaussian() | Gaussian():
            return None
        case _:
            assert_never(law)


def pure_loss(law: Law, distance: int) -> Fraction | None:
    """Return the pure epsilon at an L1 distance, or None where there is none."""
    far, each = whole(distance, "distance", least=0), rate(law)
    return None if each is None else far * each


def concentrated_loss(law: Law, distance: int) -> Fraction:
    """Return the rho (zCDP) at a distance on the line.

    Of a law with pure epsilon it is the general epsilon**2 / 2.
    """
    far = whole(distance, "distance", least=0)
    match law:
        case DiscreteGaussian(square) | Gaussian(square):
            return far**2 / (2 * square)
        case DiscreteLaplace() | Laplace():
            return rho_of(far * (rate(law) or Fraction(0)))
        case _:
            assert_never(law)


def rho_of(epsilon: Fraction) -> Fraction:
    """Return the rho that every mechanism with this pure epsilon has."""
    return epsilon**2 / 2


def delta_above(law: Law, distance: int, epsilon: object) -> Fraction:
    """Return the delta that goes with an epsilon, at a distance on the line."""
    far, spent = whole(distance, "distance", least=0), exact(epsilon, "epsilon")
    if spent < 0:
        raise BadParameter(Fault("epsilon", "a number of at least 0", shown(spent), "Use 0."))
    if far == 0:
        return Fraction(0)
    match law:
        case DiscreteLaplace() | DiscreteGaussian():
            return _by_cumulative(law, far, spent)
        case Laplace(scale):
            return _laplace(far / scale, spent)
        case Gaussian(square):
            return gaussian_delta(sqrt_bounds(far**2 / square, DIGITS).above, spent, DIGITS).above
        case _:
            assert_never(law)


def _laplace(epsilon: Fraction, spent: Fraction) -> Fraction:
    """Return 1 - e**((spent - epsilon) / 2), or 0 where the whole epsilon is spent."""
    if spent >= epsilon:
        return Fraction(0)
    return 1 - exp_bounds((spent - epsilon) / 2, DIGITS).below


def _by_cumulative(law: DiscreteLaw, far: int, spent: Fraction) -> Fraction:
    """Return the largest F(k) - e**spent F(k - far): the loss falls with k.

    It is largest at the last k whose loss is above what is spent; a bound on the place of that
    k, a unit wide, gives a few to look at.
    """
    power = exp_bounds(spent, DIGITS).below
    last = _last_above(law, far, spent)
    found = (
        law.cumulative(k).above - power * law.cumulative(k - far).below
        for k in range(math.floor(last.below) - 1, math.ceil(last.above) + 1)
    )
    pure = pure_loss(law, far)
    return Fraction(0) if pure is not None and pure <= spent else max(Fraction(0), *found)


def _last_above(law: DiscreteLaw, far: int, spent: Fraction) -> Bounds:
    """Return where the loss passes what is spent, as a real number."""
    if isinstance(law, DiscreteGaussian):
        return Bounds.exactly(Fraction(far, 2) - spent * law.variance_parameter / far)
    slope = law.rate
    if spent == 0:
        return Bounds.exactly(Fraction(far, 2))
    return Bounds((far - spent / slope.below) / 2, (far - spent / slope.above) / 2)


def delta_of_signs(
    patterns: Mapping[tuple[int, ...], float], rates: Sequence[Bounds], epsilon: Fraction
) -> Fraction:
    """Return the mean of 1 - e**(epsilon - loss) where that is above 0.

    A pattern says for each node moved whether its noise goes farther from 0 (1) or nearer (-1);
    the loss is the sum of the rates of those that go farther less those that go nearer.
    """
    found = Fraction(0)
    for signs, chance in patterns.items():
        pairs = zip(signs, rates, strict=True)
        loss = sum((r.above if sign > 0 else -r.below for sign, r in pairs), Fraction(0))
        if loss > epsilon:
            found += Fraction(chance) * (1 - exp_bounds(epsilon - loss, DIGITS).below)
    return found
