"""The law of Laplace noise given equalities, in fractions, for small systems.

Some cells are *free*; the rows give every other cell from them. The density at the free cells u
is e**-size(u) / weight, where size(u) is the sum of |noise of a cell| / scale over all cells.

The size is linear on each chamber that the planes "noise of a cell = 0" cut out. A chamber is
split into cones of as many rays as there are free cells, and on a cone every integral needed is
a determinant times a sum over its rays.

Claim.      Weight, normaliser, variance and mean sizes are exact.
Reason.     docs/theory/revision.md#the-conditional-density
Checked by. tests/revision/test_conditional_density.py
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations

import numpy as np

from holdfast.foundation.bounds import exp_bounds
from holdfast.foundation.errors import BadParameter, Fault
from holdfast.foundation.exact import exact
from holdfast.noise.laplace import Laplace
from holdfast.revision.noisy_system import NoisySystem
from holdfast.worlds.exact_rows import Row

MOST_CELLS = 40
MOST_FREE = 6
MOST_CORNERS = 720  # ways to choose planes that may meet in a line; at the limit half a minute
SMALLER = "Draw from a sampler instead, or take a smaller system."

Vector = tuple[Fraction, ...]
Matrix = tuple[Vector, ...]
Terms = dict[int, Fraction]
Whole = tuple[int, ...]
Face = frozenset[int]


@dataclass(frozen=True, eq=False, init=False, repr=False)
class ConditionalDensity:
    """The density of the free cells' noise, and exact moments of every cell's.

    Each row is solved for its first cell that no other row gives; the cells left are `free`.
    `forms` has, for each cell, its noise as coefficients of the free cells.
    """

    rates: Vector
    free: tuple[int, ...]
    forms: Matrix

    def __init__(self, system: NoisySystem) -> None:
        laws = [law for law in system.laws if isinstance(law, Laplace)]
        if len(laws) < len(system.laws):
            asked, found = "continuous Laplace noise on each cell", "another law"
            raise BadParameter(Fault("laws", asked, found, "Use Laplace.with_scale."))
        _check_size("cells", len(laws), MOST_CELLS)
        solved = _solved(system.rows)
        free = tuple(cell for cell in range(len(laws)) if cell not in solved)
        _check_size("free cells", len(free), MOST_FREE)
        forms = tuple(_form(solved.get(cell, {}), cell, free) for cell in range(len(laws)))
        corners = math.comb(len(_planes(forms)), max(len(free) - 1, 0))
        _check_size("choices of planes that meet in a line", corners, MOST_CORNERS)
        object.__setattr__(self, "rates", tuple(1 / law.scale for law in laws))
        object.__setattr__(self, "free", free)
        object.__setattr__(self, "forms", forms)

    def complete(self, noise: Iterable[object]) -> Vector:
        """Return the noise of every cell from that of the free cells."""
        given = tuple(exact(value, "noise of a free cell") for value in noise)
        if len(given) != len(self.free):
            asked, found = f"{len(self.free)} free cells", str(len(given))
            raise BadParameter(Fault("noise", asked, found, "Give one number a free cell."))
        return tuple(_dot(form, given) for form in self.forms)

    def size(self, noise: Iterable[object]) -> Fraction:
        """Return the sum of |noise| / scale over all cells."""
        return _dot(self.rates, [abs(value) for value in self.complete(noise)])

    def density(self, noise: Iterable[object]) -> float:
        """Return the density at the free cells, to the last digits of a float."""
        return float(exp_bounds(-self.size(noise)).below / self.weight)

    @property
    def weight(self) -> Fraction:
        """Return the integral of e**-size over the free cells."""
        return self._integrals.weight

    @property
    def normaliser(self) -> Fraction:
        """Return K: the integral over the free cells of the product of all cells' densities."""
        return self.weight * math.prod(rate / 2 for rate in self.rates)

    def variance(self) -> Matrix:
        """Return the covariance of the noise of all cells."""
        squares = self._integrals.squares
        moved = [[_dot(line, form) / self.weight for line in squares] for form in self.forms]
        return tuple(tuple(_dot(form, other) for other in moved) for form in self.forms)

    def mean_sizes(self) -> Vector:
        """Return the mean of |noise| for each cell."""
        sums = self._integrals
        shares = [
            share / size / self.weight for share, size in zip(sums.shares, sums.sizes, strict=True)
        ]
        return tuple(
            _dot(shares, [abs(_dot(form, ray)) for ray in sums.rays]) for form in self.forms
        )

    @cached_property
    def _integrals(self) -> "_Integrals":
        """Return the integrals over all chambers, added up."""
        planes = _planes(self.forms)
        rays = _rays(planes, len(self.free))
        sums = _Integrals(rays, [self.size(ray) for ray in rays], len(self.free))
        for cones in _chambers(rays, planes):
            sums.add(cones)
        return sums


