"""The exact loss of noise conditioned on non-negativity, on all small tables, in fractions.

The ratio r of the noise is rational, so that every chance is; the claim is r**distance. False
alarms: none. Sees any loss above the claim, however small, where the law is written down here.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product

from tests.plain.audit.claim import Claim, Table

Law = dict[Table, Fraction]


def tables(cells: int, total: int) -> tuple[Table, ...]:
    """Return all tables of so many counts that add up to `total`."""
    every = product(range(total + 1), repeat=cells)
    return tuple(table for table in every if sum(table) == total)


@cache
def given_the_total(table: Table, ratio: Fraction) -> Law:
    """Return the law of the noisy table given its total and that no count is negative."""
    weights = {
        out: ratio ** sum(abs(a - b) for a, b in zip(out, table, strict=True))
        for out in tables(len(table), sum(table))
    }
    return {out: weight / sum(weights.values()) for out, weight in weights.items()}


@cache
def resampled(count: int, ratio: Fraction, reach: int) -> Law:
    """Return the law of one count drawn until it is >= 0, up to `reach`; the tail is summed."""
    tail = ratio ** (reach + 1 - count) / (1 - ratio)
    weights = {(out,): ratio ** abs(out - count) for out in range(reach + 1)}
    whole = sum(weights.values()) + tail
    return {out: weight / whole for out, weight in weights.items()}


def pairs(cells: int, total: int) -> Iterator[tuple[Table, Table]]:
    """Yield the tables of one total that differ by one person exchanged."""
    claim = Claim(Fraction(1), "replace-one")
    for one in tables(cells, total):
        for other in tables(cells, total):
            if claim.neighbours(one, other):
                yield one, other


def worst_ratio(one: Law, other: Law) -> Fraction:
    """Return the largest ratio of chances; both laws list the same outcomes."""
    return max(chance / other[out] for out, chance in one.items())
