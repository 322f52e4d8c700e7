"""The vectors on which rows of whole numbers are 0: noise on them point by point, projections.

All whole vectors that obey the rows and have energy at most `most` are listed; a vector's weight
is e**-energy, the energy a sum over cells. What is not listed is bounded (`left`): by Rankin's
inequality the weight of energies above T is at most e**(-s T) times the total weight of the
energies taken 1 - s times, and this is at most the product of the sums of some cells that tell
the vectors apart.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Matrix = list[list[Fraction]]
SHARES = [n / 50 for n in range(1, 50)]


@dataclass(frozen=True)
class Laplace:
    """Energy -ln(ratio) |k|."""

    ratio: float

    @property
    def variance(self) -> float:
        """The parameter of the projections it is compared with: its variance."""
        return 2 * self.ratio / (1 - self.ratio) ** 2

    def energy(self, values: Floats) -> Floats:
        return -math.log(self.ratio) * np.abs(values)

    def reach(self, energy: Floats) -> Floats:
        """Return the largest size of this energy."""
        return energy / -math.log(self.ratio)

    def total(self, share: float) -> float:
        """Return the sum of e**(-share energy) over the whole numbers."""
        return (1 + self.ratio**share) / (1 - self.ratio**share)


@dataclass(frozen=True)
class Gaussian:
    """Energy k**2 / (2 variance)."""

    variance: float

    def energy(self, values: Floats) -> Floats:
        return np.asarray(values) ** 2 / (2 * self.variance)

    def reach(self, energy: Floats) -> Floats:
        return np.sqrt(2 * self.variance * energy)

    def total(self, share: float) -> float:
        """Return the term at 0 plus the integral, which is more than the other terms."""
        return 1 + math.sqrt(2 * math.pi * self.variance / share)


Cell = Laplace | Gaussian


@dataclass(frozen=True)
class Lattice:
    """The law of the cells' noise given the rows."""

    cells: tuple[Cell, ...]
    rows: tuple[tuple[int, ...], ...]
    most: float

    @cached_property
    def basis(self) -> tuple[Integers, list[int]]:
        """Return a basis of the whole solutions, one a row, each first at a cell of its own."""
        return staircase(kernel(self.rows, len(self.cells)))

    @cached_property
    def points(self) -> Integers:
        """Return every whole solution of energy at most `most`."""
        return within(self.cells, *self.basis, self.most)

    @cached_property
    def energies(self) -> Floats:
        return energy_of(self.cells, self.points)

    @cached_property
    def weight(self) -> float:
        """Return the sum of the weights."""
        return math.fsum(np.exp(-self.energies))

    @cached_property
    def chances(self) -> Floats:
        return np.exp(-self.energies) / self.weight

    def covariance(self) -> Floats:
        found: Floats = (self.points * self.chances[:, None]).T @ self.points
        return found

    def left(self, power: int = 0) -> float:
        """Return a bound on the chance of what is not listed, times size**power of any cell.

        A Laplace cell has size at most energy / rate, a Gaussian one sqrt(2 variance energy);
        energy**power e**(-s energy) falls from energy = power / s on.
        """
        sizes = max(float(cell.reach(np.array(self.most))) for cell in self.cells) ** power
        bounds = [
            sizes
            * math.exp(-share * self.most)
            * math.prod(self.cells[place].total(1 - share) for place in self.basis[1])
            for share in SHARES
            if share * self.most >= power
        ]
        return min(bounds) / self.weight


def energy_of(cells: Sequence[Cell], points: npt.NDArray[np.int64 | np.float64]) -> Floats:
    """Return the energy of each row of points."""
    found = np.zeros(len(points))
    for cell, column in zip(cells, points.T, strict=True):
        found += cell.energy(column)
    return found


def kernel(rows: Sequence[Sequence[int]], width: int) -> list[list[int]]:
    """Return a basis of the whole vectors on which all rows are 0.

    Unimodular steps (Euclid's algorithm) on the images of the unit vectors, row by row: at most
    one vector keeps an image that is not 0, and it is dropped.
    """
    vectors = [[int(place == other) for other in range(width)] for place in range(width)]
    for row in rows:
        vectors = euclid(vectors, lambda vector, row=row: _dot(row, vector))[1]
    return vectors


def euclid(vectors, image):
    """Return the vector that keeps an image (or None), and those without one; the same span."""
    vectors = [list(vector) for vector in vectors]
    while True:
        live = sorted((v for v in vectors if image(v)), key=lambda v: abs(image(v)))
        if len(live) < 2:
            rest = [v for v in vectors if not image(v)]
            return (live[0] if live else None), rest
        least = live[0]
        for other in live[1:]:
            times = image(other) // image(least)
            other[:] = [x - times * y for x, y in zip(other, least, strict=True)]


