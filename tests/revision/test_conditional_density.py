"""Small systems of Laplace noise, in fractions: every printed number, other routes, saboteurs."""

import math
import operator
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from holdfast.foundation.errors import BadParameter
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.laplace import Laplace
from holdfast.revision.closed_forms import conditional_density
from holdfast.revision.closed_forms.conditional_density import ConditionalDensity
from holdfast.revision.noisy_system import NoisySystem
from holdfast.worlds.exact_rows import Row
from tests.plain.lattice import image, least_squares

HALF = Fraction(1, 2)


def system(rows, scales):
    """The system of dense rows and one scale a cell."""
    terms = [tuple((cell, x) for cell, x in enumerate(row) if x) for row in rows]
    return NoisySystem([Laplace.with_scale(s) for s in scales], [Row(t, 0) for t in terms])


def tree_rows(*groups):
    """The sums of a root over groups over leaves, in that order."""
    size = 1 + len(groups) + sum(groups)
    rows, leaf = [[1, *[-1] * len(groups), *[0] * sum(groups)]], 1 + len(groups)
    for number, count in enumerate(groups):
        row = [0] * size
        row[1 + number] = 1
        row[leaf : leaf + count] = [-1] * count
        leaf += count
        rows.append(row)
    return rows


# four inner cells, two row sums, two column sums, the total
TABLE = [
    [1, 1, 0, 0, -1, 0, 0, 0, 0],
    [0, 0, 1, 1, 0, -1, 0, 0, 0],
    [1, 0, 1, 0, 0, 0, -1, 0, 0],
    [0, 1, 0, 1, 0, 0, 0, -1, 0],
    [0, 0, 0, 0, 1, 1, 0, 0, -1],
    [0, 0, 0, 0, 0, 0, 1, 1, -1],
]

# Theory note, section 4.2: fractions exactly, decimals to every digit printed there
SYSTEMS = {
    "parent = a + b": ([[1, 1, -1]], [1, 1, 1]),
    "parent = a + b, unequal": ([[1, 1, -1]], [1, 2, 3]),
    "sum of three": ([[1, 1, 1]], [1, 2, HALF]),
    "two rows over a, c, b, d": ([[1, -1, 2, 1], [1, 0, -1, 1]], [1] * 4),
    "1, 2, 3": ([[1, 2, 3]], [1] * 3),
    "tree (2, 1)": (tree_rows(2, 1), [1] * 6),
    "tree (2, 2)": (tree_rows(2, 2), [1] * 7),
    "tree (3, 2)": (tree_rows(3, 2), [1] * 8),
    "2x2 table": (TABLE, [1] * 9),
}
WEIGHTS = {
    "parent = a + b": "3/2",
    "parent = a + b, unequal": "22/5",
    "two rows over a, c, b, d": "12/25",
    "tree (2, 1)": "83/108",
    "tree (2, 2)": "697/648",
    "tree (3, 2)": "26909/15552",
    "2x2 table": "41/128",
}
VARIANCES = {
    "parent = a + b": "5/6 5/6 5/6",
    "parent = a + b, unequal": "1163/792 8248/2475 8091/2200",
    "sum of three": ".98412698 1.13269841 .38984127",
    "two rows over a, c, b, d": "41/75 24/25 8/75 41/75",
    "1, 2, 3": "1.46843434 .83313131 .40863636",
    "tree (2, 1)": "122/249 835/1992 1817/5976 4025/5976 4025/5976 1817/5976",
    "tree (2, 2)": ".57038100 .45707795 .45707795 .68856608 .68856608 .68856608 .68856608",
    "tree (3, 2)": ".61131963 .53338722 .47444783 "
    ".94590977 .94590977 .94590977 .69539415 .69539415",
    "2x2 table": " ".join(["1559/4428"] * 9),
}
MEAN_SIZES = {
    "tree (2, 1)": "43/83 239/498 199/498 599/996 599/996 199/498",
    "tree (2, 2)": "1171/2091 4205/8364 4205/8364 10181/16728 10181/16728 10181/16728 10181/16728",
    "2x2 table": " ".join(["4/9"] * 9),
}
LEAST_SQUARES = {
    "parent = a + b": "4/3 4/3 4/3",
    "parent = a + b, unequal": "1.857143 5.714286 6.428571",
    "sum of three": "1.61904762 1.90476190 .47619048",
    "two rows over a, c, b, d": "1.047619 1.714286 .190476 1.047619",
    "1, 2, 3": "1.857143 1.428571 .714286",
    "2x2 table": " ".join(["8/9"] * 9),
}
IMAGE = {"parent = a + b, unequal": "3.777778 5.777778 9.111111"}


