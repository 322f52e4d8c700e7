"""Uniform weak compositions: whole numbers of at least 0 with a given sum, all equally likely.

A composition of a total into so many parts is a row of stars with bars between the parts. Every
place of the row draws a number, and the bars stand where the smallest ones are; where the last
bar's number comes twice, the row is drawn again.

Claim.      Every composition has the same chance, exactly.
Reason.     docs/theory/closed_forms.md#uniform-compositions
Checked by. tests/revision/test_closed_form.py
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadParameter, Fault
from holdfast.foundation.randomness import WORD, Chance

Integers = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.uint64 | np.uint32]
MOST = (1 << 32) - 1  # above every number that a place draws, and the most places of a row
PLACES = 1 << 16  # of rows drawn together: they stay in the cache


def compositions(totals: Integers, parts: int, chance: Chance) -> Integers:
    """Return for each total a uniform weak composition into so many parts, one a row."""
    answer = np.empty((totals.size, parts), dtype=np.int64)
    if parts == 1 or not totals.size:
        answer[:, :1] = totals[:, None]
        return answer
    if int(totals.max()) + parts > MOST:
        raise BadParameter(
            Fault("total", "totals below 2**32", "a larger one", "Count in a larger unit.")
        )
    waiting = np.argsort(totals, kind="stable")  # rows of about one length are drawn together
    while waiting.size:
        again = [_draw(answer, totals, rows, chance) for rows in _blocks(totals, waiting, parts)]
        waiting = np.concatenate(again)
    return answer


def _blocks(totals: Integers, rows: Integers, parts: int) -> Iterator[Integers]:
    """Yield the rows, in runs that have about so many places together."""
    runs = np.cumsum(totals[rows] + parts) // PLACES
    yield from np.split(rows, np.flatnonzero(np.diff(runs)) + 1)


def _draw(answer: Integers, totals: Integers, rows: Integers, chance: Chance) -> Integers:
    """Write compositions into these rows; return the rows that must be drawn again."""
    bars = answer.shape[1] - 1
    places = totals[rows] + bars
    shortest, longest = int(places[0]), int(places[-1])
    numbers = _numbers(rows.size * longest, chance).reshape(rows.size, longest)
    beyond = np.arange(shortest, longest) >= places[:, None]
    numbers[:, shortest:][beyond] = MOST
    ranked = np.sort(numbers, axis=1)
    last = ranked[:, bars - 1]
    settled = ranked[:, bars] > last if longest > bars else last < MOST
    again = rows[~settled]
    if again.size:
        rows, places = rows[settled], places[settled]
        numbers, last = numbers[settled], last[settled]
    # with a bar before the first place and one after the last, parts lie between bars
    standing = np.zeros((rows.size, longest + 2), dtype=np.bool_)
    np.less_equal(numbers, last[:, None], out=standing[:, 1:-1])
    standing[:, 0] = True
    standing[np.arange(rows.size), places + 1] = True
    found = np.flatnonzero(standing).reshape(rows.size, bars + 2)
    between = found[:, 1:] - found[:, :-1]
    between -= 1
    answer[rows] = between
    return again


def _numbers(count: int, chance: Chance) -> Numbers:
    """Return uniform numbers of at most 32 bits; a word of 64 bits is two of them."""
    if chance.width == WORD:
        return chance.words(-(-count // 2)).view(np.uint32)[:count]
    return chance.words(count) >> np.uint64(max(chance.width - 32, 0))
