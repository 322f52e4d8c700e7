"""The enumerator of losses against the definition in windows, with saboteurs."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from holdfast.worlds.hierarchy import Hierarchy
from tests.plain import exact_loss, loss_cases
from tests.plain.exact_loss import Case, cases, normaliser, worst_ratio
from tests.plain.loss_cases import over_nodes, trees
from tests.plain.loss_windows import by_definition, neighbours, weight, window, within

HALF, THIRD, MIXED = (
    Fraction(1, 2),
    Fraction(1, 3),
    (Fraction(3, 5), Fraction(1, 3), Fraction(1, 2)),
)
STAR, ROW, GROUPS = (("a",), ("b",)), (("a",), ("b",), ("c",)), (("a", "a"), ("a", "b"), ("b",))
ROOT = ((),)


WINDOWS = [
    Case(paths, ratios, relation, rows, pinned, street, 2)
    for paths, ratios in ((STAR, (HALF, THIRD)), (STAR, (THIRD, HALF)))
    for relation, rows in loss_cases.RELATIONS
    for pinned in ((), ROOT, (("a",),))
    for street in ("revise", "revise-nonnegative")
]
DEEP = [
    Case(GROUPS, MIXED, "replace-one", 1, pinned, street, 1)
    for pinned in ((), ROOT, (("a",),))
    for street in ("revise", "revise-nonnegative")
]


def agrees_with_windows(case, reach) -> bool:
    given, found = worst_ratio(case), by_definition(case, reach)
    if given is None or found is None:
        return given is None and found is None
    return given.below == given.above and within(given.below, found)


@pytest.mark.parametrize("case", WINDOWS)
def test_losses_are_those_of_the_definition(case):
    assert agrees_with_windows(case, 9)


@pytest.mark.parametrize("case", DEEP)
def test_losses_on_two_levels_are_those_of_the_definition(case):
    assert agrees_with_windows(case, 5)


def no_normaliser(monkeypatch):
    monkeypatch.setattr(exact_loss, "normaliser", lambda case, table: Fraction(1))


def no_own_weight(monkeypatch):
    monkeypatch.setattr(exact_loss.Series, "scaled", lambda self, ratio: self)
    exact_loss._kept.cache_clear()


def a_lower_end_too_low(monkeypatch):
    right = exact_loss.geometric
    monkeypatch.setattr(exact_loss, "geometric", lambda q, low=None: right(q, low and low + 1))
    exact_loss._kept.cache_clear()


def one_way_only(monkeypatch):
    right = exact_loss.differences
    monkeypatch.setattr(exact_loss, "differences", lambda c: [d for d in right(c) if sum(d) < 0])


def forgets_the_pins(monkeypatch):
    monkeypatch.setattr(loss_cases, "_shared", lambda case, move: True)


def forgets_the_second_row(monkeypatch):
    right = exact_loss.differences
    keep = lambda c: [d for d in right(c) if sum(map(abs, d)) <= 1]  # noqa: E731
    monkeypatch.setattr(exact_loss, "differences", keep)


def forgets_inner_nodes(monkeypatch):
    right = loss_cases.over_nodes
    leaves = lambda paths, t: {p: n for p, n in right(paths, t).items() if p}  # noqa: E731
    monkeypatch.setattr(exact_loss, "over_nodes", leaves)


@pytest.mark.parametrize(
    "sabotage",
    [
        no_normaliser,
        no_own_weight,
        a_lower_end_too_low,
        one_way_only,
        forgets_the_pins,
        forgets_the_second_row,
        forgets_inner_nodes,
    ],
)
def test_a_broken_twin_is_seen_in_the_windows(sabotage, monkeypatch):
    exact_loss._kept.cache_clear()
    with monkeypatch.context() as patch:
        sabotage(patch)
        assert not all(agrees_with_windows(case, 9) for case in WINDOWS)
    exact_loss._kept.cache_clear()


@pytest.mark.parametrize("paths", [STAR, ROW, GROUPS, (("a", "a", "a"), ("b",))])
def test_normalisers_lie_in_their_windows(paths):
    """The width is the tail's; where the root is pinned, nothing is beyond the window."""
    ratios = (*MIXED, Fraction(2, 5))
    reach = 40 if len(paths) == 2 else 14
    for table in ((0,) * len(paths), tuple(range(len(paths)))):
        case = Case(paths, ratios, "add-remove", 1, (), "revise-nonnegative", 2)
        assert within(normaliser(case, table), window(case, table, reach))
        case = Case(paths, ratios, "add-remove", 1, ROOT, "revise-nonnegative", 2)
        assert normaliser(case, table) == window(case, table, sum(table)).below


