"""Groups in closed form, whole numbers: weights, compositions, draws, moments."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import holdfast as hf
from holdfast.foundation.bounds import Bounds
from holdfast.foundation.errors import BadParameter
from holdfast.foundation.randomness import Tape, seeded
from holdfast.noise.inversion import Weights, floors
from holdfast.noise.laplace import Laplace
from holdfast.revision.closed_forms import group as closed_form
from holdfast.revision.closed_forms.compositions import compositions
from holdfast.revision.closed_forms.group import GroupClosedForm, draw_total
from holdfast.revision.closed_forms.group_cells import ComposedCells, GroupCells
from holdfast.revision.closed_forms.group_moments import (
    integer_moments,
    mean_size_given_no_sum,
    moment_given_sum,
    sum_density,
    total_moments,
    variance_given_no_sum,
)
from holdfast.revision.closed_forms.group_weights import GroupTotal, Overlap
from holdfast.revision.closed_forms.halves import HalfTables, Halves
from holdfast.revision.evidence import Exact
from holdfast.revision.noisy_tree import NoisyTree
from tests.plain import masses
from tests.plain.conditional import conditional_law, smallest_visible_fault, strays
from tests.plain.enumeration import agrees, law

ratio = hf.DiscreteLaplace.with_ratio
scale = hf.DiscreteLaplace.with_scale
HALF, THIRD = ratio(Fraction(1, 2)), ratio(Fraction(1, 3))
FLAT = ratio(1 - Fraction(1, 10**6))


def chances(weights: Weights) -> list[float]:
    whole = sum(weight.below for weight in weights.listed)
    return [float(Fraction(weight.below, whole)) for weight in weights.listed]


def sums_of_cells(cells: int, q: Fraction, reach: int) -> list[Fraction]:
    """Weight of each total 0, 1, ... of so many cells, by adding cell after cell."""
    far = 60
    one = [q ** abs(k) for k in range(-far, far + 1)]
    some = one
    for _ in range(cells - 1):
        some = [
            sum((some[i] * one[k - i + far] for i in range(len(some)) if abs(k - i) <= far),
                Fraction(0))
            for k in range(len(some))
        ]  # fmt: skip
    return some[far : far + reach + 1]


@pytest.mark.parametrize("cells", [1, 2, 3, 4])
def test_weights_of_totals_are_those_of_cells_added_up(cells):
    """To the mass that cells beyond 60 have: below 1e-16 of the whole."""
    found, _ = GroupTotal(cells, HALF, THIRD).sizes(80)
    unit = Fraction(1, 1 << found[0].precision)
    for k, weight in enumerate(sums_of_cells(cells, Fraction(1, 2), 6)):
        expected = weight / 3**k
        assert float(found[k].below * unit) == pytest.approx(float(expected), rel=1e-14)
        assert found[k].above - found[k].below < found[k].below >> 60


def test_weights_on_the_lattice_of_three_cells():
    found, _ = GroupTotal(3, HALF, FLAT).sizes(60)
    unit = Fraction(1, 1 << found[0].precision)
    for k, expected in enumerate((Fraction(11, 3), Fraction(10, 3), Fraction(8, 3))):
        assert float(found[k].below * unit) == pytest.approx(float(expected), rel=3e-6)


@pytest.mark.parametrize(("cells", "law"), [(1, HALF), (3, HALF), (5, THIRD), (20, ratio("0.9"))])
def test_rational_cumulatives_are_those_of_the_weights(cells, law):
    for weighing in (GroupTotal(cells, law, THIRD), Overlap(cells, 0, law), Overlap(cells, 7, law)):
        total = 0.0
        for outcome, chance in enumerate(chances(weighing.weigh(80))[:12]):
            total += chance
            assert float(weighing.cumulative(outcome)) == pytest.approx(total, rel=1e-12)


def test_a_cumulative_that_is_a_multiple_of_a_power_of_two_is_decided():
    """Three cells of ratio 1/2 with total 2: the overlap is 0 with chance 243/1024."""
    assert Overlap(3, 2, HALF).cumulative(0) == Fraction(243, 1024)
    assert floors(Overlap(3, 2, HALF), 10)[0] == 243
    assert GroupTotal(3, scale(1), HALF).cumulative(0) is None
    assert Overlap(3, 2, scale(1)).cumulative(0) is None


@pytest.mark.parametrize(
    "weighing",
    [
        GroupTotal(4, HALF, THIRD),
        GroupTotal(30, scale(3), scale(2)),
        GroupTotal(2, ratio(Fraction(1, 1000)), scale(9)),
        Overlap(4, 3, HALF),
        Overlap(30, 5, scale(3)),
        Overlap(2, 0, ratio(Fraction(1, 1000))),
        Overlap(3, 500, scale(20)),
    ],
)
def test_what_is_not_listed_weighs_less_than_the_bound(weighing):
    """A finer table lists more: what it adds, and its own bound, stay within the coarse bound."""
    coarse, fine = weighing.weigh(40), weighing.weigh(160)
    top = max(range(len(coarse.listed)), key=lambda place: coarse.listed[place].below)
    per_unit = Fraction(coarse.listed[top].above, fine.listed[top].below)
    beyond = sum(weight.above for weight in fine.listed[len(coarse.listed) :]) + fine.rest
    assert beyond * per_unit <= coarse.rest * (1 + Fraction(1, 2**20)) + 1
    whole = sum(weight.below for weight in coarse.listed)
    assert Fraction(coarse.rest, whole) < Fraction(len(coarse.listed), 2**38)


def exact_overlaps(cells: int, size: int, q: Bounds, reach: int) -> dict[int, Bounds]:
    """The overlap's law by its definition: X and Y geometric, sums given."""
    numbers = [
        math.comb(t + size + cells - 1, cells - 1) * math.comb(t + cells - 1, cells - 1)
        for t in range(3 * reach)
    ]
    low = sum(number * q.below ** (2 * t) for t, number in enumerate(numbers))
    high = sum(number * q.above ** (2 * t) for t, number in enumerate(numbers))
    high += 4 * numbers[-1] * q.above ** (2 * len(numbers))
    return {
        t: Bounds(numbers[t] * q.below ** (2 * t) / high, numbers[t] * q.above ** (2 * t) / low)
        for t in range(reach)
    }


