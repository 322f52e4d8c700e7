"""The theorems of docs/theory/revision.md: exactly on small structures, each with saboteurs."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.linalg import eigh

from holdfast.revision.closed_forms.conditional_density import ConditionalDensity
from tests.plain.lattice import (
    Gaussian,
    Laplace,
    Lattice,
    energy_of,
    image,
    is_nonnegative,
    kernel,
    least_squares,
    product,
)
from tests.revision.test_conditional_density import TABLE, system, tree_rows

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Structure:
    """Rows of whole numbers, not all of them 0, and a scale for each cell."""

    rows: tuple[tuple[int, ...], ...]
    scales: tuple[Fraction, ...]

    @property
    def variances(self):
        return [2 * scale**2 for scale in self.scales]

    @property
    def free(self):
        return len(kernel(self.rows, len(self.scales)))


@cache
def structures(count=40, free=(1, 2, 3), most=3):
    """Random structures, always the same ones."""
    rng = np.random.default_rng(12)
    found = []
    while len(found) < count:
        cells = int(rng.integers(2, 6))
        shape = (int(rng.integers(1, cells)), cells)
        rows = tuple(tuple(map(int, row)) for row in rng.integers(-most, most + 1, shape))
        scales = tuple(Fraction(int(n), 4) for n in rng.integers(1, 13, cells))
        structure = Structure(rows, scales)
        if structure.free in free:
            found.append(structure)
    return found


def density(structure):
    return ConditionalDensity(system(structure.rows, structure.scales))


def minus(one, other):
    return [[x - y for x, y in zip(a, b, strict=True)] for a, b in zip(one, other, strict=True)]


def covariance(structure):
    return density(structure).variance()


def bound(structure):
    return least_squares(structure.rows, structure.variances)


def first_theorem_holds(covariance: Callable, bound: Callable) -> bool:
    """Return whether bound - covariance is non-negative, without rounding, on every structure."""
    return all(is_nonnegative(minus(bound(s), covariance(s))) for s in structures())


def test_revision_has_less_error_than_the_best_projection():
    """Theorem 1 in fractions: S(D) - Cov(U | A U = 0) has no negative direction."""
    assert first_theorem_holds(covariance, bound)


def test_nor_has_any_other_linear_map_onto_the_rows_less():
    """Cov <= (I - L A) D (I - L A)' for random L, and for the nearest point."""
    rng = np.random.default_rng(3)
    for s in structures(20):
        found, cells = covariance(s), len(s.scales)
        assert is_nonnegative(minus(image(s.rows, s.variances), found))
        for _ in range(3):
            gain = [
                [Fraction(int(x), 3) for x in line]
                for line in rng.integers(-3, 4, (cells, len(s.rows)))
            ]
            move = product(gain, [list(map(Fraction, row)) for row in s.rows])
            left = minus([[Fraction(a == b) for b in range(cells)] for a in range(cells)], move)
            scaled = [[x * v for x, v in zip(line, s.variances, strict=True)] for line in left]
            error = product(scaled, [list(line) for line in zip(*left, strict=True)])
            assert is_nonnegative(minus(error, found))


def unconditioned(s):
    return [[v * (a == b) for b in range(len(s.scales))] for a, v in enumerate(s.variances)]


def with_exchanged_scales(s):
    return covariance(Structure(s.rows, s.scales[::-1]))


def with_a_row_less(s):
    return covariance(Structure(s.rows[1:], s.scales))


def without_weights(s):
    """The projection that takes all cells to have the mean variance."""
    mean = sum(s.variances) / len(s.scales)
    return least_squares(s.rows, [mean] * len(s.scales))


def with_half_the_variance(s):
    return least_squares(s.rows, [scale**2 for scale in s.scales])


@pytest.mark.parametrize(
    ("broken", "limit"),
    [
        (unconditioned, bound),
        (with_exchanged_scales, bound),
        (with_a_row_less, bound),
        (covariance, without_weights),
        (covariance, with_half_the_variance),
    ],
)
def test_the_first_theorem_barks(broken, limit):
    assert not first_theorem_holds(broken, limit)


PIECES = np.array([0, 0.012, 0.05, 0.15, 0.4, 1])
NODES = 14
FAR = 42.0  # e**-42 is what the cut-off leaves, up to a factor of the scales


