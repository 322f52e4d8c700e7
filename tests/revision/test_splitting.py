"""A split in two is exact: in whole numbers on every tape, and settled as the exact sums say."""

from bisect import bisect_left, bisect_right
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest

import holdfast as hf
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.revision.messages import splitting as room
from holdfast.revision.messages.layout import layout
from holdfast.revision.messages.message import Messages
from holdfast.revision.messages.parts import Parts
from holdfast.revision.messages.root import RootTotal
from holdfast.revision.messages.settling import Conditional, whole_weights
from holdfast.revision.messages.shapes import shapes_of
from holdfast.revision.messages.splitting import Splitter
from holdfast.revision.noisy_tree import NoisyTree
from tests.plain import convolution as plain
from tests.plain.enumeration import law as law_of

LEFT = np.array([0.1, 0.4, 1.0, 0.4, 0.1])
RIGHT = np.array([0.3, 1.0, 0.3])


def within(found, left, expected) -> bool:
    """Return whether an enumerated law can be the expected one."""
    return all(
        found.get(x, Fraction(0)) <= chance <= found.get(x, Fraction(0)) + left
        for x, chance in expected.items()
    )


def settled(conditional):
    return lambda tape: conditional.settle(int(tape.words(1)[0]), tape)


@pytest.mark.parametrize("total", [-3, -1, 0, 2])
@pytest.mark.parametrize("start", [-5, -1, 0, 1, 9])
def test_settling_has_the_exact_law_on_every_tape(total, start):
    """Wherever the list of outcomes begins; what is open after 6 words of 3 bits is small."""
    found, left = law_of(settled(Conditional(LEFT, RIGHT, total, start)), depth=5, width=3)
    expected = plain.left_part(plain.exact(LEFT), plain.exact(RIGHT), total)
    assert within(found, left, expected)
    assert left < Fraction(1, 1000)


class Rounded(Conditional):
    """Does not refine: the first word decides."""

    def settle(self, prefix, chance):
        whole = self._cumulative[-1]
        place = sum(c <= prefix * whole >> chance.width for c in self._cumulative)
        return self._outcomes[place]


class Mirrored(Conditional):
    def settle(self, prefix, chance):
        return -super().settle(prefix, chance)


@pytest.mark.parametrize("sabotage", [Rounded, Mirrored])
def test_the_settling_test_barks(sabotage):
    found, left = law_of(settled(sabotage(LEFT, RIGHT, 2, -2)), depth=5, width=3)
    expected = plain.left_part(plain.exact(LEFT), plain.exact(RIGHT), 2)
    assert not within(found, left, expected)


def test_floats_are_whole_numbers_times_a_power_of_two():
    weights = np.array([2.0**-200, 0.1, 1.0, 0.0, 3.5])
    numbers, power = whole_weights(weights)
    assert [Fraction(n) * Fraction(2) ** power for n in numbers] == [
        Fraction(w) for w in weights.tolist()
    ]


def test_the_root_has_the_law_of_its_message():
    found, left = law_of(lambda tape: int(RootTotal(LEFT).draw(tape, 1)[0]), depth=5, width=3)
    total = sum(map(Fraction, LEFT.tolist()))
    expected = {k - 2: Fraction(w) / total for k, w in enumerate(LEFT.tolist())}
    assert within(found, left, expected)


WORDS = 20_000