OVERLAPS = [(2, 0, HALF), (2, 3, HALF), (3, 2, HALF), (3, 1, THIRD), (2, 1, scale(1))]


def overlap_on_tapes(cells: int, size: int, given: hf.DiscreteLaplace):
    group = ComposedCells(cells, given)
    return lambda chance: int(group.overlaps(np.array([size]), chance)[0])


@pytest.mark.parametrize(("cells", "size", "given"), OVERLAPS)
def test_overlaps_on_every_tape(cells, size, given):
    q = Bounds.exactly(given.ratio) if given.ratio else masses.exp(Fraction(-1))
    right, left = agrees(
        overlap_on_tapes(cells, size, given), exact_overlaps(cells, size, q, 25), depth=3, width=4
    )
    assert right
    assert left < Fraction(1, 100)


def test_the_test_of_overlaps_barks():
    """Another sum, another number of cells, the ratio instead of its square."""
    expected = exact_overlaps(3, 2, Bounds.exactly(Fraction(1, 2)), 25)
    for cells, size, given in ((3, 1, HALF), (2, 2, HALF), (3, 2, ratio(Fraction(1, 4)))):
        assert not agrees(overlap_on_tapes(cells, size, given), expected, depth=3, width=4)[0]


def test_overlaps_of_many_sizes_are_those_of_each_alone():
    """Side by side each word is looked up in the table of its own size."""
    sizes = np.array([0, 5, 2, 5, 9, 0])
    group = ComposedCells(4, scale(2))
    together = group.overlaps(sizes, seeded(1))
    words = seeded(1).words(sizes.size).tolist()
    for size, word, outcome in zip(sizes.tolist(), words, together.tolist(), strict=True):
        assert outcome == sum(floor < word for floor in floors(Overlap(4, size, scale(2)), 64))


def test_a_word_equal_to_a_floor_is_refined():
    table = floors(Overlap(3, 2, scale(1)), 64)
    seen = set()
    for later in (0, 2**64 - 1):
        chance = hf.tape([table[1], later])
        seen.add(int(ComposedCells(3, scale(1)).overlaps(np.array([2]), chance)[0]))
    assert seen == {1, 2}