def nodes_between(edges, nodes):
    """Gauss-Legendre nodes and weights on each segment, cut finer towards both of its ends."""
    at, weight = np.polynomial.legendre.leggauss(nodes)
    cuts = np.unique(np.concatenate([PIECES / 2, 1 - PIECES / 2]))
    low, high = edges[..., :-1, None], edges[..., 1:, None]
    points = low + (high - low) * cuts
    start, width = points[..., :-1, None], np.diff(points, axis=-1)[..., None]
    shape = (*edges.shape[:-1], -1)
    return (start + width * (at + 1) / 2).reshape(shape), (width * weight / 2).reshape(shape)


@dataclass(frozen=True)
class Plane:
    """Laplace noise on the vectors `start` + combinations of one or two `ways`."""

    rates: np.ndarray
    start: np.ndarray
    ways: np.ndarray

    def size(self, noise):
        return np.abs(noise) @ self.rates

    def reach(self):
        """Return how far the coordinates go before the size is FAR above its least."""
        turns = np.linspace(0, math.pi, 721)
        circle = np.stack([np.cos(turns), np.sin(turns)], axis=1)[:, : len(self.ways)]
        circle = circle if len(self.ways) == 2 else np.ones((1, 1))
        return (FAR + 2 * self.size(self.start)) / self.size(circle @ self.ways).min() * 1.1

    def points(self, nodes=NODES):
        """Return noise vectors and what each stands for, as a share of the whole."""
        reach = self.reach()
        before = [(np.zeros((1, 0)), np.ones(1))]
        if len(self.ways) == 2:
            t, w = nodes_between(np.array(self._crossings(reach)), nodes)
            before = [(t[:, None], w)]
        outer, weight = before[0]
        base = self.start + outer @ self.ways[: len(self.ways) - 1]
        last = self.ways[-1]
        moving = np.abs(last) > 1e-12
        edges = np.clip(-base[:, moving] / last[moving], -reach, reach)
        ends = np.full((len(base), 1), reach)
        edges = np.sort(np.concatenate([-ends, edges, ends], axis=1), axis=1)
        t, w = nodes_between(edges, nodes)
        noise = base[:, None, :] + t[..., None] * last
        shares = weight[:, None] * w * np.exp(-self.size(noise))
        return noise.reshape(-1, len(self.rates)), (shares / shares.sum()).ravel()

    def _crossings(self, reach):
        """Return the first coordinates at which the order of the inner edges can change."""
        lines = [(self.start[c], *self.ways[:, c]) for c in range(len(self.rates))]
        found = [-reach, reach]
        for a0, a1, a2 in lines:
            if abs(a2) < 1e-12 and abs(a1) > 1e-12:
                found.append(-a0 / a1)
            for b0, b1, b2 in lines:
                turn = a1 * b2 - b1 * a2
                if abs(turn) > 1e-12:
                    found.append((b0 * a2 - a0 * b2) / turn)
        return np.unique(np.round(np.clip(found, -reach, reach), 12))


def plane(structure, residual=None):
    """The noise given that the rows give the residual; `start` is any vector that does."""
    rows = np.array(structure.rows, dtype=float)
    ways = np.array(kernel(structure.rows, len(structure.scales)), dtype=float)
    ways = np.linalg.qr(ways.T)[0].T
    start = np.zeros(rows.shape[1]) if residual is None else np.linalg.pinv(rows) @ residual
    return Plane(1 / np.array(structure.scales, dtype=float), start, ways)


def moments(plane, nodes=NODES):
    """Return the covariance of the noise along the ways."""
    noise, shares = plane.points(nodes)
    along = noise @ plane.ways.T
    centred = along - shares @ along
    return (centred * shares[:, None]).T @ centred


@cache
def planes():
    """Structures with one or two free cells, each with three residuals that the rows can give."""
    rng = np.random.default_rng(8)
    cases = []
    for s in structures(12, (1, 2), 2):
        rows = np.array(s.rows, dtype=float)
        residuals = [rows @ rng.laplace(0, np.array(s.scales, dtype=float)) for _ in range(3)]
        cases.append((s, moments(plane(s)), [moments(plane(s, r)) for r in residuals]))
    return cases


