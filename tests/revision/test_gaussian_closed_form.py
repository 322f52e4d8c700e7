"""Gaussian noise given equalities: conditioning is the weighted projection."""

import math
from fractions import Fraction

import numpy as np
import pytest

from holdfast.foundation.errors import BadChance, BadParameter
from holdfast.foundation.randomness import seeded, tape
from holdfast.noise.gaussian import Gaussian
from holdfast.noise.laplace import Laplace
from holdfast.revision.closed_forms.gaussian_closed_form import GaussianClosedForm
from holdfast.revision.closed_forms.gaussian_tree import GaussianTree
from holdfast.revision.evidence import NotProven
from holdfast.revision.noisy_system import NoisySystem, system_of
from holdfast.revision.noisy_tree import NoisyTree
from holdfast.worlds.exact_rows import Row
from holdfast.worlds.hierarchy import Hierarchy
from tests.plain.lattice import image, inverse, kernel, least_squares, product
from tests.plain.statistics import ALARM, smallest_visible_fault, strays

DRAWS = 40_000
RAGGED = Hierarchy.from_paths([("a", "x"), ("a", "y"), ("b", "u"), ("b", "v"), ("b", "w"), ("c",)])
PINS = [(), (0,), (1,), (0, 1, 2, 3), (1, 4, 5), (4, 5, 6, 7, 8), tuple(range(9))]


def system(rows, variances):
    terms = [tuple((cell, x) for cell, x in enumerate(row) if x) for row in rows]
    return NoisySystem([Gaussian.with_variance(v) for v in variances], [Row(t, 0) for t in terms])


def noisy_tree(pinned=()):
    return NoisyTree(RAGGED, [Gaussian.with_variance(v) for v in ("2", "0.5", "3")], pinned)


def dense(rows, width):
    return [[dict(row.terms).get(cell, 0) for cell in range(width)] for row in rows]


def systems(count=40):
    """Random rows, some of them dependent, and variances; always the same ones."""
    rng = np.random.default_rng(6)
    for _ in range(count):
        cells = int(rng.integers(1, 7))
        rows = rng.integers(-3, 4, (int(rng.integers(0, cells + 1)), cells)).tolist()
        rows += rows[:1] if rng.integers(2) else []
        yield rows, [Fraction(int(x), 4) for x in rng.integers(1, 20, cells)]


def exactly(rows, variances):
    """S(D); 0 where the rows leave no freedom."""
    if not kernel(rows, len(variances)):
        return np.zeros((len(variances), len(variances)))
    return np.array(least_squares(rows, variances), dtype=float)


def by_the_formula(rows, variances):
    """D - D A' (A D A')**-1 A D, in fractions, for independent rows."""
    moved = [[Fraction(x) * v for x, v in zip(row, variances, strict=True)] for row in rows]
    columns = [list(column) for column in zip(*rows, strict=True)]
    gram = inverse(product(moved, columns))
    taken = product([list(line) for line in zip(*moved, strict=True)], product(gram, moved))
    cells = range(len(variances))
    return [[variances[a] * (a == b) - taken[a][b] for b in cells] for a in cells]


def independent():
    """The systems whose rows are independent, and that leave some freedom."""
    found = [(r, v) for r, v in systems(120) if r]
    return [(r, v) for r, v in found if len(v) - len(kernel(r, len(v))) == len(r) < len(v)]


def test_conditioning_is_the_weighted_projection():
    """Two formulas, equal as fractions.

    Conditioning: the density on the plane A u = 0 has precision K' D**-1 K along a basis K, so
    its covariance is K (K' D**-1 K)**-1 K'. Projection: D - D A' (A D A')**-1 A D.
    """
    assert len(independent()) > 20
    assert all(least_squares(r, v) == by_the_formula(r, v) for r, v in independent())


def test_with_equal_variances_it_is_the_nearest_point():
    """Spherical noise: revision and L2 imaging have one covariance, as fractions."""
    for rows, variances in independent():
        alike = [variances[0]] * len(variances)
        assert least_squares(rows, alike) == image(rows, alike)


def test_with_unequal_variances_the_nearest_point_is_another_law():
    assert any(least_squares(r, v) != image(r, v) for r, v in independent())