def staircase(vectors: list[list[int]]) -> tuple[Integers, list[int]]:
    """Return the basis in echelon form, and the first cell of each vector."""
    width = len(vectors[0]) if vectors else 0
    found, places = [], []
    for place in range(width):
        step, vectors = euclid(vectors, lambda vector, place=place: vector[place])
        if step is not None:
            found.append(step)
            places.append(place)
    return np.array(found, dtype=np.int64).reshape(len(found), width), places


def within(cells: Sequence[Cell], basis: Integers, places: list[int], most: float) -> Integers:
    """Return all whole combinations of energy at most `most`, one basis vector after another.

    Cells before the next first cell no longer change, so their energy is spent.
    """
    points = np.zeros((1, len(cells)), dtype=np.int64)
    for number, (vector, place) in enumerate(zip(basis, places, strict=True)):
        spent = energy_of(cells[:place], points[:, :place])
        reach = cells[place].reach(np.maximum(most - spent, 0))
        step = vector[place]
        ends = np.sort(
            np.stack([(-reach - points[:, place]) / step, (reach - points[:, place]) / step]),
            axis=0,
        )
        low, high = np.ceil(ends[0] - 1e-9), np.floor(ends[1] + 1e-9)
        counts = np.maximum(high - low + 1, 0).astype(np.int64)
        before = np.repeat(np.cumsum(counts) - counts, counts)
        times = np.repeat(low.astype(np.int64), counts) + np.arange(counts.sum()) - before
        points = np.repeat(points, counts, axis=0) + times[:, None] * vector
        settled = places[number + 1] if number + 1 < len(places) else len(cells)
        points = points[energy_of(cells[:settled], points[:, :settled]) <= most]
    return points


def least_squares(rows: Sequence[Sequence[int]], variances: Sequence[Fraction]) -> Matrix:
    """Return S(D), the covariance of the projection weighted by 1 / variance.

    It is K (K' D**-1 K)**-1 K' for any basis K of the vectors on which the rows are 0.
    """
    basis = kernel(rows, len(variances))
    weights = [1 / Fraction(v) for v in variances]
    return _spanned(basis, inverse(_gram(basis, weights)))


def image(rows: Sequence[Sequence[int]], variances: Sequence[Fraction]) -> Matrix:
    """Return P D P, the covariance of the nearest point, all cells alike."""
    flat = least_squares(rows, [Fraction(1)] * len(variances))
    scaled = [[x * Fraction(v) for x, v in zip(line, variances, strict=True)] for line in flat]
    return product(scaled, flat)


def inverse(matrix: Matrix) -> Matrix:
    """Return the inverse of a matrix whose leading minors are not 0."""
    width = len(matrix)
    wide = [[*line, *(Fraction(n == m) for m in range(width))] for n, line in enumerate(matrix)]
    for n in range(width):
        wide[n] = [x / wide[n][n] for x in wide[n]]
        for m in range(width):
            if m != n:
                wide[m] = [x - wide[m][n] * y for x, y in zip(wide[m], wide[n], strict=True)]
    return [line[width:] for line in wide]


def product(one: Matrix, other: Matrix) -> Matrix:
    return [[_dot(line, column) for column in zip(*other, strict=True)] for line in one]


def is_nonnegative(matrix: Matrix) -> bool:
    """Return whether v' M v >= 0 for every v: every pivot is above 0, or its line is 0."""
    left = [list(line) for line in matrix]
    while left:
        first, *rest = left
        if first[0] < 0 or (first[0] == 0 and any(first)):
            return False
        left = [
            [
                x - (line[0] * y / first[0] if first[0] else 0)
                for x, y in zip(line[1:], first[1:], strict=True)
            ]
            for line in rest
        ]
    return True


def _gram(basis: Sequence[Sequence[int]], weights: Sequence[Fraction]) -> Matrix:
    scaled = [[w * x for w, x in zip(weights, vector, strict=True)] for vector in basis]
    return [[Fraction(_dot(line, vector)) for vector in basis] for line in scaled]


def _spanned(basis: Sequence[Sequence[int]], middle: Matrix) -> Matrix:
    cells = [list(cell) for cell in zip(*basis, strict=True)]
    half = [[_dot(line, cell) for line in middle] for cell in cells]
    return [[_dot(moved, cell) for cell in cells] for moved in half]


def _dot(one, other):
    return sum(x * y for x, y in zip(one, other, strict=True))