def draw_one(total: int, parts: int, chance: Tape) -> tuple[int, ...]:
    return tuple(compositions(np.array([total]), parts, chance)[0].tolist())


@pytest.mark.parametrize(("total", "parts"), [(0, 3), (1, 2), (2, 2), (1, 3), (2, 3), (1, 4)])
def test_every_composition_has_the_same_chance(total, parts):
    """One try of every tape with words of two bits: exactly equal, nothing left out."""
    found, left = law(lambda c: draw_one(total, parts, c), depth=total + parts - 1, width=2)
    every = [c for c in product(range(total + 1), repeat=parts) if sum(c) == total]
    assert set(found) == set(every)
    assert set(found.values()) == {(1 - left) / len(every)}
    assert left < Fraction(4, 5)


def multinomial(total: int, parts: int, chance: Tape) -> tuple[int, ...]:
    """Stars thrown into boxes one by one: not uniform."""
    boxes = [chance.below(parts) for _ in range(total)]
    return tuple(boxes.count(box) for box in range(parts))


def test_the_test_of_compositions_barks():
    found, _ = law(lambda c: multinomial(2, 2, c), depth=4, width=2)
    assert len(set(found.values())) > 1


def test_compositions_of_many_totals():
    totals = np.random.default_rng(1).integers(0, 400, 3000)
    for parts in (1, 2, 7, 100):
        drawn = compositions(totals, parts, seeded(2))
        assert (drawn.sum(axis=1) == totals).all()
        assert (drawn >= 0).all()
    assert compositions(totals[:0], 5, seeded(2)).shape == (0, 5)
    with pytest.raises(BadParameter, match="totals below"):
        compositions(np.array([2**33]), 2, seeded(2))


def test_long_rows_are_uniform():
    """First parts by their law; with 50 000 rows a fault of 0.026 is seen, false alarm 1e-9."""
    total, parts, rows = 40, 6, 50_000
    drawn = compositions(np.full(rows, total), parts, seeded(3))
    ways = [math.comb(total - k + parts - 2, parts - 2) for k in range(total + 1)]
    expected = np.cumsum(ways) / sum(ways)
    threshold = math.sqrt(math.log(2 * parts / 1e-9) / (2 * rows))
    assert threshold + math.sqrt(math.log(2e3) / (2 * rows)) < 0.026
    for column in drawn.T:
        seen = np.cumsum(np.bincount(column, minlength=total + 1)) / rows
        assert np.abs(seen - expected).max() < threshold
    thrown = np.random.default_rng(1).multinomial(total, [1 / parts] * parts, rows)[:, 0]
    seen = np.cumsum(np.bincount(thrown, minlength=total + 1)) / rows
    assert np.abs(seen - expected).max() > threshold


def exact_cells(cells: int, s: int, q: Fraction, reach: int) -> dict[tuple[int, ...], Fraction]:
    """The law of the cells given their sum, in a box, the last cell left out."""
    found = {
        (*u, s - sum(u)): q ** (sum(map(abs, u)) + abs(s - sum(u)))
        for u in product(range(-reach, reach + 1), repeat=cells - 1)
        if abs(s - sum(u)) <= reach
    }
    whole = sum(found.values())
    return {world: weight / whole for world, weight in found.items()}


DRAWS = 60_000
WAYS = {
    "compositions": ComposedCells,
    "halves": lambda cells, given: Halves(cells, HalfTables(given)),
    "either": lambda cells, given: GroupCells(cells, HalfTables(given)),
}
SUMS = [(2, 0), (2, 3), (3, 0), (3, -2), (4, 1), (4, -5)]


@pytest.mark.parametrize(("cells", "s"), SUMS)
@pytest.mark.parametrize("q", [Fraction(1, 2), Fraction(1, 4)])
@pytest.mark.parametrize("way", WAYS)
def test_cells_given_their_sum_have_the_law(way, cells, s, q):
    """With 60 000 draws a fault of 0.022 in the order of worlds is seen; false alarm 1e-9."""
    assert smallest_visible_fault(DRAWS) < 0.022
    drawn = WAYS[way](cells, ratio(q)).draw(np.full(DRAWS, s), seeded(4))
    assert (drawn.sum(axis=1) == s).all()
    assert not strays(drawn, exact_cells(cells, s, q, 8), Fraction(1, 50))


