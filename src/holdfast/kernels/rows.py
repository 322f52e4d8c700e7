"""Tables of many laws at once: a row for each law, a uniform word for each draw.

A row is a list of cumulative chances, known up to a margin. A word that is clear of every
chance by the margin has its outcome; the others are left open.

Claim.      A settled word's outcome is the number of true cumulative chances at or below it. A
            word beyond the last chance of its row is left open.
Reason.     docs/theory/messages.md#what-is-drawn
Checked by. tests/kernels/test_rows.py
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
BITS = 48  # of a word that a table looks at
MIXED = np.iinfo(np.int16).min
GUIDE_CELLS = 1 << 19  # one mebibyte: the fastest caches hold it
UNIT = 2.0**-53


@dataclass(frozen=True, eq=False, slots=True)
class RowTable:
    """Keys in order, the row in the upper bits; and the outcome of each slot of words."""

    keys: Integers
    guide: npt.NDArray[np.int16]
    guide_bits: int
    columns: int
    margin: int


def row_table(weights: Floats, totals: Floats, roundings: int) -> RowTable:
    """Return the table of rows of weights; a row's total may include weights not listed.

    `roundings` bounds those in a weight and in a total, one upon the other.
    """
    rows, columns = weights.shape
    cumulative = np.cumsum(weights, axis=1) / totals[:, None]
    floors = np.minimum(cumulative, 1.0) * float(1 << BITS)
    margin = 2 + int((columns + roundings + 4) * UNIT * (1 << BITS))
    bits = max(6, min(12, (GUIDE_CELLS // max(rows, 1)).bit_length() - 1))
    keys = floors.astype(np.int64)
    keys += np.arange(rows)[:, None] << BITS
    flat = keys.reshape(-1)
    return RowTable(flat, _guide(flat, rows, columns, bits, margin), bits, columns, margin)


def _guide(
    keys: Integers, rows: int, columns: int, bits: int, margin: int
) -> npt.NDArray[np.int16]:
    """Return the outcome of each slot that no chance comes near, else MIXED."""
    shift, slots = BITS - bits, rows << bits
    inside = keys >> shift
    passed = np.cumsum(np.bincount(np.minimum(inside, slots - 1), minlength=slots))
    outcome = passed - np.repeat(np.arange(rows) * columns, 1 << bits)
    answer = outcome.astype(np.int16)
    answer[outcome >= columns] = MIXED
    for moved in (-margin, margin):
        answer[np.clip((keys + moved) >> shift, 0, slots - 1)] = MIXED
    return answer


def look_up(
    table: RowTable, rows: Integers, words: npt.NDArray[np.uint64]
) -> tuple[Integers, Integers]:
    """Return the outcome of each word in its row, and the positions left open.

    The words have 64 bits.
    """
    slots = (words >> np.uint64(64 - table.guide_bits)).view(np.int64)
    slots += rows << table.guide_bits
    told = table.guide.take(slots)
    mixed = np.flatnonzero(told < 0)
    outcomes = told.astype(np.int64)
    if not mixed.size:
        return outcomes, mixed
    key = (words[mixed] >> np.uint64(64 - BITS)).view(np.int64)
    row = rows[mixed]
    key += row << BITS
    found = np.searchsorted(table.keys, key - table.margin)
    beyond = np.searchsorted(table.keys, key + table.margin, side="right")
    outcome = found - row * table.columns
    outcomes[mixed] = outcome
    return outcomes, mixed[(found != beyond) | (outcome >= table.columns)]
