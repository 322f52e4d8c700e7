"""Coins fall heads with chance e**(-x) exactly."""

from fractions import Fraction

import numpy as np
import pytest

from holdfast.foundation.randomness import Tape, system_chance, tape
from holdfast.kernels.exponential import MARGIN
from holdfast.noise import coin
from holdfast.noise.coin import heads, toss
from tests.plain import canonne_kamath_steinke as cks
from tests.plain import masses
from tests.plain.enumeration import law

EXPONENTS = [Fraction(0), Fraction(1, 7), Fraction(2, 3), Fraction(3), Fraction(70)]


def agrees(sampler, x: Fraction, depth: int, width: int) -> bool:
    found, left = law(sampler, depth, width)
    true = masses.exp(-x)
    assert left <= Fraction(1, 1000)
    return found.get(True, 0) <= true.above and true.below <= found.get(True, 0) + left


@pytest.mark.parametrize("x", EXPONENTS)
@pytest.mark.parametrize("width", [1, 4])
def test_one_coin_on_every_tape(x, width):
    assert agrees(lambda chance: toss(x, chance), x, depth=16 // width, width=width)


@pytest.mark.parametrize("x", EXPONENTS)
def test_many_coins_on_every_tape(x):
    """The vectorised coin, on the same tapes."""

    def sampler(chance: Tape) -> bool:
        one = np.array([x.numerator], dtype=np.int64)
        return bool(heads(one, np.ones_like(one), Fraction(x.denominator), chance)[0])

    assert agrees(sampler, x, depth=4, width=4)


def falls_by_twice_the_exponent(x: Fraction, chance: Tape) -> bool:
    return toss(2 * x, chance)


def settles_at_once(x: Fraction, chance: Tape) -> bool:
    """Rounds: never asks for a second word."""
    return bool(int(chance.words(1)[0]) < float(masses.exp(-x)) * 2**chance.width)


def falls_the_other_way(x: Fraction, chance: Tape) -> bool:
    return not toss(x, chance)


@pytest.mark.parametrize(
    "sabotage", [falls_by_twice_the_exponent, settles_at_once, falls_the_other_way]
)
def test_the_test_barks(sabotage):
    x = Fraction(2, 3)
    assert not agrees(lambda chance: sabotage(x, chance), x, depth=4, width=4)


def test_the_coin_of_canonne_kamath_steinke_has_the_same_chance():
    """Their coin asks small questions; ten of them settle all but one tape in 3000."""
    x = Fraction(2, 3)
    found, left = law(lambda chance: cks.bernoulli_exp(x, chance), depth=7, width=1)
    true = masses.exp(-x)
    assert found[True] <= true.above
    assert true.below <= found[True] + left
    assert left < Fraction(1, 100)


def test_words_next_to_the_chance_are_decided_in_fractions(monkeypatch):
    """A word within the margin of the float must reach the exact comparison, both ways."""
    asked = []
    exact = coin._toss
    monkeypatch.setattr(coin, "_toss", lambda *given: asked.append(given) or exact(*given))
    one = np.ones(1, dtype=np.int64)
    likely = int(masses.exp(Fraction(-1, 3)).below * 2**64)
    near = tape([likely - 1000, 0])
    assert heads(one, one, Fraction(3), near)[0]
    assert not heads(one, one, Fraction(3), tape([likely + 1000, 0]))[0]
    assert len(asked) == 2
    far = likely - int(4 * MARGIN * 2**64)
    assert heads(one, one, Fraction(3), tape([far]))[0]
    assert len(asked) == 2


def test_large_factors_do_not_overflow():
    """Factors up to 2**53 multiply beyond 64 bits; the coin still has its chance."""
    big = np.full(1, 2**52, dtype=np.int64)
    assert heads(big, big, Fraction(2**110), system_chance()).shape == (1,)
    always = heads(big, big, Fraction(2**200), tape([0]))
    assert always[0]
    assert not heads(big, big, Fraction(1), tape([2**64 - 1]))[0]


def test_far_exponents_are_many_coins():
    """e**(-x) for huge x: decided, and never by an endless expansion."""
    assert not toss(Fraction(2**70), system_chance())
    assert not toss(Fraction(10**5), tape([0] + [2**63] * 200))
    one = np.full(1, 2**40, dtype=np.int64)
    assert not heads(one, one, Fraction(1), tape([0] + [2**63] * 200))[0]
