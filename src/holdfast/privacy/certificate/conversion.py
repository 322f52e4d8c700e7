"""From rho to epsilon: what a delta buys.

Claim.      A rho-zCDP mechanism is (epsilon, delta) differentially private with the epsilon
            returned.
Reason.     docs/theory/certificates.md#conversion
Checked by. tests/privacy/certificate/test_conversion.py
"""

import math
from fractions import Fraction

from holdfast.foundation.bounds import float_above, ln_bounds, short_above

STEPS = 200


def epsilon_above(rho: Fraction, delta: Fraction) -> Fraction:
    """Return rho a + (ln(1/delta) - ln a) / (a - 1) + ln(1 - 1/a), at an order a that serves.

    Every order a > 1 gives a true statement; floats only choose among them.
    """
    if rho == 0:
        return Fraction(0)
    order = Fraction(_order(float_above(rho), -math.log(float_above(delta)))).limit_denominator(
        10**6
    )
    loss = ln_bounds(1 / delta).above - ln_bounds(order).below
    found = order * rho + loss / (order - 1) + ln_bounds(1 - 1 / order).above
    return short_above(max(found, Fraction(0)))


def _order(rho: float, logged: float) -> float:
    """Return about the order with the least epsilon, by narrowing where the slope changes sign."""
    low, high = 1 + 1e-4, 2 + math.sqrt(logged / rho) * 4 + 8
    for _ in range(STEPS):
        one, other = (2 * low + high) / 3, (low + 2 * high) / 3
        if _epsilon(rho, logged, one) < _epsilon(rho, logged, other):
            high = other
        else:
            low = one
    return max(low, 1 + 1e-4)


def _epsilon(rho: float, logged: float, order: float) -> float:
    return order * rho + (logged - math.log(order)) / (order - 1) + math.log1p(-1 / order)
