"""A nearest point is measured, not believed: rows, and a gap by weak duality."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from holdfast.foundation.errors import NotSolved
from holdfast.solvers import quadratic
from holdfast.solvers.quadratic import Quadratic
from holdfast.worlds.exact_rows import Row
from tests.plain.linear import solved


def row(values, right):
    return Row(tuple((k, int(v)) for k, v in enumerate(values) if v), right)


def exact(weights, equal, least, asked):
    """Return the nearest point in fractions: the best of all sets of rows that bind."""
    best = None
    size = len(weights)
    for many in range(len(least) + 1):
        for binding in combinations(least, many):
            rows = [*equal, *binding]
            matrix = [
                [weights[i] if i == j else Fraction(0) for j in range(size)]
                + [Fraction(dict(r.terms).get(i, 0)) for r in rows]
                for i in range(size)
            ]
            matrix += [
                [Fraction(dict(r.terms).get(j, 0)) for j in range(size)] + [Fraction(0)] * len(rows)
                for r in rows
            ]
            right = [weights[i] * asked[i] for i in range(size)] + [Fraction(r.right) for r in rows]
            found = solved(matrix, right)
            if found is None:
                continue
            point = found[:size]
            if any(sum(v * point[k] for k, v in r.terms) < r.right for r in least):
                continue
            far = sum(w * (z - y) ** 2 for w, z, y in zip(weights, point, asked, strict=True))
            if best is None or far < best[0]:
                best = (far, point)
    return best


def programmes(count):
    random = np.random.default_rng(1)
    while count:
        size = int(random.integers(2, 5))
        weights = [Fraction(int(a), int(b)) for a, b in random.integers(1, 9, (size, 2))]
        inside = random.integers(-3, 4, size)
        rows = random.integers(-2, 3, (int(random.integers(1, 5)), size))
        kept = [values for values in rows if values.any()]
        split = int(random.integers(0, 2))
        equal = tuple(row(v, int(v @ inside)) for v in kept[:split])
        least = tuple(row(v, int(v @ inside) - int(random.integers(0, 3))) for v in kept[split:])
        asked = [Fraction(int(y)) for y in random.integers(-6, 7, size)]
        yield weights, equal, least, asked
        count -= 1


def farthest(way=Quadratic, count=120) -> float:
    """Return by how much points lie farther from the exact ones than their gaps say."""
    worst = 0.0
    for weights, equal, least, asked in programmes(count):
        far, point = exact(weights, equal, least, asked)
        given = way(np.array(weights, dtype=float), equal, least)
        found = given.nearest(np.array(asked, dtype=float))
        off = found.point - np.array(point, dtype=float)
        worst = max(worst, float(given.weights @ off**2) - found.gap)
        worst = max(worst, found.objective - found.gap - float(far))
    return worst


def test_points_are_as_near_to_the_exact_ones_as_their_gaps_say():
    """The objective is strongly convex. Rows may be broken by 1e-9 each, which buys 1e-7."""
    assert farthest() < 1e-7


class ForgetsWeights(Quadratic):
    def nearest(self, asked):
        return Quadratic(np.ones_like(self.weights), self.equal, self.least).nearest(asked)


def test_the_test_of_points_barks():
    worst = 0.0
    for weights, equal, least, asked in programmes(60):
        _, point = exact(weights, equal, least, asked)
        found = ForgetsWeights(np.array(weights, dtype=float), equal, least)
        moved = found.nearest(np.array(asked, dtype=float)).point
        worst = max(worst, float(np.abs(moved - np.array(point, dtype=float)).max()))
    assert worst > 0.1


def test_a_solver_that_lies_is_found_out(monkeypatch):
    """It says solved, and its point is a little off: the gap tells."""
    right = Quadratic._moved

    def lies(self, asked, unit):
        move, bound = right(self, asked, unit)
        return move + 0.3, bound

    least = (row([1, 0], 2), row([0, 1], 0))
    given = Quadratic(np.ones(2), (), least)
    assert given.nearest(np.array([0.0, 5.0])).gap < 1e-6
    monkeypatch.setattr(quadratic.Quadratic, "_moved", lies)
    with pytest.raises(NotSolved, match="within"):
        Quadratic(np.ones(2), (), least).nearest(np.array([0.0, 5.0]))


@pytest.mark.parametrize("scale", [1, 10**4, 10**7, 10**9])
def test_rows_far_from_what_is_asked_are_reached(scale):
    """a is twice b, and both were asked to be the other way round, by a thousand million."""
    equal, least = (row([1, -2, 0], 0),), (row([1, 0, 0], 0), row([0, 1, 0], 0), row([1, 0, -1], 0))
    found = Quadratic(np.ones(3), equal, least).nearest(np.array([0.0, 1.0, 2.0]) * scale)
    assert found.point == pytest.approx(np.array([10, 5, 10]) / 9 * scale, rel=1e-3)
    assert found.gap <= 1e-6 * (found.objective + 1)


def test_rows_that_conflict_are_not_solved():
    least = (row([1, 1], 3), row([-1, -1], -2))
    with pytest.raises(NotSolved, match="conflict"):
        Quadratic(np.ones(2), (), least).nearest(np.zeros(2))


def test_equalities_alone_need_no_solver(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "piqp", None)
    found = Quadratic(np.array([1.0, 3.0]), (row([1, 1], 4),), ()).nearest(np.zeros(2))
    assert found.point.tolist() == pytest.approx([3, 1])
    assert (found.gap, found.off) == (0.0, pytest.approx(0.0, abs=1e-15))
