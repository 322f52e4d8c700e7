"""Weights of the discrete Gaussian: what is listed, and the bound on what is not."""

from fractions import Fraction
from itertools import islice

import pytest

from holdfast.noise.blocks import Block, half_line, rest_above, sums
from holdfast.noise.digits import LeadingDigit, LowerDigit, Ratio
from holdfast.noise.inversion import floors
from tests.plain import masses

PRECISION = 90
UNIT = 1 << PRECISION


@pytest.mark.parametrize(("square", "start", "step"), [("9/4", 0, 1), ("100", 1, 4), ("1/8", 1, 2)])
def test_weights_are_what_they_say(square, start, step):
    square = Fraction(square)
    for number, (weight, _) in enumerate(islice(half_line(square, start, step, PRECISION), 12)):
        size = start + number * step
        true = masses.exp(Fraction(-size * size) / (2 * square))
        assert Fraction(weight.below, UNIT) <= true.above
        assert true.below <= Fraction(weight.above, UNIT)
        assert weight.above - weight.below < 40


@pytest.mark.parametrize("block", [Block(Fraction(9, 4), 1), Block(Fraction(100), 4)])
def test_what_is_not_listed_weighs_at_most_the_rest(block):
    weights = block.weigh(40)
    blocks = len(weights.listed) // 2
    sizes = [blocks * block.length + s + n * block.length for n in range(60) for s in (0, 1)]
    tail = sum(masses.exp(Fraction(-size * size) / (2 * block.square)).above for size in sizes)
    assert tail * (1 << 40) <= weights.rest


def test_the_rest_test_barks():
    """A rest that counts the next weight alone is too small."""
    square = Fraction(100)
    weight, fall = next(half_line(square, 0, 1, 40))
    tail = sum(masses.exp(Fraction(-k * k) / (2 * square)).below for k in range(60))
    assert weight.above < tail * (1 << 40) <= rest_above(weight, fall)


@pytest.mark.parametrize("ratio", [Ratio(Fraction(2, 3), False), Ratio(Fraction(1, 5), True)])
def test_floors_of_digits_are_exact(ratio):
    """Every floor against the cumulative in fractions; both kinds of digit."""
    r = masses.exp(-ratio.value) if ratio.exponential else masses.Bounds.exactly(ratio.value)
    leading = LeadingDigit(ratio, 1)
    for outcome, floor in enumerate(floors(leading, 12)):
        digit, negative = divmod(outcome, 2)
        if negative:
            low, high = 1 - r.above ** (digit + 1), 1 - r.below ** (digit + 1)
        else:
            low = 1 - 2 * r.above ** (digit + 1) / (1 + r.above)
            high = 1 - 2 * r.below ** (digit + 1) / (1 + r.below)
        assert floor == int(low * 4096) == int(high * 4096)
    lower = floors(LowerDigit(ratio, 1, 8), 12)
    assert len(lower) == 7
    for outcome, floor in enumerate(lower):
        both = [(1 - q ** (outcome + 1)) / (1 - q**8) for q in (r.below, r.above)]
        assert floor == int(both[0] * 4096) == int(both[1] * 4096)


@pytest.mark.parametrize("ratio", [Fraction(1, 2), Fraction(1, 3), Fraction(3, 4)])
def test_floors_at_dyadic_chances_are_exact(ratio):
    """1/3 has a cumulative of exactly 3/4 after the first outcome: no precision decides it."""
    exact = floors(LeadingDigit(Ratio(ratio, exponential=False), 1), 16)
    digit = LeadingDigit(Ratio(ratio, exponential=False), 1)
    for outcome, floor in enumerate(exact):
        chance = digit.cumulative(outcome)
        assert chance is not None
        assert floor == chance.numerator * 2**16 // chance.denominator


def test_sums_over_the_half_line():
    found = sums(Fraction(4), 200)
    weights = [masses.exp(Fraction(-k * k, 8)) for k in range(60)]
    for k in (1, 2, 7, 30):
        true = sum(weight.below for weight in weights[k:])
        beyond = found.beyond(k)
        assert Fraction(beyond.below, 1 << 200) <= true + Fraction(1, 10**40)
        assert true <= Fraction(beyond.above, 1 << 200)
    square = sum(k * k * weight.below for k, weight in enumerate(weights))
    assert Fraction(found.square.below, 1 << 200) <= square + Fraction(1, 10**40)
    assert square <= Fraction(found.square.above, 1 << 200)