def test_the_numerical_moments_are_good_to_nine_digits():
    """At residual 0 they are compared with fractions; elsewhere with more nodes."""
    for s, found, _ in planes():
        ways = plane(s).ways
        exact = ways @ np.array(covariance(s), dtype=float) @ ways.T
        assert np.abs(found - exact).max() <= 1e-9 * np.abs(exact).max()
    s, _, (found, *_) = planes()[0]
    rows = np.array(s.rows, dtype=float)
    residual = rows @ np.random.default_rng(8).laplace(0, np.array(s.scales, dtype=float))
    assert moments(plane(s, residual), 2 * NODES) == pytest.approx(found, rel=1e-9)


def least_ratio(at_zero, at_residual):
    """Return the least ratio of variances, residual over 0, over all directions."""
    return float(eigh(at_residual, at_zero, eigvals_only=True)[0])


def test_a_residual_never_makes_the_error_smaller():
    """Theorem 2: Cov(U | A U = r) >= Cov(U | A U = 0), up to the error of the integrals."""
    ratios = [least_ratio(zero, at) for _, zero, found in planes() for at in found]
    assert min(ratios) >= 1 - 1e-8
    assert max(ratios) > 2


def test_the_second_theorem_barks():
    """The roles exchanged, and the projection's covariance in the place of Cov at 0."""
    assert min(least_ratio(at, zero) for _, zero, found in planes() for at in found) < 0.5
    ratios = []
    for s, _, found in planes():
        ways = plane(s).ways
        limit = ways @ np.array(bound(s), dtype=float) @ ways.T
        ratios += [least_ratio(limit, at) for at in found]
    assert min(ratios) < 0.9


TOTAL_FIRST = [row[::-1] for row in TABLE]  # the listing prunes earlier so

INTEGER_SYSTEMS = {
    "node over 2": (0.5, [[1, -1, -1]], 3 / 11, {0: 1.5622895623}),
    "node over 3": (0.5, [[1, -1, -1, -1]], 27 / 245, {0: 2.0136054422}),
    "tree (2, 1)": (
        0.5,
        tree_rows(2, 1),
        0.2816431097,
        {0: 0.8216942893, 1: 0.6985679656, 3: 1.2084399967, 5: 0.4808582495},
    ),
    "tree (2, 2)": (
        0.5,
        tree_rows(2, 2),
        0.1391275320,
        {0: 0.9954171021, 1: 0.7838232319, 3: 1.2455943137},
    ),
    "2x2 table": (0.5, TOTAL_FIRST, 0.3542931583, dict.fromkeys(range(9), 0.5324321862)),
    "2x2 table, .3": (0.3, TOTAL_FIRST, 0.8613055235, dict.fromkeys(range(9), 0.0686392571)),
    "tree (2, 1), scale 3": (
        math.exp(-1 / 3),
        tree_rows(2, 1),
        0.0435693816,
        {0: 4.2180970147, 1: 3.6074933083, 3: 5.8772279258},
    ),
}


def printed_integers(ratio, rows, at_zero, variances, most=50.0):
    """Return whether a lattice has the printed ten digits, and the bound on what is not listed."""
    lattice = Lattice((Laplace(ratio),) * len(rows[0]), tuple(map(tuple, rows)), most)
    found = np.diag(lattice.covariance())
    zero = 1 / lattice.weight
    digits = max(abs(zero - at_zero), *(abs(found[c] - v) for c, v in variances.items()))
    return digits < 0.6e-10, lattice.left(2)


@pytest.mark.parametrize("name", INTEGER_SYSTEMS)
def test_every_printed_integer_number(name):
    """Section 4.3 to ten digits; what is not listed moves none of them by more than 6e-11."""
    right, left = printed_integers(*INTEGER_SYSTEMS[name])
    assert right
    assert left < 6e-11


def test_the_printed_integers_bark():
    """A ratio off by a millionth, a row less, and a listing that stops too early."""
    ratio, rows, at_zero, variances = INTEGER_SYSTEMS["tree (2, 1)"]
    assert not printed_integers(ratio * (1 + 1e-6), rows, at_zero, variances)[0]
    assert not printed_integers(ratio, rows[:1], at_zero, variances, 12.0)[0]
    assert not printed_integers(ratio, rows, at_zero, variances, 12.0)[0]