def widest_error(make=GaussianClosedForm):
    """Return the greatest error of a covariance over all systems, relative to the variances."""
    worst = 0.0
    for rows, variances in systems():
        exact, made = exactly(rows, variances), make(system(rows, variances))
        cells = range(len(variances))
        found = np.array([[made.covariance(a, b) for b in cells] for a in cells])
        worst = max(worst, np.abs(found - exact).max() / float(max(variances)))
        worst = max(worst, np.abs(made.variance() - exact.diagonal()).max() / float(max(variances)))
    return worst


def unweighted(system):
    """A twin that takes every cell to have the first one's variance."""
    return GaussianClosedForm(NoisySystem(system.laws[:1] * len(system.laws), system.rows))


def with_a_row_less(system):
    return GaussianClosedForm(NoisySystem(system.laws, system.rows[1:]))


def test_every_covariance_is_that_of_the_projection():
    assert widest_error() < 1e-12


@pytest.mark.parametrize("sabotage", [unweighted, with_a_row_less])
def test_the_covariance_test_barks(sabotage):
    assert widest_error(sabotage) > 0.01


def tree_error(pinned, tree):
    """Return the greatest error of a covariance on the ragged tree."""
    rows = system_of(noisy_tree(pinned))
    variances = [law.variance for law in rows.laws]
    exact = exactly(dense(rows.rows, RAGGED.size), variances)
    nodes = range(RAGGED.size)
    found = np.array([[tree.covariance(a, b) for b in nodes] for a in nodes])
    return max(np.abs(found - exact).max(), np.abs(tree.variance() - exact.diagonal()).max())


@pytest.mark.parametrize("pinned", PINS)
def test_two_sweeps_on_a_tree_are_the_projection(pinned):
    assert tree_error(pinned, GaussianTree(noisy_tree(pinned))) < 1e-14
    assert tree_error(pinned, GaussianClosedForm(system_of(noisy_tree(pinned)))) < 1e-13


def test_the_tree_test_barks():
    """Levels exchanged, and a pin forgotten."""
    laws = [Gaussian.with_variance(v) for v in ("3", "0.5", "2")]
    assert tree_error((), GaussianTree(NoisyTree(RAGGED, laws))) > 0.01
    assert tree_error((1,), GaussianTree(noisy_tree())) > 0.01


@pytest.mark.parametrize("pinned", PINS)
def test_every_draw_adds_up(pinned):
    """Parents are their children's sums, and pinned nodes 0, to the rounding of floats."""
    for sampler in (GaussianTree, lambda tree: GaussianClosedForm(system_of(tree))):
        noise = sampler(noisy_tree(pinned)).noise(seeded(1), 50)
        sums = np.array([RAGGED.aggregate(line[RAGGED.leaf_nodes]) for line in noise])
        assert np.abs(noise - sums).max() < 1e-13
        assert np.abs(noise[:, list(pinned)]).max(initial=0) < 1e-13


def directions(size):
    """Each cell, and mixtures of cells: what a wrong covariance shows in."""
    rng = np.random.default_rng(2)
    return np.concatenate([np.eye(size), rng.normal(size=(6, size))])


def normal(x):
    return math.erfc(-x / math.sqrt(2)) / 2


def is_the_law(noise, covariance):
    """Return whether along every direction the draws have the normal law of this covariance.

    The alarm of 1e-9 is divided among the directions.
    """
    ways = directions(len(covariance))
    for way in ways:
        sigma = math.sqrt(way @ covariance @ way)
        along = noise @ way
        if sigma < 1e-9:
            if np.abs(along).max() > 1e-9:
                return False
        elif strays(along, lambda x, s=sigma: normal(x / s), ALARM / len(ways)):
            return False
    return True


ROWS, VARIANCES = (
    [[1, 1, -1, 0], [0, 2, 1, -1]],
    [Fraction(1), Fraction(1, 4), Fraction(9), Fraction(2)],
)