def test_pairs_and_streets_keep_their_order():
    """Revision keeps the loss, an update keeps it or lowers it, non-negativity at most doubles."""
    seen = 0
    for case in cases(small=True):
        given = worst_ratio(case)
        plain = worst_ratio(replace(case, street="plain"))
        assert (given is None) == (plain is None)
        if given is not None:
            seen += 1
            assert 1 <= given.below <= given.above
            if case.street == "revise-nonnegative":
                assert plain.below <= given.below <= plain.below**2
            else:
                assert given.above == plain.above
            if case.street == "revise-update":
                assert given.below == given.above
    assert seen > 1000


def priced(case) -> Fraction:
    """Return the largest R(d) times the largest c(a)/c(0) over the rows a of one person."""
    zero = (0,) * len(case.paths)
    persons = loss_cases.counts(len(case.paths), 0, case.rows)
    own = max(normaliser(case, person) / normaliser(case, zero) for person in persons)
    return own * max(exact_loss.shift(case, move) for move in exact_loss.differences(case))


def test_the_worst_tables_of_revised_nonnegative_ones_are_empty():
    """Theory 3.8, theorem 4: adding to an empty table is worst, and no replacing costs more.

    Here also for several rows a person and with pins, c being the normaliser with these pins.
    """
    for case in cases(small=True):
        given = worst_ratio(case)
        if given is None or case.street != "revise-nonnegative":
            continue
        zero = (0,) * len(case.paths)
        if case.relation == "add-remove":
            moves = [move for move in exact_loss.differences(case) if min(move) >= 0]
            assert given.below == max(
                exact_loss.shift(case, move) * normaliser(case, move) / normaliser(case, zero)
                for move in moves
            )
        else:
            assert given.below <= priced(case)


def test_with_a_pinned_total_the_normaliser_of_free_totals_is_no_bound():
    """A pin changes c: what adding costs without it does not bound what replacing costs with it."""
    paths, ratios = (("a", "a"), ("b",), ("c",), ("d",)), (THIRD, Fraction(2, 3), Fraction(1, 4))
    pinned = Case(paths, ratios, "replace-one", 1, ROOT, "revise-nonnegative", 5)
    free, empty = replace(pinned, pinned=()), (0, 0, 0, 0)
    price = max(normaliser(free, one) for one in loss_cases.counts(4, 1, 1))
    plain = exact_loss.shift(pinned, (-1, 1, 0, 0))
    assert worst_ratio(pinned).below == Fraction(115011, 7006)
    assert plain * price / normaliser(free, empty) == 9 * Fraction(104255, 59049)
    assert worst_ratio(pinned).below > plain * price / normaliser(free, empty)
    assert worst_ratio(pinned).below <= priced(pinned)


@pytest.mark.parametrize(("relation", "rows"), loss_cases.RELATIONS)
@pytest.mark.parametrize("pinned", [(), ROOT, (("a",),)])
def test_plain_losses_are_those_of_the_definition(relation, rows, pinned):
    """All outputs in a window beyond the tables, whether they add up or not."""
    case = Case(STAR, (THIRD, HALF), relation, rows, pinned, "plain", 2)
    found = []
    for table, moved in neighbours(case):
        mine, yours = over_nodes(STAR, table), over_nodes(STAR, moved)
        for z in product(range(-1, 4), repeat=3):
            far = [
                weight(case, {path: out - own[path] for path, out in zip(own, z, strict=True)})
                for own in (mine, yours)
            ]
            found.append(far[0] / far[1])
    given = worst_ratio(case)
    assert given == ((max(found),) * 2 if found else None)


def test_nodes_are_those_of_the_hierarchy():
    for paths in trees(4, 3):
        leaves = tuple(range(1, len(paths) + 1))
        tree = Hierarchy.from_paths(list(paths))
        order = [leaves[paths.index(path)] for path in tree.leaves]
        mine = over_nodes(paths, leaves)
        assert dict(zip(tree.paths, tree.aggregate(order).tolist(), strict=True)) == mine


def test_the_cases_are_all_there():
    """Counts of unordered trees with 1 to 4 leaves, 1 to 3 levels below the root."""
    counts = [
        [len([f for f in loss_cases.forms(n, d) if f]) for n in range(1, 5)] for d in (1, 2, 3)
    ]
    assert counts == [[1, 1, 1, 1], [2, 4, 7, 12], [3, 10, 29, 82]]
    assert len(set(cases())) == len(list(cases())) > 15000
    assert {c.pinned for c in cases(small=True) if len(c.paths) == 2} >= {(), ROOT, (("a",),)}
