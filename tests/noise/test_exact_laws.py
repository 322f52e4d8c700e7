"""Each sampler's exact law, found by running it on every tape, is its mass.

False alarms: none, nothing here is random. What is left open is stated in each assertion.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from holdfast.foundation.bounds import Bounds
from holdfast.foundation.randomness import Chance, Tape
from holdfast.noise import digits, discrete_gaussian, discrete_laplace
from holdfast.noise.blocks import Block
from holdfast.noise.digits import LeadingDigit, LowerDigit, Ratio
from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.inversion import Inversion, inversion
from tests.plain import canonne_kamath_steinke as cks
from tests.plain import masses
from tests.plain.enumeration import agrees, law

Sampler = Callable[[Tape], int]
HALF = Ratio(Fraction(1, 2), exponential=False)
THIRD = Ratio(Fraction(1, 3), exponential=False)
SCALE_2 = Ratio(Fraction(1, 2), exponential=True)
RATIOS = [HALF, THIRD, SCALE_2, Ratio(Fraction(5, 7), exponential=False)]


def plain_ratio(ratio: Ratio) -> Bounds:
    return masses.exp(-ratio.value) if ratio.exponential else Bounds.exactly(ratio.value)


def laplace_by_digits(ratio: Ratio, step: int) -> Sampler:
    """The house's tables, with a step that the house would only take at larger scales."""
    tables = discrete_laplace._Tables(LeadingDigit(ratio, step), digits.lower_digits(ratio, step))
    return lambda chance: int(tables.draw(chance, 1)[0])


@pytest.mark.parametrize("ratio", RATIOS)
def test_discrete_laplace_without_lower_digits(ratio):
    """The law of one table, signs included."""
    expected = masses.discrete_laplace(plain_ratio(ratio), reach=40)
    right, left = agrees(laplace_by_digits(ratio, 1), expected, depth=7, width=4)
    assert right
    assert left < Fraction(1, 10**5)


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize(("outcomes", "depth"), [(2, 7), (512, 6)])
def test_discrete_laplace_with_lower_digits(ratio, outcomes, depth, monkeypatch):
    """The digits are independent: one lower digit of base 4, or two of base 2."""
    monkeypatch.setattr(digits, "MOST_OUTCOMES", outcomes)
    expected = masses.discrete_laplace(plain_ratio(ratio), reach=40)
    right, left = agrees(laplace_by_digits(ratio, 4), expected, depth, width=3)
    assert right
    assert left < Fraction(1, 200)


def test_discrete_laplace_by_its_own_name():
    """The public name gives the same law; four bits a word."""
    given = DiscreteLaplace.with_scale(2)
    expected = masses.discrete_laplace(masses.exp(Fraction(-1, 2)), reach=60)
    right, left = agrees(lambda chance: given.draw(chance), expected, depth=7, width=4)
    assert right
    assert left < Fraction(1, 10**5)


def test_two_cells_of_one_draw_are_independent():
    """A joint law: noise shared between cells would show here."""
    given = DiscreteLaplace.with_ratio(Fraction(1, 2))
    found, left = law(lambda chance: tuple(given.draw(chance, 2).tolist()), depth=6, width=3)
    for j in range(-3, 4):
        for k in range(-3, 4):
            mass = Fraction(1, 9) * Fraction(1, 2) ** (abs(j) + abs(k))
            assert found.get((j, k), 0) <= mass <= found.get((j, k), 0) + left
    assert left < Fraction(1, 50)


def forgets_that_minus_zero_is_no_value(ratio: Ratio, step: int) -> Sampler:
    """Zero comes twice as often, once for each sign."""
    leading = inversion(LeadingDigit(ratio, step), 4)

    def draw(chance: Chance) -> int:
        outcome = int(leading.draw(chance, 1)[0])
        return -(outcome >> 1) if outcome & 1 else outcome >> 1

    return draw


def doubles_the_scale(ratio: Ratio, step: int) -> Sampler:
    return laplace_by_digits(Ratio(ratio.value / 2, ratio.exponential), step)