def is_printed(value, printed):
    """Return whether a fraction is the printed one, or has the printed decimals."""
    if "/" in printed:
        return value == Fraction(printed)
    digits = len(printed.partition(".")[2])
    return abs(value - Fraction(printed)) <= Fraction(1, 2 * 10**digits)


def are_printed(values, printed):
    return all(is_printed(v, p) for v, p in zip(values, printed.split(), strict=True))


def diagonal(matrix):
    return [line[number] for number, line in enumerate(matrix)]


def agrees(name, made=None):
    """Return whether a system has every number that the note prints for it."""
    made = made or ConditionalDensity(system(*SYSTEMS[name]))
    return (
        (name not in WEIGHTS or made.weight == Fraction(WEIGHTS[name]))
        and are_printed(diagonal(made.variance()), VARIANCES[name])
        and (name not in MEAN_SIZES or are_printed(made.mean_sizes(), MEAN_SIZES[name]))
    )


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_printed_number(name):
    assert agrees(name)


def test_the_printed_covariance():
    """Sum of three: the covariance of the first two cells."""
    found = ConditionalDensity(system(*SYSTEMS["sum of three"])).variance()[0][1]
    assert is_printed(found, "-.86349206")


@pytest.mark.parametrize("name", LEAST_SQUARES)
def test_the_printed_projections(name):
    """The columns S(D) and L2 image."""
    rows, scales = SYSTEMS[name]
    variances = [2 * Fraction(s) ** 2 for s in scales]
    assert are_printed(diagonal(least_squares(rows, variances)), LEAST_SQUARES[name])
    if name in IMAGE:
        assert are_printed(diagonal(image(rows, variances)), IMAGE[name])


@pytest.mark.parametrize("n", range(2, 8))
def test_the_sum_constraint(n):
    """Section 4.1, in closed form, for every n that six free cells allow."""
    scale = Fraction(3, 2)
    made = ConditionalDensity(system([[1] * n], [scale] * n))
    at_zero = Fraction(math.comb(2 * n - 2, n - 1), 2 ** (2 * n - 1))
    assert made.weight == 2**n * scale ** (n - 1) * at_zero
    assert made.normaliser == at_zero / scale
    variance = scale**2 * Fraction((n - 1) * (2 * n - 1), n * (n + 1))
    assert set(diagonal(made.variance())) == {variance}
    assert set(made.mean_sizes()) == {scale * (1 - Fraction(1, n))}


@st.composite
def structures(draw):
    """Rows of small whole numbers, some of them dependent, and rational scales."""
    cells = draw(st.integers(2, 5))
    row = st.lists(st.integers(-3, 3), min_size=cells, max_size=cells)
    scales = st.fractions(Fraction(1, 4), 4, max_denominator=4)
    rows = draw(st.lists(row, min_size=1, max_size=cells))
    return rows, draw(st.lists(scales, min_size=cells, max_size=cells))


@settings(max_examples=60, deadline=None)
@given(structures())
def test_sizes_over_scales_add_up_to_the_number_of_free_cells(structure):
    """The universal statistic's mean, exactly; and the noise obeys the rows, exactly."""
    rows, scales = structure
    made = ConditionalDensity(system(rows, scales))
    over = (size / Fraction(scale) for size, scale in zip(made.mean_sizes(), scales, strict=True))
    assert sum(over) == len(made.free)
    given_noise = [Fraction(3, n + 2) for n in range(len(made.free))]
    noise = made.complete(given_noise)
    assert [noise[cell] for cell in made.free] == given_noise
    lines = [noise, *made.variance()]
    assert not any(sum(map(operator.mul, row, line)) for row in rows for line in lines)