@cache
def lattices(law, parameters, most, count=60):
    """Random lattices of at most three dimensions, up to four cells."""
    rng = np.random.default_rng(31)
    found = []
    while len(found) < count:
        cells = int(rng.integers(2, 5))
        rows = rng.integers(-2, 3, (int(rng.integers(1, cells)), cells))
        noise = tuple(law(float(p)) for p in rng.choice(parameters, cells))
        if rows.any(axis=1).all():
            found.append(Lattice(noise, tuple(tuple(map(int, row)) for row in rows), most))
    return found


FAMILIES = {
    "Laplace": (Laplace, (0.2, 0.35, 0.5), 34.0),
    "Gaussian": (Gaussian, (0.3, 1.0, 2.5), 30.0),
}


def excess(lattice, limit=None, found=None):
    """Return how far Cov exceeds S(D) in the worst direction, beyond what is not listed."""
    variances = limit or [Fraction(cell.variance) for cell in lattice.cells]
    rows = np.array(least_squares(lattice.rows, variances), dtype=float)
    found = lattice.covariance() if found is None else found
    room = len(lattice.cells) * (lattice.left(2) + found.max() * lattice.left()) + 1e-12
    return float(np.linalg.eigvalsh(found - rows)[-1]) - room


@pytest.mark.parametrize("family", FAMILIES)
def test_whole_numbers_have_less_error_than_the_best_projection(family):
    """Theorems 3 and 5: Cov(U | A U = 0) <= S(D) on the integers."""
    found = lattices(*FAMILIES[family])
    assert max(excess(lattice) for lattice in found) <= 0
    assert max(lattice.left(2) for lattice in found) < 1e-5
    assert len({lattice.basis[0].shape for lattice in found}) >= 5


@pytest.mark.parametrize("family", FAMILIES)
def test_the_integer_theorems_bark(family):
    """The unconditioned law, exchanged parameters, half the variance, and no weights."""
    found = lattices(*FAMILIES[family])
    half = [[Fraction(c.variance) / 2 for c in lattice.cells] for lattice in found]
    mean = [[Fraction(np.mean([c.variance for c in x.cells]))] * len(x.cells) for x in found]
    free = [np.diag([cell.variance for cell in lattice.cells]) for lattice in found]
    turned = [Lattice(x.cells[::-1], x.rows, x.most).covariance() for x in found]
    for limits in (half, mean):
        assert max(excess(x, limit) for x, limit in zip(found, limits, strict=True)) > 0.01
    for covariances in (free, turned):
        assert max(excess(x, None, c) for x, c in zip(found, covariances, strict=True)) > 0.01


ORDERS = (1.25, 1.5, 2.0, 2.6, 3.0)


def renyi(lattice, shift, order):
    """Return bounds on D_order(shift + U | C || U | C), by the definition.

    The sum runs over the listed points. With c = order * shift the term at u is a constant times
    e**(-|u - c|**2 / 2), and |u - c|**2 >= |u|**2 / 2 - |c|**2 bounds what is not listed.
    """
    energy = (
        order * energy_of(lattice.cells, lattice.points - shift) + (1 - order) * lattice.energies
    )
    listed = math.fsum(np.exp(-energy)) / lattice.weight
    reach = float(energy_of(lattice.cells, order * shift[None, :])[0])
    places = lattice.basis[1]
    far = math.prod(lattice.cells[place].total(0.1) for place in places)
    constant = (order - 1) / order * reach
    unlisted = math.exp(constant + reach - 0.4 * lattice.most) * far / lattice.weight
    return tuple(math.log(x) / (order - 1) for x in (listed, listed + unlisted))


@cache
def shifted():
    """Lattices of Gaussian noise with a shift that obeys the rows, close enough to be listed."""
    found = []
    for lattice in lattices(Gaussian, (0.3, 1.0, 2.5), 120.0, 40):
        for shift in (lattice.basis[0][0], lattice.basis[0].sum(axis=0)):
            if 0 < energy_of(lattice.cells, shift[None, :])[0] <= 1.5:
                found.append((lattice, shift))
    return found


