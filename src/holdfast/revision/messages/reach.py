"""How far the noise of a part is followed: a range that is left with a chance that is proven.

Claim.      Given the sums, the noise of a node is larger than r in size with at most the chance
            of the node's own law; the noise of k siblings together with at most the chance of a
            sum of k independent draws of their law.
Reason.     docs/theory/messages.md#what-is-cut-off
Checked by. tests/revision/test_messages.py
"""

import math
from fractions import Fraction
from functools import lru_cache

from holdfast.foundation.bounds import exp_bounds, float_above
from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.law import DiscreteLaw

TILTS = 256


@lru_cache(maxsize=4096)
def beyond(law: DiscreteLaw, siblings: int, radius: int) -> Fraction:
    """Return a bound on the chance that so many siblings are together beyond the radius."""
    match law:
        case DiscreteLaplace() if siblings == 1:
            return law.tail_above(radius)
        case DiscreteLaplace():
            return _chernoff(law, siblings, radius, Fraction(_best_tilt(law, siblings, radius)))
        case DiscreteGaussian(square):
            exponent = Fraction((radius + 1) ** 2) / (2 * siblings * square)
            return 2 * exp_bounds(-exponent).above


@lru_cache(maxsize=4096)
def reach(law: DiscreteLaw, siblings: int, chance: Fraction) -> int:
    """Return a radius that is left with at most this chance."""
    radius = _guess(law, siblings, math.log(chance.numerator) - math.log(chance.denominator))
    while beyond(law, siblings, radius) > chance:
        radius += 1 + radius // 64
    return radius


def _scale(law: DiscreteLaplace) -> float:
    return 1 / float_above(law.rate.above)


def _log_moment(scale: float, tilt: float) -> float:
    """Return ln E e**(tilt X) of one draw; the tilt is below 1 / scale."""
    ratio = math.exp(-1 / scale)
    grown = -math.expm1(tilt - 1 / scale) * -math.expm1(-tilt - 1 / scale)
    return 2 * math.log1p(-ratio) - math.log(grown)


def _guess(law: DiscreteLaw, siblings: int, log_chance: float) -> int:
    """Return about the smallest radius that will do."""
    wanted = math.log(2) - log_chance
    if isinstance(law, DiscreteGaussian):
        exponent = 2 * siblings * float(law.variance_parameter) * wanted
        return max(0, math.ceil(math.sqrt(exponent)) - 1)
    scale = _scale(law)
    if siblings == 1:
        return max(0, math.ceil(scale * wanted) - 1)
    tilts = (step / TILTS / scale for step in range(1, TILTS))
    return math.ceil(min((siblings * _log_moment(scale, t) + wanted) / t for t in tilts))


def _best_tilt(law: DiscreteLaplace, siblings: int, radius: int) -> float:
    """Return about the tilt that gives the smallest bound."""
    scale = _scale(law)
    tilts = [step / TILTS / scale for step in range(1, TILTS)]
    return min(tilts, key=lambda t: siblings * _log_moment(scale, t) - t * (radius + 1))


def _chernoff(law: DiscreteLaplace, siblings: int, radius: int, tilt: Fraction) -> Fraction:
    """Return 2 E(e**(tilt X))**siblings e**(-tilt (radius + 1)), rounded up."""
    rate = law.rate
    ratio = exp_bounds(-rate.above).below
    rising, falling = exp_bounds(tilt - rate.below).above, exp_bounds(-tilt - rate.below).above
    if rising >= 1:
        return Fraction(1)
    moment = (1 - ratio) ** 2 / ((1 - rising) * (1 - falling))
    logged = float_above(moment)  # a float keeps the power short; it is above the truth
    power = Fraction(logged) ** siblings if siblings < 64 else _power_above(logged, siblings)
    return min(Fraction(1), 2 * power * exp_bounds(-tilt * (radius + 1)).above)


def _power_above(number: float, power: int) -> Fraction:
    """Return a bound on a power of a number above 1, without long fractions."""
    answer, square = Fraction(1), Fraction(number)
    while power:
        if power & 1:
            answer = _short_above(answer * square)
        square = _short_above(square * square)
        power >>= 1
    return answer


def _short_above(number: Fraction) -> Fraction:
    """Return a fraction of few digits that is not below this one."""
    shift = max(number.numerator.bit_length() - number.denominator.bit_length(), 0)
    unit = Fraction(1 << shift, 1 << 128)
    return math.ceil(number / unit) * unit
