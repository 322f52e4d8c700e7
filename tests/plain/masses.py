"""Masses of the discrete laws by the definition, with exponentials by Taylor's sum."""

from fractions import Fraction

from holdfast.foundation.bounds import Bounds

TERMS = 60
GRID = 1 << 300  # bounds are rounded outwards to it, or the fractions would grow without end


def exp(x: Fraction) -> Bounds:
    """Return e**x for x <= 0 between two of Taylor's sums of e**-x, inverted."""
    size = -x
    pieces = int(size) + 1
    small = size / pieces
    term = total = Fraction(1)
    for n in range(1, TERMS):
        term = term * small / n
        total += term
    above = total + 2 * term  # small <= 1: what follows is at most the last term
    low, high = Fraction(1), Fraction(1)
    for _ in range(pieces):
        low = Fraction(int(low / above * GRID), GRID)
        high = Fraction(int(high / total * GRID) + 1, GRID)
    return Bounds(low, high)


def discrete_laplace(ratio: Bounds, reach: int) -> dict[int, Bounds]:
    """Return (1 - r) / (1 + r) * r**|k| for |k| up to `reach`."""
    low, high = ratio.below, ratio.above
    return {
        k: Bounds((1 - high) / (1 + high) * low ** abs(k), (1 - low) / (1 + low) * high ** abs(k))
        for k in range(-reach, reach + 1)
    }


def discrete_gaussian(square: Fraction, reach: int) -> dict[int, Bounds]:
    """Return the normalised weights for |k| up to `reach`; more than that must weigh little."""
    far = 3 * reach
    weights = {k: exp(Fraction(-k * k) / (2 * square)) for k in range(-far, far + 1)}
    below = sum(weight.below for weight in weights.values())
    above = sum(weight.above for weight in weights.values())
    above += 4 * weights[far].above  # the weights beyond fall faster than by halves
    return {
        k: Bounds(weights[k].below / above, weights[k].above / below)
        for k in range(-reach, reach + 1)
    }