def nearest_points(chance, count):
    """A twin: the nearest point, all cells alike, of noise with unequal variances."""
    drawn = Gaussian.with_variance(1).draw(chance, (count, 4)) * np.sqrt([1, 0.25, 9, 2])
    flat = np.array(least_squares(ROWS, [Fraction(1)] * 4), dtype=float)
    return drawn @ flat


def without_the_rows(chance, count):
    return Gaussian.with_variance(1).draw(chance, (count, 4)) * np.sqrt([1, 0.25, 9, 2])


def test_draws_have_the_law():
    """A fault of 0.0275 in distribution, along any of at most 15 directions, is seen."""
    assert smallest_visible_fault(DRAWS, ALARM / 15) < 0.0275
    noise = GaussianClosedForm(system(ROWS, VARIANCES)).noise(seeded(3), DRAWS)
    assert is_the_law(noise, exactly(ROWS, VARIANCES))
    rows = system_of(noisy_tree((1,)))
    exact = exactly(dense(rows.rows, RAGGED.size), [law.variance for law in rows.laws])
    assert is_the_law(GaussianTree(noisy_tree((1,))).noise(seeded(4), DRAWS), exact)


@pytest.mark.parametrize("sabotage", [nearest_points, without_the_rows])
def test_the_test_of_draws_barks(sabotage):
    assert not is_the_law(sabotage(seeded(3), DRAWS), exactly(ROWS, VARIANCES))


def test_a_draw_is_the_projection_of_an_unconditioned_one():
    """The same chance, draw for draw: revision is a map of the noise, so post-processing."""
    noise = GaussianClosedForm(system(ROWS, VARIANCES)).noise(seeded(5), 7)
    drawn = without_the_rows(seeded(5), 7)
    keep = np.array(least_squares(ROWS, VARIANCES), dtype=float) / np.array(VARIANCES, dtype=float)
    assert np.abs(noise - drawn @ keep.T).max() < 1e-13


def test_no_rows_and_rows_that_leave_nothing():
    free = GaussianClosedForm(system([], [1, 4]))
    assert free.variance().tolist() == [1, 4]
    assert free.noise(seeded(1), 3).shape == (3, 2)
    fixed = GaussianClosedForm(system([[1, 0], [1, 1]], [1, 4]))
    assert np.abs(fixed.variance()).max() < 1e-14
    assert np.abs(fixed.noise(seeded(1), 3)).max() < 1e-14
    one = GaussianTree(NoisyTree(Hierarchy.from_paths([("a",)]), [Gaussian(Fraction(1))] * 2))
    assert one.variance().tolist() == [0.5, 0.5]
    assert one.noise(seeded(1), 0).shape == (0, 2)


def test_floats_are_not_proven():
    samplers = [GaussianClosedForm(system(ROWS, VARIANCES)), GaussianTree(noisy_tree())]
    assert all(isinstance(sampler.evidence, NotProven) for sampler in samplers)


def test_other_laws_are_refused():
    laws = [Gaussian.with_variance(1), Laplace.with_scale(1)]
    with pytest.raises(BadParameter, match="continuous Gaussian"):
        GaussianClosedForm(NoisySystem(laws, []))
    with pytest.raises(BadParameter, match="continuous Gaussian"):
        GaussianTree(NoisyTree(Hierarchy.from_paths([("a",)]), laws))


@pytest.mark.parametrize(
    "make",
    [lambda: GaussianClosedForm(system(ROWS, VARIANCES)), lambda: GaussianTree(noisy_tree())],
)
def test_what_cannot_be_drawn_is_refused_before_any_chance(make):
    sampler, chance = make(), tape([])
    for count in (-1, 1.5, None):
        with pytest.raises(BadParameter):
            sampler.noise(chance, count)
    with pytest.raises(BadChance):
        sampler.noise(np.random.default_rng(1), 3)
    for cell in (-1, 99, "a"):
        with pytest.raises(BadParameter):
            sampler.covariance(0, cell)


def test_the_variances_of_a_large_system_are_refused():
    """One solution a cell: asked for cell by cell, or of a tree by its two sweeps."""
    large = GaussianClosedForm(system([], [1] * 10_001))
    with pytest.raises(BadParameter, match="at most 10000 cells"):
        large.variance()
    assert large.covariance(10_000, 10_000) == 1