def of_another_sign(cells: int, s: int, q: Fraction) -> np.ndarray:
    return -ComposedCells(cells, ratio(q)).draw(np.full(DRAWS, s), seeded(4))


def of_positive_and_negative_parts(cells: int, s: int, q: Fraction) -> np.ndarray:
    """No overlap: all cells of the sum's sign."""
    sign = 1 if s > 0 else -1
    return sign * compositions(np.full(DRAWS, abs(s)), cells, seeded(4))


def by_multinomial_compositions(cells: int, s: int, q: Fraction) -> np.ndarray:
    overlap = ComposedCells(cells, ratio(q)).overlaps(np.full(DRAWS, abs(s)), seeded(4))
    rng = np.random.default_rng(4)
    even = [1 / cells] * cells
    both = [rng.multinomial(totals, even) for totals in (overlap + abs(s), overlap)]
    return (1 if s > 0 else -1) * (both[0] - both[1])


def with_the_overlap_of_no_sum(cells: int, s: int, q: Fraction) -> np.ndarray:
    overlap = ComposedCells(cells, ratio(q)).overlaps(np.zeros(DRAWS, dtype=np.int64), seeded(4))
    both = compositions(np.concatenate([overlap + abs(s), overlap]), cells, seeded(5))
    return (1 if s > 0 else -1) * (both[:DRAWS] - both[DRAWS:])


@pytest.mark.parametrize(
    "sabotage",
    [
        of_another_sign,
        of_positive_and_negative_parts,
        by_multinomial_compositions,
        with_the_overlap_of_no_sum,
    ],
)
def test_the_test_of_cells_barks(sabotage):
    for cells, s in ((3, -2), (4, -5)):
        expected = exact_cells(cells, s, Fraction(1, 2), 8)
        assert strays(sabotage(cells, s, Fraction(1, 2)), expected, Fraction(1, 50))


def group(leaves: int, node, given, pinned=()) -> NoisyTree:
    tree = hf.Hierarchy.from_paths([(place,) for place in range(leaves)])
    return NoisyTree(tree, [node, given], pinned)


GROUPS = [
    group(2, HALF, THIRD),
    group(3, THIRD, HALF),
    group(4, scale(2), ratio(Fraction(1, 4))),
    group(1, scale(2), THIRD),
    group(3, HALF, scale(1), pinned=(0,)),
]


@pytest.mark.parametrize("given", GROUPS, ids=repr)
def test_groups_have_the_conditional_law(given):
    """With 60 000 draws a fault of 0.022 in the order of worlds is seen; false alarm 1e-9."""
    reach = {1: 9, 2: 8, 3: 5, 4: 3}[given.tree.size - 1]
    drawn = GroupClosedForm(given).noise(seeded(6), DRAWS)
    assert GroupClosedForm(given).evidence == Exact()
    assert not strays(drawn, *conditional_law(given, reach))


@pytest.mark.parametrize("node", [ratio("0.99"), ratio(Fraction(3, 4)), THIRD])
def test_the_test_of_groups_barks(node):
    """The node's weight forgotten, or of another scale."""
    expected = conditional_law(group(3, HALF, HALF), 5)
    assert strays(GroupClosedForm(group(3, node, HALF)).noise(seeded(6), DRAWS), *expected)


def test_totals_on_every_tape():
    """The total of two cells under a node, its signs included."""
    given = GroupTotal(2, THIRD, HALF)
    sizes = sums_of_cells(2, Fraction(1, 3), 30)
    weights = {k: sizes[abs(k)] / 2 ** abs(k) for k in range(-30, 31)}
    whole = sum(weights.values())
    rest = Fraction(1, 10**15)
    expected = {k: Bounds(w / (whole + rest), w / whole + rest) for k, w in weights.items()}
    right, left = agrees(lambda c: int(draw_total(given, c, 1)[0]), expected, depth=4, width=4)
    assert right
    assert left < Fraction(1, 1000)
    for other in (GroupTotal(2, THIRD, THIRD), GroupTotal(3, THIRD, HALF)):
        assert not agrees(lambda c, o=other: int(draw_total(o, c, 1)[0]), expected, 4, 4)[0]


