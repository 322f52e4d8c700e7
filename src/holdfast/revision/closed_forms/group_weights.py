"""Weights of what is drawn first in a group of cells of one discrete Laplace law.

A cell's noise is X - Y, X and Y geometric. The *total* of the group is the sum of its cells; the
*overlap* is the smaller one of the sums of all X and of all Y. Given both, X and Y are uniform
compositions of their sums.

Claim.      The weights are those of the total and of the overlap, between bounds, and what is
            not listed weighs at most `rest`.
Reason.     docs/theory/closed_forms.md#whole-numbers-the-total-of-a-group
Checked by. tests/revision/test_closed_form.py
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, chain, islice, pairwise
from typing import TypeVar

from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.fixed_point import Fixed, powers
from holdfast.noise.inversion import Weights

Number = TypeVar("Number", int, Fraction)
SLACK = 32  # bits more than asked, so that chains of products keep what is asked
FARTHEST_FIRST = 30


def first_reach(law: DiscreteLaplace) -> int:
    """Return a size to begin with: in the far tail of a narrow law, weights need many bits."""
    return 2 + int(min(FARTHEST_FIRST, 64 / float(law.rate)))


@dataclass(frozen=True, slots=True)
class GroupTotal:
    """Outcomes 0, 1, 2, 3, 4, ... for the totals 0, -1, 1, -2, 2, ... of so many cells.

    The weight of a total s is that of the cells' noise with sum s, times the node's r**|s|.
    """

    cells: int
    law: DiscreteLaplace
    node: DiscreteLaplace

    def weigh(self, precision: int) -> Weights:
        """Return the weights until all that follow weigh about one unit each that is listed."""
        sizes, rest = self.sizes(precision)
        twice = chain.from_iterable((size, size) for size in sizes[1:])
        return Weights([sizes[0], *twice], max(2 * rest, 1))

    def sizes(self, precision: int) -> tuple[list[Fixed], int]:
        """Return the weight of a total of each size, of one sign, and a bound on the others."""
        reach = first_reach(self.law)
        while True:
            listed = self._listed(reach, precision)
            before, last = listed[-2].below, listed[-1].above
            if last < before:
                # the weights are log-concave: from here on they fall at least as fast
                rest = -(-last * last // (before - last))
                if rest << precision <= 2 * reach * listed[0].below:
                    return listed, rest
            reach *= 2

    def _listed(self, reach: int, precision: int) -> list[Fixed]:
        """Return the weights of the sizes up to `reach`."""
        working = precision + fallen_bits(self.node, reach)
        sums = cell_weights(self.cells, self.law, reach, working)
        fallen = powers(self.node.falling(sums[0].precision))
        return [total * power for total, power in zip(sums, fallen, strict=False)]

    def cumulative(self, outcome: int) -> Fraction | None:
        """Return P(at most this outcome) for rational ratios."""
        if self.law.ratio is None or self.node.ratio is None:
            return None
        n, fallen = self.cells, self.law.ratio * self.node.ratio
        coefficients = list(_exact_coefficients(n, self.law.ratio))
        total = sum(a * (2 / (1 - fallen) ** (n - j) - 1) for j, a in enumerate(coefficients))
        sizes = [(place + 1) // 2 for place in range(outcome + 1)]
        sums = exact_cell_weights(n, self.law.ratio, sizes[-1])
        return sum((sums[k] * self.node.ratio**k for k in sizes), Fraction(0)) / total


@dataclass(frozen=True, slots=True)
class Overlap:
    """Outcome t for the overlap of so many cells whose total has the given size.

    Its weight is C(t + size + n - 1, n - 1) C(t + n - 1, n - 1) r**(2 t), over that of one t
    near the largest.
    """

    cells: int
    size: int
    law: DiscreteLaplace

    def weigh(self, precision: int) -> Weights:
        """Return the weights until all that follow weigh about one unit each that is listed."""
        precision += SLACK
        ratio = self.law.falling(precision)
        square = ratio * ratio
        top = self._near_the_largest()
        listed = [*self._downwards(top, square)][::-1]
        unit = 1 << precision
        for weight in self._upwards(top, square):
            listed.append(weight)
            numerator, denominator = self._step(len(listed) - 1)
            fall = -(-square.above * numerator // denominator)
            if fall < unit:
                # each step falls faster than the one before
                rest = -(-weight.above * fall // (unit - fall))
                if rest <= 2 * len(listed) << SLACK:
                    return Weights(listed, max(rest, 1))
        raise AssertionError  # pragma: no cover

    def _step(self, t: int) -> tuple[int, int]:
        """Return the two factors, without r**2, by which the weight of t + 1 differs from t's."""
        n, size = self.cells, self.size
        return (t + size + n) * (t + n), (t + size + 1) * (t + 1)

    def _near_the_largest(self) -> int:
        """Return a t near the one of largest weight: where a step's factor is about 1."""
        square = math.exp(-2 * float(self.law.rate))
        n, size = self.cells, self.size
        a, b = 1 - square, size + 2 - square * (size + 2 * n)
        c = size + 1 - square * (size + n) * n
        return max(0, int((-b + math.sqrt(max(b * b - 4 * a * c, 0.0))) / (2 * a)))

    def _upwards(self, top: int, square: Fixed) -> Iterator[Fixed]:
        """Yield the weights from the top on, the first one being 1."""
        precision = square.precision
        low = high = 1 << precision
        t = top
        while True:
            yield Fixed(low, high, precision)
            numerator, denominator = self._step(t)
            low = low * numerator * square.below // denominator >> precision
            high = -(-(high * numerator * square.above) // (denominator << precision))
            t += 1

    def _downwards(self, top: int, square: Fixed) -> Iterator[Fixed]:
        """Yield the weights below the top, from its neighbour down to 0."""
        precision = square.precision
        low = high = 1 << precision
        for t in range(top - 1, -1, -1):
            numerator, denominator = self._step(t)
            low = (low * denominator << precision) // (numerator * square.above)
            high = -(-(high * denominator << precision) // (numerator * square.below))
            yield Fixed(low, high, precision)

    def cumulative(self, outcome: int) -> Fraction | None:
        """Return P(at most this outcome) for a rational ratio."""
        if self.law.ratio is None:
            return None
        square, degree = self.law.ratio**2, 2 * self.cells - 2
        numbers = [self._number(t) for t in range(max(outcome, degree) + 1)]
        # a polynomial of this degree, summed against powers, is a polynomial over a power
        shares = numbers[: degree + 1]
        for _ in range(degree + 1):
            shares = [shares[0], *(b - a for a, b in pairwise(shares))]
        whole = sum(a * square**k for k, a in enumerate(shares)) / (1 - square) ** (degree + 1)
        below = sum((numbers[t] * square**t for t in range(outcome + 1)), Fraction(0))
        return below / whole

    def _number(self, t: int) -> int:
        """Return in how many ways X and Y can have their sums."""
        n = self.cells
        return math.comb(t + self.size + n - 1, n - 1) * math.comb(t + n - 1, n - 1)


def fallen_bits(law: DiscreteLaplace, size: int) -> int:
    """Return how many bits the law's weight loses up to a size."""
    return int(size * float(law.rate.above) / math.log(2)) + 1


def cell_weights(cells: int, law: DiscreteLaplace, reach: int, precision: int) -> list[Fixed]:
    """Return the weight of all noise of so many cells with sum 0, 1, ..., reach, each closely."""
    ratio = law.falling(precision + fallen_bits(law, reach) + SLACK)
    coefficients = list(_coefficients(cells, ratio))
    below = _binomial_sums([a.below for a in coefficients], reach)
    above = _binomial_sums([a.above for a in coefficients], reach)
    sums = (Fixed(*ends, ratio.precision) for ends in zip(below, above, strict=True))
    return [total * power for total, power in zip(sums, powers(ratio), strict=False)]


def exact_cell_weights(cells: int, ratio: Fraction, reach: int) -> list[Fraction]:
    """Return the same weights as fractions."""
    sums = _binomial_sums(list(_exact_coefficients(cells, ratio)), reach)
    return [total * ratio**k for k, total in enumerate(sums)]


def _coefficients(cells: int, ratio: Fixed) -> Iterator[Fixed]:
    """Yield a_0, ..., a_{n-1}: the weight of a total s is sum a_j C(|s|+n-1-j, n-1-j) r**|s|."""
    precision = ratio.precision
    unit = 1 << precision
    square = ratio * ratio
    inverse = Fixed(
        unit * unit // (unit - square.below), -(-unit * unit // (unit - square.above)), precision
    )
    for j, power in enumerate(islice(powers(inverse), cells)):
        yield power * _sum_of_terms(cells, j, square)


def _sum_of_terms(cells: int, j: int, square: Fixed) -> Fixed:
    """Return sum over m of C(n, m) C(j - 1, m - 1) square**m, which is 1 for j = 0."""
    precision = square.precision
    if j == 0:
        return Fixed(1 << precision, 1 << precision, precision)
    low, high = cells * square.below, cells * square.above
    below, above = low, high
    for m in range(1, j):
        numerator, denominator = (cells - m) * (j - m), (m + 1) * m
        low = low * numerator * square.below // denominator >> precision
        high = -(-(high * numerator * square.above) // (denominator << precision))
        below += low
        above += high
    return Fixed(below, above, precision)


def _exact_coefficients(cells: int, ratio: Fraction) -> Iterator[Fraction]:
    """Yield the same coefficients as fractions."""
    square = ratio**2
    yield Fraction(1)
    for j in range(1, cells):
        terms = (math.comb(cells, m) * math.comb(j - 1, m - 1) * square**m for m in range(1, j + 1))
        yield sum(terms, Fraction(0)) / (1 - square) ** j


def _binomial_sums(coefficients: Sequence[Number], reach: int) -> list[Number]:
    """Return for k = 0, ..., reach the sum over j of a_j C(k + n - 1 - j, n - 1 - j).

    1 / (1 - z)**m makes running sums m times over; the sums are Horner's.
    """
    running: list[Number] = [coefficients[0] * 0] * (reach + 1)
    for coefficient in coefficients:
        running[0] += coefficient
        running = list(accumulate(running))
    return running