def forgets_the_sign(ratio: Ratio, step: int) -> Sampler:
    right = laplace_by_digits(ratio, step)
    return lambda chance: abs(right(chance))


def settles_open_words(ratio: Ratio, step: int) -> Sampler:
    """Rounds: a word that does not settle its outcome is not refined."""

    class Rounded(Inversion):
        def _refine(self, prefix: int, chance: Chance) -> int:
            return int(np.searchsorted(self._floors, prefix))

    table = Rounded(LeadingDigit(ratio, step), 4)

    def draw(chance: Chance) -> int:
        outcome = int(table.draw(chance, 1)[0])
        return (outcome >> 1) ^ -(outcome & 1)

    return draw


@pytest.mark.parametrize(
    "sabotage",
    [
        forgets_that_minus_zero_is_no_value,
        doubles_the_scale,
        forgets_the_sign,
        settles_open_words,
    ],
)
def test_the_laplace_test_barks(sabotage):
    """A wrong sampler is caught by the comparison above."""
    expected = masses.discrete_laplace(Bounds.exactly(Fraction(1, 3)), reach=40)
    assert not agrees(sabotage(THIRD, 1), expected, depth=7, width=4)[0]


def with_a_uniform_lower_digit(chance: Chance) -> int:
    leading = inversion(LeadingDigit(SCALE_2, 4), chance.width)
    outcome = int(leading.draw(chance, 1)[0])
    return ((outcome >> 1) * 4 + chance.below(4)) ^ -(outcome & 1)


def with_the_leading_step_forgotten(chance: Chance) -> int:
    outcome = int(inversion(LeadingDigit(SCALE_2, 4), chance.width).draw(chance, 1)[0])
    low = int(inversion(LowerDigit(SCALE_2, 1, 4), chance.width).draw(chance, 1)[0])
    return ((outcome >> 1) + low) ^ -(outcome & 1)


def with_the_lower_digit_of_another_scale(chance: Chance) -> int:
    outcome = int(inversion(LeadingDigit(SCALE_2, 4), chance.width).draw(chance, 1)[0])
    low = int(inversion(LowerDigit(SCALE_2, 2, 4), chance.width).draw(chance, 1)[0])
    return ((outcome >> 1) * 4 + low) ^ -(outcome & 1)


@pytest.mark.parametrize(
    "sabotage",
    [
        with_a_uniform_lower_digit,
        with_the_leading_step_forgotten,
        with_the_lower_digit_of_another_scale,
    ],
)
def test_the_digits_test_barks(sabotage):
    expected = masses.discrete_laplace(plain_ratio(SCALE_2), reach=40)
    assert not agrees(sabotage, expected, depth=6, width=3)[0]


def gaussian_by_blocks(square: Fraction, length: int) -> Sampler:
    """The house's sampler, with blocks that the house would only take at larger sigma."""
    return lambda chance: int(discrete_gaussian._draw(Block(square, length), chance, 1)[0])


SQUARES = [Fraction(1, 2), Fraction(9, 4)]


@pytest.mark.parametrize("square", SQUARES)
def test_discrete_gaussian_without_blocks(square):
    expected = masses.discrete_gaussian(square, reach=16)
    right, left = agrees(gaussian_by_blocks(square, 1), expected, depth=7, width=4)
    assert right
    assert left < Fraction(1, 10**5)


@pytest.mark.parametrize("square", SQUARES)
def test_discrete_gaussian_by_blocks(square):
    """Block, place and coin; eight answers of two bits, so that a second try is seen too."""
    expected = masses.discrete_gaussian(square, reach=16)
    right, left = agrees(gaussian_by_blocks(square, 2), expected, depth=8, width=2)
    assert right
    assert left < Fraction(1, 4)


def test_discrete_gaussian_by_its_own_name():
    given = DiscreteGaussian.with_scale(1)
    expected = masses.discrete_gaussian(Fraction(1), reach=16)
    right, left = agrees(lambda chance: given.draw(chance), expected, depth=7, width=4)
    assert right
    assert left < Fraction(1, 10**5)