@settings(max_examples=30, deadline=None)
@given(structures(), st.randoms(use_true_random=False))
def test_other_free_cells_give_the_same_law(structure, random):
    """Cells in another order: other free cells, the same covariance and mean sizes."""
    rows, scales = structure
    order = list(range(len(scales)))
    random.shuffle(order)
    shuffled = [[row[c] for c in order] for row in rows], [scales[c] for c in order]
    made, other = ConditionalDensity(system(*structure)), ConditionalDensity(system(*shuffled))
    covariance = made.variance()
    moved = tuple(tuple(covariance[a][b] for b in order) for a in order)
    assert other.variance() == moved
    assert other.mean_sizes() == tuple(made.mean_sizes()[c] for c in order)


def by_fourier(row, scales, one, other):
    """E(u_one u_other) and the density of row . U at 0, from characteristic functions."""

    def factors(t):
        return [1 / (1 + (s * a * t) ** 2) for a, s in zip(row, scales, strict=True)]

    def slope(t, cell):
        return -2 * scales[cell] ** 2 * row[cell] * t * factors(t)[cell] ** 2

    def bend(t, cell):
        s2, f = scales[cell] ** 2, factors(t)[cell]
        return -2 * s2 * f**2 + 8 * (s2 * row[cell] * t) ** 2 * f**3

    def product(t):
        rest = math.prod(f for c, f in enumerate(factors(t)) if c not in (one, other))
        mixed = bend(t, one) if one == other else slope(t, one) * slope(t, other)
        return -mixed * rest

    limits = {"epsabs": 1e-13, "epsrel": 1e-12, "limit": 400}
    at_zero = quad(lambda t: math.prod(factors(t)), 0, math.inf, **limits)[0] / math.pi
    return quad(product, 0, math.inf, **limits)[0] / math.pi / at_zero, at_zero


FOURIER = [
    ([1, 2, 3], [1, 1, 1]),
    ([1, -1, 2, 1], [1, 2, HALF, 3]),
    ([2, 3, -1, 1, 1], [1, HALF, 2, 1, Fraction(3, 2)]),
    ([1, 1, -2, 3, 1, -1], [1, 2, 1, HALF, 3, 1]),
    ([3, 1, -1, 2, 1, -2, 1], [1, 2, 1, HALF, 3, 1, Fraction(1, 3)]),
]


def fourier_agrees(row, scales, made):
    """Return whether one row of up to seven cells has the moments that integrals give."""
    floats = [float(s) for s in scales]
    covariance = made.variance()
    for one, other in ((0, 0), (0, 1), (1, 2)):
        found, at_zero = by_fourier(row, floats, one, other)
        if not math.isclose(found, covariance[one][other], rel_tol=1e-9):
            return False
    return math.isclose(made.normaliser, abs(row[0]) * at_zero, rel_tol=1e-9)


@pytest.mark.parametrize(("row", "scales"), FOURIER)
def test_one_row_agrees_with_fourier_integrals(row, scales):
    """Another route altogether: the density of row . U at 0, K = |solved coefficient| times it."""
    assert fourier_agrees(row, scales, ConditionalDensity(system([row], scales)))


def test_the_density_is_e_to_minus_the_size():
    made = ConditionalDensity(system([[1, 1, -1]], [1, 2, 3]))
    assert made.free == (1, 2)
    assert made.complete([HALF, 2]) == (Fraction(3, 2), HALF, 2)
    assert made.size([HALF, 2]) == Fraction(3, 2) + Fraction(1, 4) + Fraction(2, 3)
    assert made.density([0, 0]) == float(Fraction(5, 22))
    assert made.density([0.5, 2]) == pytest.approx(math.exp(-29 / 12) * 5 / 22, rel=1e-14)
    assert made.normaliser == made.weight / 8 / 6