TABLE = [  # cells, variance, mean size, density of the sum at 0; scale 1
    (2, ".5", ".5", ".25"),
    (3, ".8333333333", ".6666666667", ".1875"),
    (4, "1.05", ".75", ".15625"),
    (5, "1.2", ".8", ".13671875"),
    (6, "1.3095238095", ".8333333333", ".12304688"),
    (7, "1.3928571429", ".8571428571", ".11279297"),
    (8, "1.4583333333", ".875", ".10473633"),
    (9, "1.5111111111", ".8888888889", ".09819031"),
    (10, "1.5545454545", ".9", ".09273529"),
    (100, "1.9505940594", ".99", ".02831582"),
]


def same(number: Fraction, digits: str) -> bool:
    """Whether a number is another to the digits given."""
    places = len(digits.partition(".")[2])
    return abs(number - Fraction(digits)) <= Fraction(1, 2 * 10**places)


@pytest.mark.parametrize(("cells", "variance", "size", "density"), TABLE)
def test_the_moments_of_real_cells(cells, variance, size, density):
    assert same(variance_given_no_sum(cells), variance)
    assert variance_given_no_sum(cells, 3) == 9 * moment_given_sum(cells, 0, 2)
    assert same(mean_size_given_no_sum(cells), size)
    assert mean_size_given_no_sum(cells, 3) == 3 * moment_given_sum(cells, 0, 1)
    found, exponent = sum_density(cells)
    assert exponent == 0
    assert same(found, density)
    assert found == Fraction(math.comb(2 * cells - 2, cells - 1), 2 ** (2 * cells - 1))
    # the projection's variance, and the ratio to it
    assert variance_given_no_sum(cells) / (2 * (1 - Fraction(1, cells))) == Fraction(
        2 * cells - 1, 2 * cells + 2
    )


@pytest.mark.parametrize(
    ("cells", "s", "square", "size"),
    [
        (2, 1, ".916667", ".75"),
        (3, 2, "1.653846", ".974359"),
        (5, -4, "2.500825", "1.151238"),
        (10, 7, "2.648734", "1.148452"),
    ],
)
def test_the_moments_of_real_cells_given_a_sum(cells, s, square, size):
    assert same(moment_given_sum(cells, s, 2), square)
    assert same(moment_given_sum(cells, s, 1), size)
    assert moment_given_sum(cells, s, 0) == 1
    assert moment_given_sum(1, s, 2) == s * s


@pytest.mark.parametrize(
    ("cells", "given", "variance"),
    [
        (2, scale(1), ".36203083"),
        (2, scale(3), "4.33697272"),
        (5, scale(3), "10.62873242"),
        (69, scale(3), "17.19209681"),
    ],
)
def test_the_variances_of_whole_cells(cells, given, variance):
    """Two ways: as the total of the other cells under one's own law, and by the overlap."""
    _, bounds = integer_moments(cells, given)
    assert bounds.width < Fraction(1, 10**30)
    assert same(bounds.below, variance)
    overlap = chances(Overlap(cells, 0, given).weigh(80))
    mean = sum(t * chance for t, chance in enumerate(overlap))
    square = sum(t * t * chance for t, chance in enumerate(overlap))
    by_overlap = 2 * (cells - 1) / (cells**2 * (cells + 1)) * (cells * mean + square)
    assert by_overlap == pytest.approx(float(bounds), rel=1e-12)


def test_moments_of_whole_numbers_in_fractions():
    """Two cells of ratio 1/2 with no sum: weight 4**-|k|."""
    size, variance = integer_moments(2, HALF)
    assert Fraction(8, 15) in size
    assert Fraction(40, 27) * Fraction(3, 5) in variance
    assert integer_moments(1, HALF) == (Bounds.exactly(0), Bounds.exactly(0))