def one_try(block: Block) -> Callable[[Tape], int | None]:
    """One proposal with its coin: the value, or None where it is drawn again."""

    def attempt(chance: Tape) -> int | None:
        drawn = discrete_gaussian._propose(block, chance, 1)
        kept = discrete_gaussian._keep(block, drawn, chance)[0]
        return int(drawn[0][0]) if kept else None

    return attempt


def tries_agree(attempt: Callable[[Tape], int | None], square: Fraction) -> bool:
    """Return whether the kept values of one try can have the law; a finer test than the loop's."""
    found, left = law(attempt, depth=8, width=2)
    kept = sum(chance for value, chance in found.items() if value is not None)
    assert left < Fraction(1, 100)
    return all(
        found.get(k, 0) <= mass.above * (kept + left)
        and mass.below * kept <= found.get(k, 0) + left
        for k, mass in masses.discrete_gaussian(square, reach=16).items()
    )


@pytest.mark.parametrize("square", SQUARES)
def test_one_try_of_the_blocks_keeps_the_law(square):
    assert tries_agree(one_try(Block(square, 2)), square)


def keeps_by_the_wrong_nearest_size(square: Fraction, chance: Tape) -> int | None:
    block = Block(square, 2)
    value, place, nearest = discrete_gaussian._propose(block, chance, 1)
    kept = discrete_gaussian._keep(block, (value, place, nearest + 1), chance)[0]
    return int(value[0]) if kept else None


def keeps_with_half_the_chance_missing(square: Fraction, chance: Tape) -> int | None:
    value, place, nearest = discrete_gaussian._propose(Block(square, 2), chance, 1)
    kept = discrete_gaussian._keep(Block(2 * square, 2), (value, place, nearest), chance)[0]
    return int(value[0]) if kept else None


def weighs_the_negative_side_like_the_positive(square: Fraction, chance: Tape) -> int | None:
    value, place, nearest = discrete_gaussian._propose(Block(square, 2), chance, 1)
    kept = discrete_gaussian._keep(Block(square, 2), (value, place, nearest), chance)[0]
    return int(-place[0] if value[0] < 0 and nearest[0] < 2 else value[0]) if kept else None


@pytest.mark.parametrize(
    "sabotage",
    [
        keeps_by_the_wrong_nearest_size,
        keeps_with_half_the_chance_missing,
        weighs_the_negative_side_like_the_positive,
    ],
)
def test_the_test_of_one_try_barks(sabotage):
    square = Fraction(9, 4)
    assert not tries_agree(lambda chance: sabotage(square, chance), square)


def keeps_every_place(square: Fraction, chance: Chance) -> int:
    return int(discrete_gaussian._propose(Block(square, 2), chance, 1)[0][0])


def takes_sigma_for_its_square(square: Fraction, chance: Chance) -> int:
    return gaussian_by_blocks(square**2, 2)(chance)


def never_negative(square: Fraction, chance: Chance) -> int:
    return abs(gaussian_by_blocks(square, 2)(chance))


@pytest.mark.parametrize(
    "sabotage",
    [
        keeps_every_place,
        takes_sigma_for_its_square,
        never_negative,
    ],
)
def test_the_gaussian_test_barks(sabotage):
    square = Fraction(9, 4)
    expected = masses.discrete_gaussian(square, reach=16)
    assert not agrees(lambda chance: sabotage(square, chance), expected, depth=8, width=2)[0]


def test_the_samplers_of_canonne_kamath_steinke_have_the_same_laws():
    """An independent road to the same laws: the published samplers, tape by tape."""
    expected = masses.discrete_laplace(masses.exp(Fraction(-1, 2)), reach=30)
    right, left = agrees(
        lambda chance: cks.discrete_laplace(Fraction(2), chance), expected, depth=13, width=1
    )
    assert right
    assert left < Fraction(1, 4)
    bell = masses.discrete_gaussian(Fraction(1), reach=16)
    right, left = agrees(
        lambda chance: cks.discrete_gaussian(Fraction(1), chance), bell, depth=11, width=1
    )
    assert right
    assert left < Fraction(2, 3)