def budget(lattice, shift, order):
    """Return order / 2 * sum of shift**2 / sigma**2."""
    return order * float(energy_of(lattice.cells, shift[None, :])[0])


def test_the_integer_gaussian_keeps_its_rho():
    """Theorem 5: D_order <= order * rho, for all orders tried, with equality at whole ones."""
    assert len(shifted()) >= 15
    for lattice, shift in shifted():
        for order in ORDERS:
            low, high = renyi(lattice, shift, order)
            most = budget(lattice, shift, order)
            assert high <= most + 1e-9
            assert high - low < 1e-9
            assert order % 1 or low >= most - 1e-9


def test_the_test_of_rho_barks():
    """Exchanged sigmas, and a budget without its order."""
    turned = [(Lattice(x.cells[::-1], x.rows, x.most), x, shift) for x, shift in shifted()]
    over = [renyi(y, shift, 2.0)[0] - budget(x, shift, 2.0) for y, x, shift in turned]
    assert max(over) > 0.01
    over = [renyi(x, shift, 2.0)[0] - budget(x, shift, 1.0) for x, shift in shifted()]
    assert max(over) > 0.01


def loss_of_a_step(structure, difference, rates=None):
    """Return the greatest log ratio of densities at u and u + difference, over many u."""
    made = density(structure)
    rng = np.random.default_rng(4)
    found = [Fraction(0)]
    step = [difference[cell] for cell in made.free]
    for _ in range(40):
        u = [Fraction(int(x), 8) for x in rng.integers(-40, 41, len(made.free))]
        found.append(made.size([a + b for a, b in zip(u, step, strict=True)]) - made.size(u))
    found += [
        made.size([(n + 1) * x for x in step]) - made.size([n * x for x in step]) for n in (0, 3)
    ]
    return max(found)


def steps():
    for s in structures():
        basis = kernel(s.rows, len(s.scales))
        yield s, basis[0]
        yield s, [sum(column) for column in zip(*basis, strict=True)]


def distance(s, step):
    """Return the sum of |difference| / scale."""
    return sum(abs(x) / scale for x, scale in zip(step, s.scales, strict=True))


def test_equalities_change_the_pure_loss_by_nothing():
    """The loss of the conditioned law is the sum of |difference| / scale, and is attained."""
    assert all(loss_of_a_step(s, step) == distance(s, step) for s, step in steps())


def test_the_test_of_the_loss_barks():
    """Exchanged scales, a cell forgotten, and the hope that conditioning lowers the loss."""
    turned = (
        loss_of_a_step(Structure(s.rows, s.scales[::-1]), t) == distance(s, t) for s, t in steps()
    )
    assert not all(turned)
    fewer = (distance(s, [*step[:-1], 0]) == loss_of_a_step(s, step) for s, step in steps())
    assert not all(fewer)


def test_the_loss_of_whole_numbers_is_the_same():
    """Every listed point: the log ratio is at most the sum, and somewhere equal to it."""
    for lattice in lattices(*FAMILIES["Laplace"], 20):
        step = lattice.basis[0][0]
        most = float(energy_of(lattice.cells, step[None, :])[0])
        found = energy_of(lattice.cells, lattice.points + step) - lattice.energies
        assert found.max() == pytest.approx(most, abs=1e-12)


# epsilon -> delta before and after conditioning, n = 2, scale 1, difference (1, -1)
PROFILE = {
    0: (0.448181, 0.632121),
    0.25: (0.400761, 0.583138),
    0.5: (0.350496, 0.527633),
    1: (0.241837, 0.393469),
    1.5: (0.123849, 0.221199),
    1.75: (0.062347, 0.117503),
    2: (0, 0),
}


def delta_of_one(epsilon, scale=1.0):
    """Return delta of Laplace noise moved by 1, for any real epsilon."""
    largest = 1 / scale
    if epsilon >= largest:
        return 0.0
    middle = 1 - math.exp((epsilon - largest) / 2)
    return middle if epsilon >= -largest else 1 - math.exp(epsilon)