class Even:
    """Chance whose words are evenly spread: each outcome gets its share, up to one word."""

    purpose, width = "proof", 64

    def words(self, count):
        step = 2**64 // count
        spread = np.arange(count, dtype=np.uint64) * np.uint64(step)
        return spread + np.uint64(step // 2)


def a_splitter(kind=Splitter):
    """Twelve leaves and a group of three: parts of one kind and of two."""
    paths = [(str(k),) for k in range(12)] + [("group", str(k)) for k in range(3)]
    tree = hf.Hierarchy.from_paths(paths)
    noisy = NoisyTree(tree, [DiscreteLaplace.with_scale(s) for s in (3, 2, 1)])
    shapes = shapes_of(noisy)
    parts = Parts(shapes)
    plan = layout(tree, shapes, parts)
    messages = Messages(shapes, parts, noisy.laws, plan.instances)
    return kind(messages, plan.instances), messages


def farthest(draw, messages) -> float:
    """Return by how many words of WORDS an outcome strays, at the most, over parts and totals."""
    worst = 0.0
    for number, part in enumerate(messages.parts.listed):
        if part.is_node:
            continue
        left = plain.exact(messages.listed[part.left].weights)
        right = plain.exact(messages.listed[part.right].weights)
        for total in (-40, -7, 0, 1, 13):
            if abs(total) > messages.listed[number].radius:
                continue
            drawn = draw(number, np.full(WORDS, total), Even())
            for x, chance in plain.left_part(left, right, total).items():
                worst = max(worst, abs(int((drawn == x).sum()) - float(chance) * WORDS))
    return worst


def test_every_part_is_split_as_its_messages_say():
    """No chance here: a fault of one in ten thousand in any outcome is seen."""
    splitter, messages = a_splitter()
    assert len(splitter.tables) > 5
    assert farthest(splitter.by_table, messages) < 2
    assert farthest(splitter.long_way, messages) < 2


def test_parts_side_by_side_are_split_as_each_alone():
    """A row of totals for each part, the groups in any order; every word is even in itself."""
    splitter, messages = a_splitter()
    numbers = [n for n, part in enumerate(messages.parts.listed) if not part.is_node]
    groups = splitter.abreast(np.array(numbers))
    assert len(groups) > 1
    assert farthest(_among(splitter, numbers, groups), messages) < 2
    broken = tuple(replace(group, places=group.places[::-1]) for group in groups)
    assert farthest(_among(splitter, numbers, broken), messages) > 20


def _among(splitter, numbers, groups):
    """Return how one part is split while the others stand beside it."""

    class Alike(Even):
        def words(self, count):
            return np.tile(super().words(WORDS), count // WORDS)

    def draw(part, totals, chance):
        beside = np.zeros((len(numbers), totals.size), dtype=np.int64)
        beside[numbers.index(part)] = totals
        return splitter.in_windows(groups, beside, Alike())[numbers.index(part)]

    return draw


def forgets_the_sign(splitter):
    return lambda part, totals, chance: splitter.by_table(part, np.abs(totals), chance)


def splits_evenly(splitter):
    return lambda part, totals, chance: splitter.by_table(part, totals * 0, chance) + totals // 2


def takes_the_neighbours_table(splitter):
    parts = sorted(splitter.tables)
    other = dict(zip(parts, parts[1:] + parts[:1], strict=True))
    return lambda part, totals, chance: splitter.by_table(other[part], totals, chance)


@pytest.mark.parametrize("sabotage", [forgets_the_sign, splits_evenly, takes_the_neighbours_table])
def test_the_splitting_test_barks(sabotage):
    splitter, messages = a_splitter()
    assert farthest(sabotage(splitter), messages) > 20


def test_a_total_beyond_the_table_takes_the_long_way(monkeypatch):
    """Tables and windows end where totals are rare; what lies beyond is settled exactly."""
    monkeypatch.setattr(room, "RARE", 0.2)
    monkeypatch.setattr(room, "WIDER", 0.3)
    monkeypatch.setattr(f"{__name__}.WORDS", 1_000)
    splitter, messages = a_splitter()
    assert farthest(splitter.by_table, messages) < 2


class Given:
    """Chance whose words are given; whatever else is asked for is settled by zeros."""

    purpose, width = "proof", 64

    def __init__(self, words):
        self._first = [np.array(words, dtype=np.uint64)]

    def words(self, count):
        return self._first.pop() if self._first else np.zeros(count, dtype=np.uint64)


def words_around(cumulative) -> list[int]:
    """Return words about each exact chance: at it, beside it, and within a margin of it."""
    near = (0, 1, -1, 40, -40, 3000, -3000)
    words = (int(chance * 2**64) + step for chance in cumulative for step in near)
    return [word for word in words if 0 <= word < 2**64]


def misplaced(splitter, messages) -> int:
    """Count outcomes that are none of those a uniform number with such a first word can have."""
    wrong = 0
    for number, part in enumerate(messages.parts.listed):
        if part.is_node:
            continue
        left, right = (plain.exact(messages.listed[p].weights) for p in (part.left, part.right))
        group = splitter.abreast(np.array([number]))[0]
        for total in (-7, 0, 1, 13):
            start = int(splitter._sums(group.parts, np.array([total]), group.width).start[0])
            law = plain.left_part(left, right, total)
            order = sorted(law, key=lambda x: (x < start, x))
            passed = list(accumulate(law[x] for x in order))
            words = words_around(passed[:-1])
            drawn = splitter.long_way(number, np.full(len(words), total), Given(words))
            for word, x in zip(words, drawn.tolist(), strict=True):
                first = bisect_right(passed, Fraction(word, 2**64))
                last = bisect_left(passed, Fraction(word + 1, 2**64))
                wrong += not first <= order.index(x) <= last
    return wrong


def test_a_word_beside_a_chance_is_settled_exactly():
    """If it failed, an outcome would have some 2**-53 more or less than its share."""
    assert misplaced(*a_splitter()) == 0


class WithoutMargin(Splitter):
    def abreast(self, parts):
        return tuple(replace(group, margin=0.0) for group in super().abreast(parts))


def test_the_test_beside_a_chance_barks():
    assert misplaced(*a_splitter(WithoutMargin)) > 20