def test_one_node_over_leaves():
    """Ratio 1/2: the chance that all noise is 0, and the variance of the node."""
    for leaves, chance, variance in (
        (2, Fraction(3, 11), "1.5622895623"),
        (3, Fraction(27, 245), "2.0136054422"),
    ):
        given = GroupTotal(leaves, HALF, HALF)
        sizes, _ = given.sizes(120)
        unit = 1 << sizes[0].precision
        whole = Fraction(2 * sum(size.below for size in sizes) - sizes[0].below, unit)
        assert abs(1 / whole - chance) < Fraction(1, 10**20)
        assert same(total_moments(given)[1].below, variance)


def square_given(cells: int, size: int, given) -> float:
    """The mean square of one cell given the size of their sum, by the overlap."""
    n, answer = cells, 0.0
    for t, chance in enumerate(chances(Overlap(n, size, given).weigh(80))):
        a = t + size
        answer += chance * (
            (a * (2 * a + n - 1) + t * (2 * t + n - 1)) / (n * (n + 1)) - 2 * a * t / n**2
        )
    return answer


TREES = [  # ratio, groups, chance of all 0, variances: root, first group, its leaf, second group
    (HALF, (2, 1), ".2816431097", (".8216942893", ".6985679656", "1.2084399967", ".4808582495")),
    (HALF, (2, 2), ".1391275320", ("0.9954171021", ".7838232319", "1.2455943137", ".7838232319")),
    (HALF, (3, 2), ".0586596467", ("1.0871043556", None, None, None)),
    (scale(3), (2, 1), ".0435693816", ("4.2180970147", "3.6074933083", "5.8772279258", None)),
]


@pytest.mark.parametrize(("given", "groups", "nothing", "variances"), TREES)
def test_the_variances_of_small_trees(given, groups, nothing, variances):
    """From the closed forms of both groups and one sum over both totals."""
    reach = 60 if given is HALF else 200
    tables = [GroupTotal(n, given, given).sizes(120)[0] for n in groups]
    a, b = (
        np.array([float(Fraction(w.below, 1 << w.precision)) for w in table[: reach + 1]])
        for table in tables
    )
    a, b = (np.pad(x, (0, max(0, reach + 1 - x.size))) for x in (a, b))
    totals = np.arange(-reach, reach + 1)
    sums = totals[:, None] + totals
    weights = a[np.abs(totals)][:, None] * b[np.abs(totals)]
    weights = weights * math.exp(-float(given.rate)) ** np.abs(sums)
    assert same(Fraction(1 / weights.sum()), nothing)
    weights /= weights.sum()
    first = weights.sum(axis=1)
    squares = [square_given(groups[0], abs(s), given) for s in totals.tolist()]
    found = (
        (weights * sums**2).sum(),
        (first * totals**2).sum(),
        (first * squares).sum(),
        (weights.sum(axis=0) * totals**2).sum(),
    )
    for number, digits in zip(found, variances, strict=True):
        assert digits is None or same(Fraction(number), digits)


def test_a_large_group_is_drawn():
    """Variance of 200 cells at scale 3: within 6.2 standard errors, alarm 1e-9."""
    drawn = ComposedCells(200, scale(3)).draw(np.zeros(400, dtype=np.int64), seeded(7))
    squares = (drawn**2).mean(axis=1)
    variance = float(integer_moments(200, scale(3))[1])
    error = 6.2 * squares.std() / math.sqrt(len(squares))
    assert error < 0.9
    assert abs(squares.mean() - variance) < error


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (NoisyTree(hf.Hierarchy.from_paths([("a", "b")]), [HALF] * 3), "deeper tree"),
        (group(3, HALF, HALF, pinned=(1,)), "leaves with public totals"),
        (group(3, Laplace.with_scale(1), HALF), "discrete Laplace laws"),
        (group(3, hf.DiscreteGaussian.with_scale(1), HALF), "discrete Laplace laws"),
        (group(3, HALF, scale(10**6)), "larger group or scale"),
        (group(closed_form.LARGEST_GROUP + 1, HALF, HALF), "larger group or scale"),
    ],
)
def test_what_has_no_closed_form_is_refused_by_name(given, message):
    with pytest.raises(BadParameter, match=message):
        GroupClosedForm(given)
