"""The enumerator of losses against windows, closed formulas and printed tables, with saboteurs."""

from fractions import Fraction
from itertools import product
from math import exp, isclose, log

import numpy as np
import pytest

from holdfast.worlds.hierarchy import Hierarchy
from tests.plain import exact_loss, loss_cases
from tests.plain.exact_loss import Case, Pair, cases, normaliser, worst_delta, worst_ratio
from tests.plain.loss_cases import over_nodes, trees
from tests.plain.update_loss import revised_weight, updated_law, updated_loss

HALF, THIRD, MIXED = (
    Fraction(1, 2),
    Fraction(1, 3),
    (Fraction(3, 5), Fraction(1, 3), Fraction(1, 2)),
)
STAR, ROW, GROUPS = (("a",), ("b",)), (("a",), ("b",), ("c",)), (("a", "a"), ("a", "b"), ("b",))
ROOT = ((),)


def weight(case, noise) -> Fraction:
    found = Fraction(1)
    for path, size in noise.items():
        found *= 1 if path in case.pinned else case.ratios[len(path)] ** abs(size)
    return found


def beyond(case, reach) -> Fraction:
    """Return a bound on the weight of noise with a leaf beyond the reach: inner nodes weigh <= 1.

    Two geometric tails at one leaf, the whole geometric sum at all others.
    """
    found = Fraction(0)
    for far in case.paths:
        q = case.ratios[len(far)]
        rest = Fraction(1)
        for path in case.paths:
            r = case.ratios[len(path)]
            rest *= (1 + r) / (1 - r) if path != far else 1
        found += 2 * q ** (reach + 1) / (1 - q) * rest
    return found


def noises(case, reach):
    """Yield all noise of the leaves up to the reach that obeys sums and pins, over the nodes."""
    for leaves in product(range(-reach, reach + 1), repeat=len(case.paths)):
        nodes = over_nodes(case.paths, leaves)
        if not any(nodes[path] for path in case.pinned):
            yield leaves, nodes


def window(case, table, reach) -> Pair:
    """Return bounds on c(x) from a window and its tail."""
    kept = (
        weight(case, nodes)
        for leaves, nodes in noises(case, reach)
        if all(x + u >= 0 for x, u in zip(table, leaves, strict=True))
    )
    found = sum(kept, Fraction(0))
    return Pair(found, found + beyond(case, reach))


def neighbours(case):
    """Yield all tables x and x' from the definition: persons' rows leave x, others enter."""
    leaves = len(case.paths)
    every = [t for t in product(range(case.most + 1), repeat=leaves) if sum(t) <= case.most]
    persons = [p for p in product(range(case.rows + 1), repeat=leaves) if sum(p) <= case.rows]
    nobody = (0,) * leaves
    if case.relation == "add-remove":
        swaps = [(p, nobody) for p in persons if any(p)] + [(nobody, p) for p in persons if any(p)]
    else:
        givers = [p for p in persons if sum(p) == 1] if case.rows == 1 else persons
        swaps = list(product(givers, repeat=2))
    for table, (out, new) in product(every, swaps):
        moved = tuple(x - a + b for x, a, b in zip(table, out, new, strict=True))
        mine, yours = over_nodes(case.paths, table), over_nodes(case.paths, moved)
        is_given = all(x >= a for x, a in zip(table, out, strict=True)) and sum(moved) <= case.most
        if is_given and all(mine[path] == yours[path] for path in case.pinned):
            yield table, moved


def by_definition(case, reach) -> Pair | None:
    """Return bounds on the largest quotient over neighbours and outputs within a window."""
    low = high = None
    coherent = [leaves for leaves, _ in noises(Case(**{**vars(case), "pinned": ()}), reach)]
    for table, moved in neighbours(case):
        above, below = Pair(Fraction(1), Fraction(1)), Pair(Fraction(1), Fraction(1))
        if case.street == "revise-nonnegative":
            above, below = window(case, moved, reach), window(case, table, reach)
            coherent = [z for z in coherent if min(z) >= 0]
        best = max(
            weight(case, difference(case, z, table)) / weight(case, difference(case, z, moved))
            for z in coherent
            if not any(difference(case, z, table)[path] for path in case.pinned)
        )
        low = max(low or 0, best * above.below / below.above)
        high = max(high or 0, best * above.above / below.below)
    return None if low is None else Pair(low, high)


def difference(case, one, other):
    return over_nodes(case.paths, tuple(a - b for a, b in zip(one, other, strict=True)))