def delta_of_two(epsilon):
    """Return delta of two independent ones: the mean of one's over the other's loss.

    The loss is 1 with chance 1/2, -1 with chance 1/(2 e), and 1 - 2 u between, density e**-u / 2.
    """
    ends = delta_of_one(epsilon - 1) / 2 + delta_of_one(epsilon + 1) / (2 * math.e)
    kink = [u for u in (1 - epsilon / 2, -epsilon / 2) if 0 < u < 1]
    middle = quad(
        lambda u: math.exp(-u) / 2 * delta_of_one(epsilon - 1 + 2 * u), 0, 1, points=kink or None
    )
    return ends + middle[0]


def test_conditioning_costs_in_delta():
    """Section 2.5: the profile of Laplace noise gets worse, each printed number."""
    noise = density(Structure(((1, 1),), (Fraction(1), Fraction(1))))
    assert noise.density([0.3]) == pytest.approx(math.exp(-0.6), rel=1e-14)  # Laplace, scale 1/2
    for epsilon, (before, after) in PROFILE.items():
        assert delta_of_two(epsilon) == pytest.approx(before, abs=5.1e-7)
        assert delta_of_one(epsilon, 0.5) == pytest.approx(after, abs=5.1e-7)
        assert after >= before
    assert any(abs(delta_of_one(e, 1.0) - after) > 0.1 for e, (_, after) in PROFILE.items())


def test_conditioning_costs_in_divergence():
    """Section 2.5: 2/e before, 1 + e**-2 after, for n = 2: the loss averaged over the noise."""
    before = 2 * (HALF - 1 / (2 * math.e) + quad(lambda u: (1 - 2 * u) * math.exp(-u) / 2, 0, 1)[0])
    after = quad(
        lambda u: (2 * abs(u + 1) - 2 * abs(u)) * math.exp(-2 * abs(u)), -30, 30, points=[-1, 0]
    )
    assert before == pytest.approx(0.735759, abs=5.1e-7)
    assert after[0] == pytest.approx(1.135335, abs=5.1e-7)
    assert before == pytest.approx(2 / math.e, rel=1e-12)


def information(s, step):
    """Return the Fisher information along a step: the sum of 2 / scale * step**2 * p(0).

    p(0), the density of a cell's noise at 0, is K with that noise forced to 0, over K: the cell
    is put last, so that it is free.
    """
    total = Fraction(0)
    for cell, x in enumerate(step):
        if x:
            order = [c for c in range(len(step)) if c != cell] + [cell]
            rows = [[row[c] for c in order] for row in s.rows]
            scales = [s.scales[c] for c in order]
            forced = [[0] * (len(step) - 1) + [1]]
            k = [ConditionalDensity(system(r, scales)).normaliser for r in (rows, rows + forced)]
            total += 2 / s.scales[cell] * x**2 * k[1] / k[0]
    return total


def test_conditioning_never_lowers_the_information():
    """Section 2.5: at least the sum of step**2 / scale**2; for a sum (2n - 2)/(2n - 3) times it."""
    for s, step in list(steps())[:24]:
        assert information(s, step) >= sum(x**2 / c**2 for x, c in zip(step, s.scales, strict=True))
    for n in range(2, 7):
        sums = Structure(((1,) * n,), (Fraction(1),) * n)
        assert information(sums, [1, -1, *[0] * (n - 2)]) == 2 * Fraction(2 * n - 2, 2 * n - 3)


def laplace_transform(s, at, scales=None):
    """Return the mean of e**(-at * sum of |noise| / scale)."""
    noise, shares = plane(s).points()
    return float(
        shares @ np.exp(-at * np.abs(noise) @ (1 / np.array(scales or s.scales, dtype=float)))
    )


def test_the_size_is_gamma_whatever_the_rows():
    """Section 3.7: sum of |U| / scale is Gamma(d, 1); its transform is (1 + t)**-d."""
    for s, _, _ in planes():
        for at in (0.3, 1.0, 2.0):
            assert laplace_transform(s, at) == pytest.approx((1 + at) ** -s.free, rel=1e-7)


def test_the_test_of_the_size_barks():
    wrong = [laplace_transform(s, 1.0, s.scales[::-1]) / 2**-s.free for s, _, _ in planes()]
    assert max(abs(ratio - 1) for ratio in wrong) > 0.05
