"""The samplers of Canonne, Kamath and Steinke (2020), one small uniform number at a time."""

from fractions import Fraction

from holdfast.foundation.randomness import Chance


def bernoulli(chance_of_true: Fraction, chance: Chance) -> bool:
    return chance.below(chance_of_true.denominator) < chance_of_true.numerator


def bernoulli_exp(x: Fraction, chance: Chance) -> bool:
    """Return True with chance e**-x for x >= 0."""
    while x > 1:
        if not bernoulli_exp(Fraction(1), chance):
            return False
        x -= 1
    k = 1
    while bernoulli(x / k, chance):
        k += 1
    return k % 2 == 1


def discrete_laplace(scale: Fraction, chance: Chance) -> int:
    """Return k with weight e**(-|k| / scale)."""
    t, s = scale.numerator, scale.denominator
    while True:
        u = chance.below(t)
        if not bernoulli_exp(Fraction(u, t), chance):
            continue
        v = 0
        while bernoulli_exp(Fraction(1), chance):
            v += 1
        size = (u + t * v) // s
        negative = chance.below(2)
        if not (negative and size == 0):
            return -size if negative else size


def discrete_gaussian(square: Fraction, chance: Chance) -> int:
    """Return k with weight e**(-k**2 / (2 square))."""
    t = int(square**0.5) + 1
    while True:
        y = discrete_laplace(Fraction(t), chance)
        if bernoulli_exp((abs(y) - square / t) ** 2 / (2 * square), chance):
            return y
