"""Variance and mean size of one cell of a group whose cells add up to a given sum.

Claim.      The fractions are the moments; the bounds contain them.
Reason.     docs/theory/closed_forms.md#moments
Checked by. tests/revision/test_closed_form.py
"""

from fractions import Fraction
from math import comb, factorial

from holdfast.foundation.bounds import Bounds
from holdfast.foundation.exact import exact, positive, whole
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.fixed_point import Fixed
from holdfast.revision.closed_forms.group_weights import GroupTotal

PRECISION = 200  # bits


def sum_density(cells: int, s: object = 0) -> tuple[Fraction, Fraction]:
    """Return p and |s|: the density at s of the sum of Laplace cells of scale 1 is p e**(-|s|)."""
    n, size = whole(cells, "cells", least=1), abs(exact(s, "sum"))
    return sum((a * size**k for k, a in enumerate(_polynomial(n))), Fraction(0)), size


def variance_given_no_sum(cells: int, scale: object = 1) -> Fraction:
    """Return the variance of a Laplace cell given that so many add up to 0."""
    n = whole(cells, "cells", least=1)
    return positive(scale, "scale") ** 2 * Fraction((n - 1) * (2 * n - 1), n * (n + 1))


def mean_size_given_no_sum(cells: int, scale: object = 1) -> Fraction:
    """Return the mean size of a Laplace cell given that so many add up to 0."""
    n = whole(cells, "cells", least=1)
    return positive(scale, "scale") * Fraction(n - 1, n)


def moment_given_sum(cells: int, s: object, power: int) -> Fraction:
    """Return E |U|**power for a Laplace cell of scale 1 given that so many add up to s."""
    n, r = whole(cells, "cells", least=1), whole(power, "power", least=0)
    size = abs(exact(s, "sum"))
    if n == 1:
        return size**r
    terms = enumerate(_polynomial(n - 1))
    density, _ = sum_density(n, size)
    return sum((a * _three_pieces(size, r, m) for m, a in terms), Fraction(0)) / (2 * density)


def _three_pieces(s: Fraction, r: int, m: int) -> Fraction:
    """Return the integral of |u|**r |s - u|**m e**(s - |u| - |s - u|) over all u."""
    between = s ** (r + m + 1) * Fraction(factorial(r) * factorial(m), factorial(r + m + 1))
    below = sum(
        comb(m, i) * s ** (m - i) * Fraction(factorial(r + i), 2 ** (r + i + 1))
        for i in range(m + 1)
    )
    above = sum(
        comb(r, i) * s ** (r - i) * Fraction(factorial(m + i), 2 ** (m + i + 1))
        for i in range(r + 1)
    )
    return between + below + above


def _polynomial(n: int) -> list[Fraction]:
    """Return what powers of |s| to multiply by in the density of a sum, times e**|s|."""
    answer = [Fraction(0)] * n
    for j in range(n):
        ways = factorial(n - 1) * factorial(n - 1 - j) * factorial(j) * 2 ** (n + j)
        answer[n - 1 - j] = Fraction(factorial(n - 1 + j), ways)
    return answer


def integer_moments(cells: int, law: DiscreteLaplace) -> tuple[Bounds, Bounds]:
    """Return E |U| and Var U for a discrete Laplace cell given that so many add up to 0.

    One cell is minus the total of the others, under a node of the cell's own law.
    """
    n = whole(cells, "cells", least=1)
    if n == 1:
        return Bounds.exactly(0), Bounds.exactly(0)
    return total_moments(GroupTotal(n - 1, law, law))


def total_moments(group: GroupTotal) -> tuple[Bounds, Bounds]:
    """Return E |S| and Var S for the total of a group under its node."""
    sizes, rest = group.sizes(PRECISION)
    first = _bounded_sum(sizes, 1)
    second = _bounded_sum(sizes, 2)
    below = sizes[0].below + 2 * sum(size.below for size in sizes[1:])
    above = sizes[0].above + 2 * sum(size.above for size in sizes[1:]) + 2 * rest
    return (
        Bounds(Fraction(2 * first.below, above), Fraction(2 * first.above, below)),
        Bounds(Fraction(2 * second.below, above), Fraction(2 * second.above, below)),
    )


def _bounded_sum(sizes: list[Fixed], power: int) -> Fixed:
    """Return the sum of k**power times the weight of k over all k >= 1.

    Weights that are not listed fall at least as fast as the last two that are.
    """
    below = sum(k**power * size.below for k, size in enumerate(sizes))
    above = sum(k**power * size.above for k, size in enumerate(sizes))
    fall = Fraction(sizes[-1].above, sizes[-2].below)
    last = len(sizes) - 1
    # sum over i >= 1 of (last + i)**2 fall**i, for a bound on power 1 too
    far = last**2 * fall / (1 - fall) + 2 * last * fall / (1 - fall) ** 2
    far += fall * (1 + fall) / (1 - fall) ** 3
    over = sizes[-1].above * far
    return Fixed(below, above + -(-over.numerator // over.denominator), sizes[-1].precision)