class _Integrals:
    """Integrals against e**-size: of 1, of 1 over the cones of each ray, of the products u u'."""

    __slots__ = ("rays", "shares", "sizes", "squares", "weight")

    def __init__(self, rays: Sequence[Whole], sizes: Sequence[Fraction], width: int) -> None:
        self.rays, self.sizes = rays, sizes
        self.weight = Fraction(0)
        self.shares = [Fraction(0)] * len(rays)
        self.squares = [[Fraction(0)] * width for _ in range(width)]

    def add(self, cones: Sequence[Whole]) -> None:
        """Add the integrals over the cones of one chamber.

        Rays are scaled to size `unit`, which keeps them whole; its powers are divided out last.
        """
        used = {ray for cone in cones for ray in cone}
        unit = math.lcm(*(self.sizes[ray].numerator for ray in used))
        longer = {ray: int(unit / self.sizes[ray]) for ray in used}
        scaled = {ray: [value * longer[ray] for value in self.rays[ray]] for ray in used}
        shares, squares = dict.fromkeys(used, 0), [[0] * len(line) for line in self.squares]
        weight = 0
        for cone in cones:
            volume = abs(_determinant([self.rays[ray] for ray in cone]))
            volume *= math.prod(longer[ray] for ray in cone)
            weight += volume
            for ray in cone:
                shares[ray] += volume
            along = zip(*(scaled[ray] for ray in cone), strict=True)
            _add_square(squares, volume, [sum(values) for values in along])
        for ray, share in shares.items():
            _add_square(squares, share, scaled[ray])
        self._divide(weight, shares, squares, unit)

    def _divide(
        self, weight: int, shares: dict[int, int], squares: list[list[int]], unit: int
    ) -> None:
        """Take up the integrals of rays of size `unit`."""
        scale = unit ** len(self.squares)
        self.weight += Fraction(weight, scale)
        for ray, share in shares.items():
            self.shares[ray] += Fraction(share, scale)
        for line, added in zip(self.squares, squares, strict=True):
            line[:] = [x + Fraction(y, scale * unit**2) for x, y in zip(line, added, strict=True)]


def _check_size(what: str, found: int, most: int) -> None:
    """Refuse a system too large for fractions."""
    if found > most:
        raise BadParameter(Fault("system", f"at most {most} {what}", str(found), SMALLER))


def _solved(rows: Iterable[Row]) -> dict[int, Terms]:
    """Return the cells that the rows give, each as the sum of coefficient times free cell.

    Each row is solved for its first cell; this stays first when later rows are put in. So the
    solved cells are those of the row echelon form, whatever the order of the rows.
    """
    solved: dict[int, Terms] = {}
    for row in rows:
        left = _put_in(solved, row.terms)
        if left:
            cell = min(left)
            scale = -left.pop(cell)
            solved[cell] = {other: value / scale for other, value in left.items()}
            for user, terms in solved.items():
                solved[user] = _put_in({cell: solved[cell]}, terms.items())
    return solved


def _put_in(solved: dict[int, Terms], terms: Iterable[tuple[int, Fraction | int]]) -> Terms:
    """Return the terms with every solved cell replaced, and those of one cell added up."""
    answer: Terms = {}
    for cell, value in terms:
        for other, share in solved.get(cell, {cell: Fraction(1)}).items():
            answer[other] = answer.get(other, Fraction(0)) + value * share
    return {cell: value for cell, value in answer.items() if value}


def _form(terms: Terms, cell: int, free: Iterable[int]) -> Vector:
    """Return a cell's coefficients of the free cells."""
    return tuple(Fraction(1) if cell == other else terms.get(other, Fraction(0)) for other in free)