def within(number, ends) -> bool:
    return ends.below <= number <= ends.above


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
    monkeypatch.setattr(loss_cases, "_unused", None, raising=False)
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


def test_one_cell():
    """c(1)/c(0) = 1 + q - q**2, the whole loss that over q; so the table of the theory note."""
    for q in (Fraction(1, 7), HALF, Fraction(9, 10)):
        for most in (1, 3):
            case = Case(((),), (q,), "add-remove", 1, (), "revise-nonnegative", most)
            assert worst_ratio(case) == ((1 + q - q * q) / q,) * 2


TOTALS = {".1": 0.182599, ".25": 0.408942, ".5": 0.714023, "1": 1.209080, "2": 2.110664}


@pytest.mark.parametrize("epsilon", TOTALS)
def test_the_table_of_resampling(epsilon):
    """The loss falls in q, so its values at two fractions about e**-epsilon enclose the true."""
    near = Fraction(exp(-float(epsilon)))
    ends = [near * (1 + sign * Fraction(1, 10**12)) for sign in (1, -1)]
    losses = [
        worst_ratio(Case(((),), (q,), "add-remove", 1, (), "revise-nonnegative", 1)).below
        for q in ends
    ]
    low, high = (log(loss) for loss in losses)
    assert low <= high <= low + 1e-9
    assert abs(low - TOTALS[epsilon]) < 6e-7


def test_two_cells_with_a_fixed_total():
    """(0, 3) and (1, 2), calibrated for epsilon 1, so q**2 = 1/e: 1.1863; smaller totals less."""
    near = Fraction(exp(-0.5))
    found = []
    for most in (1, 2, 3):
        case = Case(STAR, (HALF, near), "replace-one", 1, ROOT, "revise-nonnegative", most)
        found.append(worst_ratio(case).below)
    r = near**2
    assert found[2] == (1 + r) / (r * (1 + r**2))  # falls in r
    assert found[0] == 1 / r
    assert abs(log(found[1]) - 1.1441) < 1e-3
    assert abs(log(found[2]) - 1.1863) < 5e-5


def borough(zones, others):
    """Return the formula for c(e_j)/c(0), all levels alike, zones in the leaf's borough."""

    def formula(q):
        alone, empty = (1 - q**3) ** (zones - 1), (1 - q**3) ** others
        inner = (1 - alone) / q**2 + alone * ((1 - empty) + empty * q**2)
        return 1 + (1 - q**3) * q * inner

    return formula


@pytest.mark.parametrize(("zones", "others"), [(1, 1), (1, 2), (2, 1), (2, 2), (3, 2), (1, 4)])
def test_the_closed_form_for_three_levels(zones, others):
    """Exactly, for any fraction q; the other zones may lie in one borough or in several."""
    first = tuple(("a", f"{n}") for n in range(zones))
    for rest in (
        tuple(("b", f"{n}") for n in range(others)),
        tuple((f"b{n}", "a") for n in range(others)),
    ):
        for q in (HALF, Fraction(5, 7)):
            case = Case(first + rest, (q,) * 3, "add-remove", 1, (), "revise-nonnegative", 1)
            one = (1,) + (0,) * (zones + others - 1)
            quotient = normaliser(case, one) / normaliser(case, tuple(0 for _ in one))
            assert quotient == borough(zones, others)(q)


PRICES = {(0.1, 69): 0.938438, (1, 69): 0.632439, (1, 20): 0.632401, (1, 1): 0.373585}


@pytest.mark.parametrize(("epsilon", "zones"), PRICES)
def test_the_closed_form_gives_the_printed_prices(epsilon, zones):
    price = log(borough(zones, 263 - zones)(exp(-epsilon / 3))) / epsilon
    assert isclose(price, PRICES[epsilon, zones], abs_tol=6e-7)


ALL_ZERO = {GROUPS: 0.2816431097, STAR: 3 / 11, ROW: 27 / 245}


@pytest.mark.parametrize("paths", ALL_ZERO)
def test_printed_chances_of_no_noise(paths):
    case = Case(paths, (HALF,) * 3, "add-remove", 1, (), "revise", 1)
    assert isclose(1 / revised_weight(case), ALL_ZERO[paths], abs_tol=1e-10)


def plain_delta(epsilon):
    """Return delta of two Laplace noises of scale 1, tables (0, 0) and (1, -1)."""
    a = 2 - epsilon
    return 1 - (1 + a / 4) * exp(-a / 2)


