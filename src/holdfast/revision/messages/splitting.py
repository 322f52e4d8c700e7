"""Draw the left part of totals, given the messages of the left and the right part.

Parts that occur often have a table with a row for every total; the others are drawn side by
side in windows. Both leave open what floats cannot decide, and that is settled exactly.

Claim.      The left part of a total s is x with chance a(x) b(s - x) / sum, exactly.
Reason.     docs/theory/messages.md#what-is-drawn
Checked by. tests/revision/test_splitting.py
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from holdfast.foundation.randomness import Chance
from holdfast.kernels.rows import GUIDE_CELLS, RowTable, look_up, row_table
from holdfast.kernels.windows import SPAN, Store, Sums, Words, look_in_windows
from holdfast.revision.messages.message import Message, Messages
from holdfast.revision.messages.moments import spread, variance
from holdfast.revision.messages.settling import Conditional

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
RARE = 1e-5  # a share of draws that may take the long way
MOST_ROWS, MOST_COLUMNS = 1 << 13, 1 << 14
TABLE_CELLS = 1 << 25  # of all tables: 256 mebibytes
UNIT = 2.0**-53
WIDER = 1.2  # measured: fewer than one draw in ten thousand is left open
ROOM = 16


@dataclass(frozen=True, eq=False, slots=True)
class Table:
    """A row for each of the totals 0, 1, ..., the first column being the left part `start`."""

    rows: RowTable
    count: int
    start: int


@dataclass(frozen=True, eq=False, slots=True)
class Abreast:
    """Parts, their places among others, the width of all their windows, and a margin for all."""

    parts: Integers
    places: Integers
    width: int
    margin: float


class Splitter:
    """Draws left parts; the parts that occur most often have tables."""

    __slots__ = (
        "_half",
        "_kind",
        "_left",
        "_messages",
        "_radius",
        "_right",
        "_scale",
        "_share",
        "_store",
        "tables",
    )

    def __init__(self, messages: Messages, instances: Integers) -> None:
        parts, listed = messages.parts.listed, messages.listed
        self._messages = messages
        self._left = np.array([part.left for part in parts])
        self._right = np.array([part.right for part in parts])
        self._radius = np.array([message.radius for message in listed])
        self._scale = np.array([message.scale for message in listed], dtype=np.int32)
        spreads = np.array([spread(message.weights, RARE) for message in listed])
        self._half = _half_widths(spreads[self._left], spreads[self._right])
        self._kind = np.frexp(self._half + 1.0)[1] // 2
        variances = np.array([variance(message.weights) for message in listed])
        whole = variances[self._left] + variances[self._right]
        self._share = variances[self._left] / np.where(whole > 0, whole, 1.0)
        self._store = _stored(listed, 2 * spreads + ROOM)
        self.tables = {part: self._table(part) for part in self._most_used(instances)}

    def by_table(self, part: int, totals: Integers, chance: Chance) -> Integers:
        """Return the left part of many totals of one part that has a table."""
        table = self.tables[part]
        sign = (totals >> 63) | 1
        size = totals * sign
        longer = np.flatnonzero(size >= table.count)
        size[longer] = 0
        words = chance.words(totals.size)
        left, still_open = look_up(table.rows, size, words)
        left += table.start
        for place in still_open.tolist():
            law = self._law(part, int(size[place]), table.start)
            left[place] = law.settle(int(words[place]), chance)
        left *= sign
        if longer.size:  # the word of such a total is not used
            left[longer] = self.long_way(part, totals[longer], chance)
        return left

    def long_way(self, part: int, totals: Integers, chance: Chance) -> Integers:
        """Return the left part of totals of one part, in windows."""
        return self._side_by_side(self.abreast(np.array([part]))[0], totals, chance)

    def in_windows(self, groups: Iterable[Abreast], totals: Integers, chance: Chance) -> Integers:
        """Return the left part of totals, a row for each part; every part is in one group."""
        answer = np.empty_like(totals)
        for group in groups:
            here = totals[group.places]
            left = self._side_by_side(group, here.reshape(-1), chance)
            answer[group.places] = left.reshape(here.shape)
        return answer

    def _side_by_side(self, group: Abreast, totals: Integers, chance: Chance) -> Integers:
        """Return the left part of totals, of each part in turn the same number."""
        parts = group.parts
        if totals.size > parts.size:
            parts = np.repeat(parts, totals.size // parts.size)
        words = chance.words(totals.size)
        kept = min(chance.width, 53)
        shares = (words >> np.uint64(chance.width - kept)).astype(np.float64) * 2.0**-kept
        sums = self._sums(parts, totals, group.width)
        these = Words(shares, 2.0**-kept)
        left, still_open = look_in_windows(self._store, sums, group.width, these, group.margin)
        for place in still_open.tolist():
            law = self._law(int(parts[place]), int(totals[place]), int(sums.start[place]))
            left[place] = law.settle(int(words[place]), chance)
        return left

    def abreast(self, parts: Integers) -> tuple[Abreast, ...]:
        """Return the parts in groups whose windows are about equally wide."""
        half, kind = self._half[parts], self._kind[parts]
        radius = self._radius[self._left[parts]]
        answer = []
        for each in np.unique(kind).tolist():
            places = np.flatnonzero(kind == each)
            width = SPAN * (1 + 2 * int(half[places].max()) // SPAN)
            margin = UNIT * (2 * width + 4 * int(radius[places].max()) + 64)
            answer.append(Abreast(parts[places], places, width, margin))
        return tuple(answer)

    def _sums(self, parts: Integers, totals: Integers, width: int) -> Sums:
        """Return totals with the weight of each over all left parts, and windows about them."""
        weights = self._store.weights[self._store.centre[parts] + totals]
        start = np.rint(totals * self._share[parts]).astype(np.int64) - width // 2
        whole = np.ldexp(weights, self._scale[parts])
        return Sums(self._left[parts], self._right[parts], totals, start, whole)

    def _law(self, part: int, total: int, start: int) -> Conditional:
        """Return the exact law of the left part of a total."""
        listed = self._messages.listed
        left, right = listed[self._left[part]], listed[self._right[part]]
        return Conditional(left.weights, right.weights, total, start)

    def _most_used(self, instances: Integers) -> Iterator[int]:
        """Yield the parts that occur most often, as long as there is room for their tables."""
        parts, room = self._messages.parts.listed, TABLE_CELLS
        for part in np.argsort(-instances, kind="stable").tolist():
            if parts[part].is_node or not self._half[part]:
                continue
            rows, columns = self._extent(part)
            room -= rows * columns + GUIDE_CELLS
            if room < 0:
                return
            if rows <= MOST_ROWS and columns <= MOST_COLUMNS:
                yield part

    def _extent(self, part: int) -> tuple[int, int]:
        """Return the number of rows and columns of a part's table."""
        rows = spread(self._messages.listed[part].weights, RARE) + 1
        return rows, 2 * int(self._half[part]) + int(rows * self._share[part]) + 1

    def _table(self, part: int) -> Table:
        """Return the table of a part."""
        rows, columns = self._extent(part)
        start = -int(self._half[part])
        totals = np.arange(rows)
        left, right = (
            self._messages.parts.listed[part].left,
            self._messages.parts.listed[part].right,
        )
        x = np.arange(start, start + columns)
        weights = _at(self._messages.listed[left], x) * _at(
            self._messages.listed[right], totals[:, None] - x
        )
        whole = np.ldexp(_at(self._messages.listed[part], totals), int(self._scale[part]))
        roundings = 2 * self._messages.listed[left].radius + 16
        return Table(row_table(weights, whole, roundings), rows, start)


def _at(message: Message, totals: Integers) -> Floats:
    """Return the weights of totals; beyond the radius they are 0."""
    radius = message.radius
    inside = np.abs(totals) <= radius
    return np.where(inside, message.weights[np.clip(totals, -radius, radius) + radius], 0.0)


def _half_widths(left: Integers, right: Integers) -> Integers:
    """Return how far the left part lies from its share of a total, but rarely.

    Of two Gaussian parts it strays by the product of their spreads over that of the whole; two
    Laplace ones need a little more.
    """
    whole = np.hypot(left, right)
    return np.ceil(WIDER * left * right / np.where(whole > 0, whole, 1.0)).astype(np.int64)


def _stored(listed: list[Message], rooms: Integers) -> Store:
    """Return the messages one after the other, with zeros at both ends of each."""
    extent = np.array([message.radius for message in listed]) + rooms
    ends = np.cumsum(2 * extent + 1)
    weights = np.zeros(int(ends[-1]) + int(rooms.max()))
    centre = ends - extent - 1
    for message, middle in zip(listed, centre.tolist(), strict=True):
        weights[middle - message.radius : middle + message.radius + 1] = message.weights
    return Store(weights, centre, extent)
