"""Draw the totals of all nodes, from the root down, along a layout.

Reason.     docs/theory/messages.md#the-order-of-the-draws
Checked by. tests/revision/test_tree_messages.py
"""

from collections.abc import Container
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from holdfast.foundation.randomness import WORD, Chance
from holdfast.revision.messages.layout import Family, Layout, Slots, Split, Wave
from holdfast.revision.messages.message import Messages
from holdfast.revision.messages.root import RootTotal
from holdfast.revision.messages.splitting import Abreast, Splitter

Integers = npt.NDArray[np.int64]
BLOCK = 1 << 18  # totals of families drawn at one go: larger leaves the cache, smaller costs calls
WAVE = 1 << 14  # totals of one part drawn at one go
CELLS = 1 << 21  # totals kept at a time when many vectors are drawn


@dataclass(frozen=True, eq=False, slots=True)
class Rest:
    """Splits without a table: the slots of their left and right parts, and the parts in groups."""

    left: Slots
    right: Slots
    groups: tuple[Abreast, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Turn:
    """A wave, its splits that have a table, and the others together."""

    wave: Wave
    tabled: tuple[Split, ...]
    rest: Rest | None


class Drawing:
    """The tables to draw from, and the order in which to do it."""

    __slots__ = ("_layout", "_root", "_splitter", "_turns")

    def __init__(self, layout: Layout, messages: Messages) -> None:
        self._layout = layout
        self._root = RootTotal(messages.listed[messages.parts.root].weights)
        self._splitter = Splitter(messages, layout.instances)
        self._turns = self._in_turn(self._splitter.tables)

    def draw(self, size: int, chance: Chance, count: int) -> Integers:
        """Return so many independent vectors over the nodes, one a row."""
        answer = np.empty((count, size), dtype=np.int64)
        node_of_slot = self._layout.node_of_slot
        step = max(1, CELLS // size)
        for start in range(0, count, step):
            totals = self._totals(size, chance, min(step, count - start))
            if node_of_slot is None:
                answer[start : start + step] = totals.T
            else:
                answer[start : start + step, node_of_slot] = totals.T
        return answer

    def _in_turn(self, tables: Container[int]) -> tuple[Turn, ...]:
        """Return the waves, with the splits told apart; tables are for words of full width."""
        turns = []
        for wave in self._layout.waves:
            tabled = tuple(split for split in wave.splits if split.part in tables)
            rest = [split for split in wave.splits if split.part not in tables]
            turns.append(Turn(wave, tabled, self._rest(rest) if rest else None))
        return tuple(turns)

    def _rest(self, splits: list[Split]) -> Rest:
        """Return splits put together."""
        often = [split.slots.size for split in splits]
        left = np.concatenate([split.slots for split in splits])
        stride = np.repeat(np.array([split.stride for split in splits], dtype=np.int32), often)
        parts = np.repeat(np.array([split.part for split in splits]), often)
        return Rest(left, left + stride, self._splitter.abreast(parts))

    def _totals(self, size: int, chance: Chance, count: int) -> Integers:
        """Return the total of every slot; a row for each slot, if there are many vectors."""
        # NumPy is slower on rows of one
        totals = np.empty(size if count == 1 else (size, count), dtype=np.int64)
        totals[0] = self._root.draw(chance, count) if count > 1 else self._root.draw(chance, 1)[0]
        turns = self._turns if chance.width == WORD else self._in_turn({})
        for turn in turns:
            for family in turn.wave.families:
                self._family(totals, family, chance)
            for descent in turn.wave.descents:
                totals[descent.target] = totals[descent.source]
            for split in turn.tabled:
                self._by_table(totals, split, chance)
            if turn.rest is not None:
                self._in_windows(totals, turn.rest, chance)
        return totals

    def _family(self, totals: Integers, family: Family, chance: Chance) -> None:
        """Draw the totals of all children of many parents, block by block."""
        many = totals.shape[-1] if totals.ndim > 1 else 1
        step = max(1, BLOCK // (family.children * many))
        children = np.arange(family.children)[:, None]
        for start in range(0, family.source.size, step):
            stop = start + step
            here = totals[family.source[start:stop]]
            drawn = np.empty((family.children, here.size), dtype=np.int64)
            drawn[0] = here.reshape(-1)
            for cut in family.cuts:
                whole = drawn[cut.left]
                left = self._left_part(cut.part, whole.reshape(-1), chance).reshape(whole.shape)
                drawn[cut.left] = left
                whole -= left
                drawn[cut.right] = whole
            slots = family.target[start:stop] + children
            totals[slots] = drawn.reshape(slots.shape + here.shape[1:])

    def _left_part(self, part: int, totals: Integers, chance: Chance) -> Integers:
        """Return the left part of totals of one part."""
        if chance.width == WORD and part in self._splitter.tables:
            return self._splitter.by_table(part, totals, chance)
        return self._splitter.long_way(part, totals, chance)

    def _by_table(self, totals: Integers, split: Split, chance: Chance) -> None:
        """Split the totals of one part, block by block."""
        step = max(1, WAVE // totals.shape[-1]) if totals.ndim > 1 else WAVE
        for start in range(0, split.slots.size, step):
            slots = split.slots[start : start + step]
            here = totals[slots]
            left = self._splitter.by_table(split.part, here.reshape(-1), chance)
            left = left.reshape(here.shape)
            totals[slots] = left
            here -= left
            totals[slots + split.stride] = here

    def _in_windows(self, totals: Integers, rest: Rest, chance: Chance) -> None:
        """Split the totals of many parts together."""
        here = totals[rest.left]
        left = self._splitter.in_windows(rest.groups, here, chance)
        totals[rest.left] = left
        here -= left
        totals[rest.right] = here