def conditioned_delta(epsilon):
    return 1 - exp((epsilon - 2) / 2)


PROFILES = {0: (0.448181, 0.632121), 0.5: (0.350496, 0.527633), 1: (0.241837, 0.393469)}


@pytest.mark.parametrize("epsilon", PROFILES)
def test_profiles_of_fine_noise_come_near_the_printed_ones(epsilon):
    """Steps of 1/64: noise of ratio e**(-1/64), tables 64 apart; the error is of order 1/64."""
    plain, conditioned = PROFILES[epsilon]
    assert isclose(plain_delta(epsilon), plain, abs_tol=6e-7)
    assert isclose(conditioned_delta(epsilon), conditioned, abs_tol=6e-7)
    q = Fraction(exp(-1 / 64)).limit_denominator(10**4)
    case = Case(STAR, (HALF, q), "replace-one", 1, ROOT, "revise", 64)
    for profile, delta in (
        (exact_loss.plain_profile, plain),
        (exact_loss.revised_profile, conditioned),
    ):
        chances = profile(case, (64, -64))
        assert sum(chances.values()) == 1
        excess = sum(
            p * (1 - Fraction(exp(epsilon)) / r) for r, p in chances.items() if r > exp(epsilon)
        )
        assert isclose(excess, delta, abs_tol=0.01)


def delta_window(case, move, factor, reach) -> Pair:
    """Return bounds on the revised mechanism's delta from the definition in a window."""
    zero = (0,) * len(move)
    whole = window(Case(**{**vars(case), "street": "revise"}), (reach + 99,) * len(move), reach)
    found = Fraction(0)
    for leaves, nodes in noises(case, reach):
        far = weight(case, difference(case, leaves, move))
        found += max(Fraction(0), weight(case, nodes) - factor * far)
    assert zero is not None
    return Pair(found / whole.above, (found + beyond(case, reach)) / whole.below)


PROFILE_CASES = [
    Case(paths, ratios, relation, rows, pinned, "revise", 4)
    for paths, ratios in ((STAR, (HALF, THIRD)), (GROUPS, (THIRD, HALF, HALF)))
    for relation, rows in loss_cases.RELATIONS
    for pinned in ((), ROOT)
    if not (pinned and relation == "add-remove")
]


def agrees_with_delta_windows(case, factor) -> bool:
    reach = 22 if len(case.paths) == 2 else 9
    moves = exact_loss.differences(case)
    ends = [delta_window(case, move, factor, reach) for move in moves]
    found = Pair(max(e.below for e in ends), max(e.above for e in ends))
    return within(worst_delta(case, factor).below, found)


@pytest.mark.parametrize("case", [c for c in PROFILE_CASES if c.rows == 1 or len(c.paths) == 2])
@pytest.mark.parametrize("factor", [Fraction(1), Fraction(3, 2), Fraction(5)])
def test_deltas_lie_in_their_windows(case, factor):
    assert agrees_with_delta_windows(case, factor)


def forgets_the_middle(series, size, path, case):
    parts = list(RIGHT_SPLIT(series, size, path, case))
    yield from (parts if len(parts) < 3 else [parts[0], parts[-1]])


def forgets_a_side(series, size, path, case):
    yield from list(RIGHT_SPLIT(series, size, path, case))[:1]


def takes_the_end_for_the_start(series, size, path, case):
    yield from RIGHT_SPLIT(series, -size, path, case)


RIGHT_SPLIT = exact_loss.split


@pytest.mark.parametrize("sabotage", [forgets_the_middle, forgets_a_side])
def test_a_broken_split_is_seen(sabotage, monkeypatch):
    monkeypatch.setattr(exact_loss, "split", sabotage)
    two = [case for case in PROFILE_CASES if case.paths == STAR]
    assert not all(agrees_with_delta_windows(case, Fraction(3, 2)) for case in two)


@pytest.mark.parametrize("case", PROFILE_CASES)
def test_a_profile_ends_at_the_worst_loss(case):
    """Delta is above 0 just below the worst ratio and 0 from there on, plain and revised."""
    for street in ("plain", "revise"):
        other = Case(**{**vars(case), "street": street})
        end = worst_ratio(other).below
        assert worst_delta(other, end) == (0, 0)
        assert worst_delta(other, end * Fraction(999, 1000)).below > 0