def test_rows_may_repeat_force_cells_to_zero_or_be_empty():
    """Dependent rows change nothing; a forced cell has no noise; no row frees every cell."""
    plain = ConditionalDensity(system([[1, 1, 1]], [1, 2, 3]))
    repeated = ConditionalDensity(system([[1, 1, 1], [2, 2, 2], [0, 0, 0]], [1, 2, 3]))
    assert repeated.variance() == plain.variance()
    twice = [Row(((0, 1), (1, 1), (0, -1), (0, 1), (2, 1)), 0)]  # a cell named three times
    laws = [Laplace.with_scale(s) for s in (1, 2, 3)]
    assert ConditionalDensity(NoisySystem(laws, twice)).variance() == plain.variance()
    forced = ConditionalDensity(system([[1, 1, 0], [0, 0, 5]], [1, 1, 7]))
    assert forced.variance() == ((HALF, -HALF, 0), (-HALF, HALF, 0), (0, 0, 0))
    assert forced.mean_sizes() == (HALF, HALF, 0)
    assert forced.normaliser == Fraction(1, 4) / 14
    nothing = ConditionalDensity(system([[1, 0], [1, 1]], [1, 1]))
    assert (nothing.free, nothing.weight, nothing.complete([])) == ((), 1, (0, 0))
    alone = ConditionalDensity(system([], [2, 3]))
    assert alone.variance() == ((8, 0), (0, 18))
    assert alone.normaliser == 1


GENERIC = [[-(n == c - 5) if c > 4 else (n + 2) ** c for c in range(14)] for n in range(9)]


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (NoisySystem([DiscreteLaplace(HALF)], []), "continuous Laplace"),
        (system([], [1] * 7), "at most 6 free cells; found 7"),
        (system([[1] * 41], [1] * 41), "at most 40 cells; found 41"),
        (system(GENERIC, [1] * 14), "planes that meet in a line; found 1001"),
    ],
)
def test_what_is_too_large_or_of_another_law_is_refused(made, words):
    with pytest.raises(BadParameter, match=words):
        ConditionalDensity(made)


@pytest.mark.parametrize("noise", [[1], [1, 2, 3], [1, math.nan], [1, None]])
def test_noise_that_is_none_is_refused(noise):
    with pytest.raises(BadParameter):
        ConditionalDensity(system([[1, 1, -1]], [1, 2, 3])).complete(noise)


CHAMBERS, PLANES = conditional_density._chambers, conditional_density._planes
BROKEN = {
    "forgets a chamber": ("_chambers", lambda *a: list(CHAMBERS(*a))[1:]),
    "keeps one cone a chamber": ("_chambers", lambda *a: [cones[:1] for cones in CHAMBERS(*a)]),
    "forgets a plane": ("_planes", lambda forms: PLANES(forms)[:-1]),
    "forgets the volume": ("_determinant", lambda rows: 1),
    "forgets the products": ("_add_square", lambda *a: None),
}
SMALL = "tree (2, 1)"


@pytest.mark.parametrize(("part", "broken"), BROKEN.values(), ids=BROKEN.keys())
def test_the_printed_numbers_bark(part, broken, monkeypatch):
    monkeypatch.setattr(conditional_density, part, broken)
    assert not (agrees(SMALL) and agrees("1, 2, 3"))
    assert not fourier_agrees(
        *FOURIER[1], ConditionalDensity(system([FOURIER[1][0]], FOURIER[1][1]))
    )


@pytest.mark.parametrize(
    ("rows", "scales"),
    [
        (tree_rows(2, 1), [2, *[1] * 5]),
        (tree_rows(2, 1)[:-1], [1] * 6),
        (tree_rows(1, 2), [1] * 6),
        ([[-x for x in tree_rows(2, 1)[0][:3]] + [1, 0, 0], *tree_rows(2, 1)[1:]], [1] * 6),
    ],
    ids=["a doubled scale", "a row forgotten", "groups exchanged", "a wrong row"],
)
def test_another_system_is_told_apart(rows, scales):
    assert not agrees(SMALL, ConditionalDensity(system(rows, scales)))
    assert agrees(SMALL)


def test_exchanged_scales_are_told_apart():
    name = "parent = a + b, unequal"
    assert not agrees(name, ConditionalDensity(system([[1, 1, -1]], [2, 1, 3])))
