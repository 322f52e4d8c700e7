"""Groups by halves: the law of one half, its table, and the words that floats leave open."""

from bisect import bisect_left
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

import numpy as np
import pytest

import holdfast as hf
from holdfast.noise.inversion import floors
from holdfast.revision.closed_forms import group_cells, halves
from holdfast.revision.closed_forms.group_cells import GroupCells
from holdfast.revision.closed_forms.half_law import HalfLaw
from holdfast.revision.closed_forms.halves import HalfTables, Halves, cuts, half_table

ratio = hf.DiscreteLaplace.with_ratio
scale = hf.DiscreteLaplace.with_scale
HALF, THIRD = ratio(Fraction(1, 2)), ratio(Fraction(1, 3))
FAR = 60


def sums_of(cells: int, q: Fraction) -> list[Fraction]:
    """Weight of each total -FAR, ..., FAR of so many cells, by adding cell after cell."""
    one = [q ** abs(k) for k in range(-FAR, FAR + 1)]
    some = one
    for _ in range(cells - 1):
        some = [
            sum(
                (some[i] * one[k - i + FAR] for i in range(2 * FAR + 1) if abs(k - i) <= FAR),
                Fraction(0),
            )
            for k in range(2 * FAR + 1)
        ]
    return some


def by_definition(left: int, right: int, total: int, q: Fraction) -> dict[int, float]:
    """The chance of each of the first cells' totals, up to what lies beyond FAR."""
    one, other = sums_of(left, q), sums_of(right, q)
    found = {x: one[x + FAR] * other[total - x + FAR] for x in range(total - FAR, FAR + 1)}
    whole = sum(found.values())
    return {x: float(weight / whole) for x, weight in found.items()}


LAWS = [
    HalfLaw(1, 1, 0, -3, 7, HALF),
    HalfLaw(2, 1, 3, -2, 8, HALF),
    HalfLaw(2, 2, 1, 5, 4, THIRD),
    HalfLaw(3, 2, 9, -20, 3, HALF),
]


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_the_law_of_a_half_is_that_of_cells_added_up(law):
    """Windows in the middle, beside it and far away."""
    expected = by_definition(law.left, law.right, law.total, law.law.ratio)
    listed = law.weigh(80).listed
    whole = sum(weight.below for weight in listed)
    for outcome, weight in enumerate(listed):
        found = float(Fraction(weight.below, whole))
        assert found == pytest.approx(expected.get(law.part(outcome), 0.0), rel=1e-9, abs=1e-16)
    wrong = by_definition(law.right + 1, law.left, law.total, law.law.ratio)
    assert max(abs(wrong[x] - expected[x]) for x in expected) > 0.01


def test_outcomes_are_all_whole_numbers_once():
    law = HalfLaw(1, 1, 2, -3, 5, HALF)
    assert [law.part(outcome) for outcome in range(11)] == [-3, -2, -1, 0, 1, 2, -4, 3, -5, 4, -6]


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_what_is_not_listed_weighs_less_than_the_bound(law):
    """The same weights listed farther: what comes on top is below `rest`, and not far below."""
    near, far = law.weigh(20), law.weigh(140)
    unit = Fraction(1, 1 << near.listed[0].precision)
    exact = [Fraction(w.above, 1 << w.precision) for w in far.listed]
    beyond = sum(exact[len(near.listed) :])
    assert len(far.listed) > len(near.listed)
    assert 0 < beyond <= near.rest * unit
    for weight, true in zip(near.listed, exact, strict=False):
        assert weight.below * unit <= true
        assert true <= weight.above * unit + Fraction(1, 1 << 100)


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_rational_cumulatives_are_those_of_the_weights(law):
    expected = by_definition(law.left, law.right, law.total, law.law.ratio)
    shares = accumulate(expected.get(law.part(outcome), 0.0) for outcome in range(25))
    for outcome, share in enumerate(shares):
        assert float(law.cumulative(outcome)) == pytest.approx(share, rel=1e-9)
    assert HalfLaw(1, 1, 0, 0, 1, scale(1)).cumulative(0) is None


def test_a_cumulative_that_is_a_multiple_of_a_power_of_two_is_decided():
    """Two cells of ratio 1/2 with sum 1: the first is 0 with chance 3/8."""
    law = HalfLaw(1, 1, 1, 0, 1, HALF)
    assert law.cumulative(0) == Fraction(3, 8)
    assert floors(law, 64)[0] == 3 << 61


TABLES = [(2, HALF), (3, scale(2)), (5, THIRD), (12, scale(3))]


LATER = 0x9E3779B97F4A7C15  # no cumulative chance has these bits
exact_floors = lru_cache(floors)


def settled_exactly(law: HalfLaw, words: list[int]) -> int:
    """The outcome by floors of all words at once."""
    prefix = words[0] << 64 | words[1]
    return law.part(bisect_left(exact_floors(law, 128), prefix))


def words_near_floors(law: HalfLaw) -> list[int]:
    """Words at the floors, beside them, within and beyond a table's margin."""
    found = [f for f in exact_floors(law, 64) if f < 2**64 - 1]
    steps = [0, 1, -1, 2**16, -(2**16), 2**19, -(2**19), 2**24, -(2**24)]
    return sorted({f + step for f in found for step in steps if 0 <= f + step < 2**64})


