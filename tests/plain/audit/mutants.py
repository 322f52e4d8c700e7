"""Thirteen faulty mechanisms with discrete Laplace noise; each claims epsilon 1."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from holdfast.foundation.randomness import WORD, Chance
from holdfast.noise.discrete_laplace import DiscreteLaplace
from tests.plain.audit.claim import Audited, Claim, Draws, Outputs, Table

CLAIM = Claim(Fraction(1))
REPLACED = Claim(Fraction(1), "replace-one")
UNIT = DiscreteLaplace.with_scale(1)
DOUBLE = DiscreteLaplace.with_scale(2)
ONE_CELL: tuple[Table, ...] = ((0,), (1,))
TWO_CELLS: tuple[Table, ...] = ((0, 0), (0, 1), (1, 0))
TOTAL = 3
FIXED_TOTAL: tuple[Table, ...] = tuple((a, TOTAL - a) for a in range(TOTAL))
MARK = 1000
AHEAD = 4096


def with_noise(law: DiscreteLaplace) -> Draws:
    """Return independent noise on every cell."""

    def draw(table: Table, chance: Chance, count: int) -> Outputs:
        noisy: Outputs = np.array(table) + law.draw(chance, (count, len(table)))
        return noisy

    return draw


def at_scale(scale: str) -> Callable[[], Draws]:
    return lambda: with_noise(DiscreteLaplace.with_scale(scale))


def kept(table: Table, chance: Chance, count: int, most: float) -> Outputs:
    """Return the first cell with noise, drawn again until it lies within 0, ..., most."""
    noisy = table[0] + UNIT.draw(chance, count)
    while (wrong := np.flatnonzero((noisy < 0) | (noisy > most))).size:
        noisy[wrong] = table[0] + UNIT.draw(chance, wrong.size)
    return noisy[:, None]


def resampled() -> Draws:
    """Conditions on non-negativity: the weight of what is thrown away depends on the count."""
    return lambda table, chance, count: kept(table, chance, count, math.inf)


def given_the_total() -> Draws:
    """Two cells of scale 2 given their public total and that neither is negative.

    The difference of the cells has scale 1; the second cell follows from the first.
    """
    return lambda table, chance, count: kept(table, chance, count, TOTAL)


def coins(odds: int, chance: Chance, count: int) -> Outputs:
    """Return coins that fall heads with chance 1 / odds, exactly; open words are refined."""
    cells, rest = divmod(1 << chance.width, odds)
    words = chance.words(count)
    heads = words < np.uint64(cells)
    for place in np.flatnonzero(words == np.uint64(cells)).tolist():
        heads[place] = refined(Fraction(rest, odds), chance)
    return heads


def refined(share: Fraction, chance: Chance) -> bool:
    """Return heads with this chance, word by word."""
    while share:
        scaled = share * (1 << chance.width)
        word = int(chance.words(1)[0])
        if word != int(scaled):
            return word < int(scaled)
        share = scaled - word
    return False


def marked(odds: int) -> Callable[[], Draws]:
    """Once in so many draws the true count goes out, with a mark."""

    def draw(table: Table, chance: Chance, count: int) -> Outputs:
        leaks = coins(odds, chance, count)
        noisy: Outputs = np.where(leaks, MARK + table[0], table[0] + UNIT.draw(chance, count))
        return noisy[:, None]

    return lambda: draw


def drawn_ahead() -> Draws:
    """Keeps a block of noise, and does not look whether the process has changed."""
    block = np.empty(0, dtype=np.int64)

    def draw(table: Table, chance: Chance, count: int) -> Outputs:
        nonlocal block
        while block.size < count:
            block = np.concatenate([block, UNIT.draw(chance, AHEAD)])
        taken, block = block[:count], block[count:]
        return table[0] + taken[:, None]

    return draw


def shared() -> Draws:
    """One number of noise for both cells."""
    return lambda table, chance, count: np.array(table) + UNIT.draw(chance, (count, 1))


def in_floats() -> Draws:
    """NumPy's Laplace, added in floats."""

    def draw(table: Table, chance: Chance, count: int) -> Outputs:
        seed = chance.words(4 * WORD // chance.width).tolist()
        generator = np.random.default_rng(seed)
        noisy: Outputs = np.array(table) + generator.laplace(0.0, 1.0, (count, len(table)))
        return noisy

    return draw


def one_cell(name: str, make: Callable[[], Draws], true: float) -> Audited:
    return Audited(name, CLAIM, make, ONE_CELL, true=true)


def loss_of_resampling() -> float:
    """1 + ln(1 + q - q**2), q = e**-1: 1.2091."""
    q = math.exp(-1)
    return 1 + math.log(1 + q - q * q)


def loss_given_the_total() -> float:
    """Counts 0 and 1 of 3: 1 + ln((1 + 2 q + q**2) / (1 + q + q**2 + q**3)) = 1.1863."""
    q = math.exp(-1)
    return 1 + math.log((1 + q) ** 2 / ((1 + q) * (1 + q * q)))


MUTANTS: tuple[Audited, ...] = (
    one_cell("half the noise", at_scale("0.5"), 2.0),
    one_cell("scale 0.8", at_scale("0.8"), 1.25),
    one_cell("scale 0.99", at_scale("0.99"), 1 / 0.99),
    one_cell("resampled until >= 0", resampled, loss_of_resampling()),
    Audited(
        "fixed total, conditioned >= 0",
        REPLACED,
        given_the_total,
        FIXED_TOTAL,
        true=loss_given_the_total(),
    ),
    one_cell("marker 1 %", marked(100), math.inf),
    one_cell("marker 0.1 %", marked(1000), math.inf),
    one_cell("marker 0.01 %", marked(10_000), math.inf),
    one_cell("marker 0.001 %", marked(100_000), math.inf),
    one_cell("repeated after a fork", drawn_ahead, 1.0),
    Audited("shared between cells", CLAIM, shared, TWO_CELLS, true=math.inf),
    Audited(
        "wrong relation",
        REPLACED,
        lambda: with_noise(UNIT),
        TWO_CELLS,
        true=2.0,
    ),
    one_cell("noise in floats", in_floats, math.inf),
)