@pytest.mark.parametrize("case", PROFILE_CASES)
def test_the_plain_profile_is_no_bound_for_the_revised_one_where_a_total_is_pinned(case):
    """Theory 2.5: never reuse the curve of the plain mechanism after conditioning."""
    plain = worst_delta(Case(**{**vars(case), "street": "plain"}), Fraction(1)).below
    if case.pinned:
        assert worst_delta(case, Fraction(1)).below > plain


def test_the_update_leaves_tables_without_zeros_to_themselves():
    """No other table of a window has such an image: what `reaches` rests on."""
    for paths, pinned in product((STAR, (("a", "a"), ("a", "b"))), ((), ROOT)):
        case = Case(paths, MIXED, "replace-one", 1, pinned, "revise-update", 4)
        law, _ = updated_law(case, (2, 1), 5)
        free = {
            tuple(x + u for x, u in zip((2, 1), leaves, strict=True)): weight(case, nodes)
            for leaves, nodes in noises(case, 5)
        }
        inner = [z for z in law if min(z) >= 1]
        assert len(inner) >= 2
        assert all(law[z] == free[z] / revised_weight(case) for z in inner)


def test_what_revise_update_reaches():
    """With room the update saves nothing; where every table has a zero it may: 14/5, not 4."""
    room = Case(ROW, (HALF,) * 2, "replace-one", 1, ROOT, "revise-update", 3)
    assert worst_ratio(room) == (4, 4)
    assert within(Fraction(4), updated_loss(room, (2, 1, 1), (1, 2, 1), 8))
    tight = Case(ROW, (HALF,) * 2, "replace-one", 1, ROOT, "revise-update", 1)
    found = updated_loss(tight, (1, 0, 0), (0, 1, 0), 10)
    assert worst_ratio(tight) == (1, 4)
    assert within(Fraction(14, 5), found)
    assert found.above < 3


def test_a_twin_that_always_reaches_is_seen(monkeypatch):
    monkeypatch.setattr(exact_loss, "reaches", lambda case, move: True)
    tight = Case(ROW, (HALF,) * 2, "replace-one", 1, ROOT, "revise-update", 1)
    assert worst_ratio(tight).below > updated_loss(tight, (1, 0, 0), (0, 1, 0), 8).above


def chain_loss(ratios, steps, places):
    """Return the largest quotient on a root with one leaf, both noisy, updated to their mean.

    The images of y are those of y + k (steps[0], -steps[1]); the sums over k are in floats.
    """
    near = np.arange(-400, 401)

    def image(y):
        powers = np.log([float(q) for q in ratios])
        return np.exp(
            powers[0] * abs(y + near * steps[0]) + powers[1] * abs(y - near * steps[1])
        ).sum()

    return max(image(y) / image(y + 1) for y in places)


def test_plain_update_comes_near_the_plain_loss_with_equal_laws_only():
    """A chain of two nodes: 4 as a limit where the laws are alike; less where they are not."""
    case = Case((("a",),), (HALF, HALF), "add-remove", 1, (), "plain-update", 1)
    assert worst_ratio(case) == (4, 4)
    assert 3.9 < chain_loss((HALF, HALF), (1, 1), range(100)) < 4
    # weights 1/4 and 2/3, in the ratio 3 to 8: k (8, -3) is what the update does not see
    case = Case((("a",),), (HALF, THIRD), "add-remove", 1, (), "plain-update", 1)
    assert worst_ratio(case) == (1, 6)
    assert chain_loss((HALF, THIRD), (8, 3), range(-60, 60)) < 5.999


def test_pairs_and_streets_keep_their_order():
    """Revision keeps the loss, an update keeps it or lowers it, non-negativity at most doubles."""
    seen = 0
    for case in cases(small=True):
        given = worst_ratio(case)
        plain = worst_ratio(Case(**{**vars(case), "street": "plain"}))
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


def test_the_worst_tables_of_revised_nonnegative_ones_are_empty():
    """Theory 3.8, theorem 4: adding to an empty table is worst; replacing has a bound by it."""
    for case in cases(small=True):
        if case.street != "revise-nonnegative" or case.pinned:
            continue
        moves = [move for move in exact_loss.differences(case) if min(move) >= 0 and any(move)]
        if case.relation == "add-remove":
            zero = (0,) * len(case.paths)
            found = max(
                exact_loss.shift(case, m) * normaliser(case, m) / normaliser(case, zero)
                for m in moves
            )
            assert worst_ratio(case).below == found


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