def _planes(forms: Iterable[Vector]) -> list[Whole]:
    """Return the forms that are not 0 in whole numbers, one of those that are multiples."""
    return list(dict.fromkeys(_shortest(form) for form in forms if any(form)))


def _shortest(vector: Vector) -> Whole:
    """Return the multiple in whole numbers without a common factor, its first entry above 0."""
    lead = next(filter(None, vector))
    factor = math.lcm(*(value.denominator for value in vector))
    whole = [int(value * factor) for value in vector]
    return tuple(value // math.gcd(*whole) * (1 if lead > 0 else -1) for value in whole)


def _rays(planes: Sequence[Whole], width: int) -> list[Whole]:
    """Return a vector each way along every line in which planes meet."""
    found: dict[Whole, None] = {}
    for meeting in combinations(planes, width - 1) if width else ():
        solved = _solved(Row(_terms(plane), 0) for plane in meeting)
        if len(solved) == width - 1:
            free = [cell for cell in range(width) if cell not in solved]
            forms = [_form(solved.get(cell, {}), cell, free) for cell in range(width)]
            line = _shortest(tuple(form[0] for form in forms))
            found |= {line: None, tuple(-value for value in line): None}
    return list(found)


def _terms(plane: Whole) -> tuple[tuple[int, int], ...]:
    """Return the coefficients that are not 0, with their places."""
    return tuple((place, value) for place, value in enumerate(plane) if value)


def _chambers(rays: Sequence[Whole], planes: Sequence[Whole]) -> Iterator[list[Whole]]:
    """Yield the cones of each chamber by the numbers of their rays; no two cones overlap.

    A side of a plane holds a chamber of those so far where its rays added up lie on no plane.
    """
    sides = [[_dot(plane, ray) for plane in planes] for ray in rays]
    signs = np.array([[(x > 0) - (x < 0) for x in side] for side in sides], dtype=np.int8)
    signs = signs.reshape(len(rays), len(planes))
    parts = [np.arange(len(rays))]
    for count, side in enumerate(signs.T, start=1):
        halves = [part[way * side[part] >= 0] for part in parts for way in (1, -1)]
        parts = [half for half in halves if signs[half, :count].any(axis=0).all()]
    within = [frozenset(np.flatnonzero(column == 0).tolist()) for column in signs.T]
    known: dict[Face, list[Whole]] = {}
    for part in parts:
        yield _pulled(frozenset(part.tolist()), within, known)


def _pulled(face: Face, within: Sequence[Face], known: dict[Face, list[Whole]]) -> list[Whole]:
    """Return the cones of a face: a ray of it, joined to the cones of each facet without it."""
    if len(face) <= 1:
        return [tuple(face)]
    if face not in known:
        apex = min(face)
        cuts = {face & plane for plane in within} - {face}
        facets = [cut for cut in cuts if not any(cut < other for other in cuts)]
        apart = [facet for facet in facets if apex not in facet]
        known[face] = [(apex, *cone) for facet in apart for cone in _pulled(facet, within, known)]
    return known[face]


def _determinant(rows: Iterable[Sequence[int]]) -> int:
    """Return the determinant of whole rows that are independent, up to its sign.

    Elimination with Bareiss's exact division: each entry is a minor of the first matrix.
    """
    left, unit = [list(row) for row in rows], 1
    while left:
        pivot = next(row for row in left if row[0])
        left.remove(pivot)
        lead, rest = pivot[0], pivot[1:]
        left = [
            [(x * lead - row[0] * y) // unit for x, y in zip(row[1:], rest, strict=True)]
            for row in left
        ]
        unit = lead
    return unit


def _add_square(squares: list[list[int]], share: int, vector: Sequence[int]) -> None:
    """Add share times the products of the vector's entries."""
    for line, first in zip(squares, vector, strict=True):
        line[:] = [x + share * first * second for x, second in zip(line, vector, strict=True)]


def _dot(one: Sequence[Fraction | int], other: Sequence[Fraction | int]) -> Fraction:
    """Return the sum of the products."""
    total = Fraction(0)
    for x, y in zip(one, other, strict=True):
        total += x * y
    return total