def table_is_right(table, total: int) -> bool:
    """Every word of interest has the outcome that exact floors give it."""
    half = (table.cells + 1) // 2
    law = HalfLaw(half, table.cells - half, total, table.start, table.rows.columns, table.law)
    for word in words_near_floors(law):
        given = [word, LATER]
        drawn = int(table.draw(np.array([total]), hf.tape(given, 64))[0])
        if drawn != settled_exactly(law, given):
            return False
    return True


@pytest.mark.parametrize(("cells", "law"), TABLES)
def test_every_word_has_its_exact_outcome(cells, law):
    """Also where no row is: totals beyond the table."""
    table = half_table(cells, law)
    assert all(
        table_is_right(table, total) for total in (0, 1, 2, 7, table.count - 1, table.count + 5)
    )


def test_a_negative_total_has_the_negated_half():
    table = half_table(5, THIRD)
    words = np.random.default_rng(1).integers(0, 2**64, 50, dtype=np.uint64).tolist()
    for word in words:
        both = [int(table.draw(np.array([t]), hf.tape([word], 64))[0]) for t in (4, -4)]
        assert both[0] == -both[1]


def settles_nothing(table, monkeypatch):
    monkeypatch.setattr(halves.HalfTable, "settle", lambda self, total, word, chance: self.start)
    return table


def errs_by_more_than_the_margin(table, monkeypatch):
    """Cumulative chances that floats have wrong in the ninth digit from the end of a word."""
    rows = table.rows
    keys = rows.keys + 2 * rows.margin + 64
    moved = halves.RowTable(keys, rows.guide, rows.guide_bits, rows.columns, rows.margin)
    return halves.HalfTable(table.cells, table.law, moved, table.count, table.start)


def one_to_the_right(table, monkeypatch):
    return halves.HalfTable(table.cells, table.law, table.rows, table.count, table.start + 1)


def of_another_law(table, monkeypatch):
    other = half_table(table.cells, scale("2.01"))
    return halves.HalfTable(table.cells, table.law, other.rows, other.count, other.start)


@pytest.mark.parametrize(
    "sabotage", [settles_nothing, errs_by_more_than_the_margin, one_to_the_right, of_another_law]
)
def test_the_test_of_tables_barks(sabotage, monkeypatch):
    table = half_table(3, scale(2))
    assert table_is_right(table, 2)
    assert not table_is_right(sabotage(table, monkeypatch), 2)


def halves_at_the_last_row(table) -> list[float]:
    """Return the mean left half over the total, for totals about the last row."""
    sizes = range(LAST.count - 1, LAST.count + 2)
    drawn = (table.draw(np.full(500, size), hf.seeded(1)) for size in sizes)
    return [left.mean() / size for left, size in zip(drawn, sizes, strict=True)]


LAST = half_table(4, HALF)


def test_totals_beyond_the_last_row_are_settled_exactly():
    """The last row, the first total that has none, and the next one, are all drawn about half.

    By symmetry; the mean of 500 draws strays by a tenth with chance below 1e-9 (Bernstein).
    """
    assert halves_at_the_last_row(LAST) == pytest.approx([0.5] * 3, abs=0.1)


def test_the_test_of_the_last_row_barks():
    """A row that is not there is read; where it lies in another total's place, that one's."""
    with pytest.raises(IndexError):
        halves_at_the_last_row(replace(LAST, count=LAST.count + 1))
    with pytest.raises(AssertionError):
        assert halves_at_the_last_row(replace(LAST, start=LAST.start + 20)) == pytest.approx(
            [0.5] * 3, abs=0.1
        )


@pytest.mark.parametrize("cells", [1, 2, 3, 5, 69, 512])
def test_cuts_reach_every_cell_once(cells):
    """Each run is cut where it was left by those before, down to runs of one."""
    runs = {0: cells}
    for cut in cuts(cells):
        half = (cut.cells + 1) // 2
        for left, right in zip(cut.left.tolist(), cut.right.tolist(), strict=True):
            assert runs.pop(left) == cut.cells
            assert right == left + half
            runs[left], runs[right] = half, cut.cells - half
    assert runs == dict.fromkeys(range(cells), 1)


def test_halves_of_many_cells_add_up_and_stray_as_they_must():
    """69 cells of scale 3 given 0: the variance of one is 17.19209681, of 400,000 within 0.05.

    False alarm below 1e-9: a cell's noise is at most as long as its own law's, so a mean of
    squares of independent groups strays by more than 0.5 with chance below exp(-24) (Bernstein).
    """
    drawn = Halves(69, HalfTables(scale(3))).draw(np.zeros(100_000, dtype=np.int64), hf.seeded(1))
    assert not drawn.sum(axis=1).any()
    for cell in (0, 34, 35, 68):
        assert drawn[:, cell].var() == pytest.approx(17.19209681, abs=0.9)


def test_tables_take_no_more_room_than_they_may():
    tables = HalfTables(scale(20))
    taken = [tables.reserve(cells) for cells in (69, 69, 300, 500, 400, 450, 2)]
    assert taken[:2] == [True, True]
    assert not all(taken)


def test_few_totals_make_no_tables(monkeypatch):
    """A single release has no use for them; other chance than whole words neither."""
    made = []
    monkeypatch.setattr(halves, "half_table", lambda *given: made.append(given))
    group = GroupCells(6, HalfTables(scale(3)))
    assert group.draw(np.zeros(group_cells.MANY - 1, dtype=np.int64), hf.seeded(1)).shape[1] == 6
    assert not made
    with pytest.raises(AttributeError):
        group.draw(np.zeros(group_cells.MANY, dtype=np.int64), hf.seeded(1))
    assert made
