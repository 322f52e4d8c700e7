"""The exact privacy loss of noise on a small tree: a rational number, or two that enclose it.

Noise u on node v has weight q_v**|u|; x and x' are neighbours, d = x' - x on all nodes. The worst
loss is the largest P_x(z) / P_x'(z) over neighbours and outputs z; R(d) is the product of
q_v**-|d_v|. For every z, |z_v - x'_v| <= |z_v - x_v| + |d_v|, so weights alone differ by R(d) at
most, and by exactly R(d) at z = x. Nothing is cut off; outputs are infinitely many, and:

plain. The normaliser is that of the law and cancels. The loss is R(d), at z = x.

revise. z obeys the sums and the pinned totals, and so do x and x'. So z - x runs over the same
set for x and for x' (it is a group); the normaliser cancels; x is an output. The loss is R(d).

revise-nonnegative. The normaliser is c(x), the weight of all noise that keeps x >= 0; x itself is
an output. The loss is R(d) c(x') / c(x), and c is found by recursion in exact series.

revise-update. A map of the revised output, so at most R(d). Let z be an output with every leaf at
least 1, but for leaves below a pinned total of 0. Sums of squares over the nodes of a tree are
M-natural convex, pinned nodes included: a whole table that no unit leaving a leaf, entering one
or going from one to another can better is nearest of all. At z all of these are allowed, so z is
nearest among tables of any sign, and this is the revised table itself: the map takes z alone to z
and P_x(z) is as before the update. Below a pinned 0 all goes to 0, for x and x' with one chance.
So R(d) is attained if such a z lies, for every node, on the far side of x or beyond it.

plain-update. A map of the plain output, so at most R(d). Write e_v = -ln q_v and w_v for the
weights of the update, inverse variances. K is the space of real k that the update takes to 0; all
y of one image lie within a bounded distance of y + K, whether the update rounds or not. Take
numbers b that add up over the tree, 0 at pinned nodes, and s_v = w_v b_v: then s is orthogonal to
K. Suppose |s_v| <= e_v for all v, and s_v = e_v sign(d_v) where d_v is not 0. The update moves
with whole tables, so y = x - t d has the image of x less t d, and some fixed set F has

    N(t) = P_x(image of x - t d) = C sum over f in F of exp(-sum_v e_v |f_v - t d_v|),
    N(t + 1) = P_(x + d)(image of x - t d).

The sum over v is at least the one of -s_v (f_v - t d_v), which is t ln R(d) up to a constant; and
at least sum_v e_v |f_v| - t ln R(d). By the first, the terms with |f| of order t add up to at most
R(d)**-t times a power of t; by the second, all others add up to less. So N(0) / N(t), a product of
t quotients, is at least R(d)**t over a power of t, and some quotient comes as near to R(d) as one
likes. It is a least upper bound; no output need attain it. Where no such b is found, the lower end
is the largest R(d) with one, or 1.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from tests.plain.loss_cases import (
    Case,
    Path,
    Table,
    cases,
    children_of,
    differences,
    over_nodes,
    pairs,
)
from tests.plain.series import Series, geometric, point

__all__ = ["Case", "Pair", "cases", "worst_delta", "worst_ratio"]

HIGH = 10**9  # no table is as large
DIGITS = Fraction(1, 10**30)


class Pair(NamedTuple):
    """Two fractions with the true number between them, ends included."""

    below: Fraction
    above: Fraction


def worst_ratio(case: Case) -> Pair | None:
    """Return bounds on the worst loss, as a ratio; None where no neighbours are left.

    Under replace-one a person may be replaced by one with the same rows: the loss is 1 then.
    """
    moves = differences(case)
    if not moves:
        return None
    if case.street == "revise-nonnegative":
        losses = (
            shift(case, move) * normaliser(case, moved) / normaliser(case, table)
            for move in moves
            for table, moved in pairs(case, move)
        )
        return _exactly(max(losses))
    above = max(shift(case, move) for move in moves)
    if case.street in ("plain", "revise"):
        return _exactly(above)
    attained = reaches if case.street == "revise-update" else approaches
    by_size = sorted(moves, key=lambda move: -shift(case, move))
    found = next((shift(case, move) for move in by_size if attained(case, move)), Fraction(1))
    return Pair(found, above)


def _exactly(number: Fraction) -> Pair:
    return Pair(number, number)


def shift(case: Case, move: Table) -> Fraction:
    """Return R(d): what one pair's weights differ by at most."""
    found = Fraction(1)
    for path, size in over_nodes(case.paths, move).items():
        if path not in case.pinned:
            found /= case.ratios[len(path)] ** abs(size)
    return found


def normaliser(case: Case, table: Table) -> Fraction:
    """Return c(x): the weight of all noise that obeys the sums, the pins and x + noise >= 0."""
    return _kept(case.paths, case.ratios, case.pinned, table)


@cache
def _kept(
    paths: tuple[Path, ...],
    ratios: tuple[Fraction, ...],
    pinned: tuple[Path, ...],
    table: Table,
) -> Fraction:
    lowest = dict(zip(paths, table, strict=True))
    children = children_of(paths)

    def message(path: Path) -> Series:
        """Return the weight of each total of the noise at this node, all below it included."""
        ratio = ratios[len(path)]
        if not children[path]:
            return point() if path in pinned else geometric(ratio, lowest[path])
        found = convolved([message(child) for child in children[path]])
        return point(found.at(0)) if path in pinned else found.scaled(ratio)

    return message(()).total()


def convolved(messages: list[Series]) -> Series:
    found = messages[0]
    for message in messages[1:]:
        found = found * message
    return found


def reaches(case: Case, move: Table) -> bool:
    """Return whether revise-update attains R(d) at an output that the update leaves alone."""
    signs = over_nodes(case.paths, move)
    return any(_has_output(case, signs, moved) for _, moved in pairs(case, move))


def _has_output(case: Case, signs: dict[Path, int], table: Table) -> bool:
    """Return whether a table of leaves from 1 on lies beyond this one at every node that moves."""
    values, children = over_nodes(case.paths, table), children_of(case.paths)
    ends: dict[Path, tuple[int, int]] = {}
    for path in reversed(children):
        own = (values[path], HIGH) if signs[path] > 0 else (-HIGH, values[path])
        if not signs[path]:
            own = (values[path],) * 2 if path in case.pinned else (-HIGH, HIGH)
        if children[path]:
            below = [ends[child] for child in children[path]]
            sums = (sum(low for low, _ in below), sum(high for _, high in below))
        else:
            is_nought = any(path[:n] in case.pinned and not values[path[:n]] for n in _to(path))
            sums = (0, 0) if is_nought else (1, HIGH)
        ends[path] = (max(own[0], sums[0]), min(own[1], sums[1]))
        if ends[path][0] > ends[path][1]:
            return False
    return True


def _to(path: Path) -> range:
    return range(len(path) + 1)


def approaches(case: Case, move: Table) -> bool:
    """Return whether a certificate b shows that plain-update comes as near to R(d) as one likes.

    Whether there is one is decided from the leaves up: the sums of numbers that lie in intervals
    fill an interval.
    """
    signs, children = over_nodes(case.paths, move), children_of(case.paths)
    ends: dict[Path, tuple[Fraction, Fraction]] = {}
    for path in reversed(children):
        size = Fraction(0) if path in case.pinned else steepness(case.ratios[len(path)])
        low, high = -size, size
        if signs[path]:
            low = high = size if signs[path] > 0 else -size
        if children[path]:
            low = max(low, sum((ends[child][0] for child in children[path]), Fraction(0)))
            high = min(high, sum((ends[child][1] for child in children[path]), Fraction(0)))
        if low > high:
            return False
        if 0 < abs(high - low) < DIGITS:
            raise ArithmeticError("two logarithms are too near to each other to be told apart")
        ends[path] = (low, high)
    return True


@cache
def steepness(ratio: Fraction) -> Fraction:
    """Return -ln(ratio) over the inverse variance, with an error far below 10**-30.

    -ln q is twice the sum of y**n / n over odd n, y = (1 - q) / (1 + q).
    """
    y, total, place = (1 - ratio) / (1 + ratio), Fraction(0), 1
    while (term := y**place / place) > DIGITS**2:
        total, place = total + Fraction(round(term / DIGITS**2)) * DIGITS**2, place + 2
    return 2 * total * 2 * ratio / (1 - ratio) ** 2


def worst_delta(case: Case, factor: Fraction) -> Pair:
    """Return the exact delta at epsilon = ln(factor) of the plain or of the revised mechanism.

    It is the largest sum over z of max(0, P_x(z) - factor P_x'(z)). The quotient of the two takes
    finitely many values, and the chance of each is a fraction: both ends are equal.
    """
    if case.street not in ("plain", "revise"):
        raise ValueError(f"no profile is computed on the street {case.street!r}")
    profile = plain_profile if case.street == "plain" else revised_profile
    worst = Fraction(0)
    for move in differences(case):
        chances = profile(case, move)
        excess = (p * (1 - factor / r) for r, p in chances.items() if r > factor)
        worst = max(worst, sum(excess, Fraction(0)))
    return _exactly(worst)


def plain_profile(case: Case, move: Table) -> dict[Fraction, Fraction]:
    """Return the chance, under x, of each value of P_x(z) / P_x'(z); the noise is independent."""
    found = {Fraction(1): Fraction(1)}
    for path, size in over_nodes(case.paths, move).items():
        if path not in case.pinned and size:
            law = geometric(case.ratios[len(path)])
            parts = [(r, s.total() / law.total()) for r, s in split(law, size, path, case)]
            products: dict[Fraction, Fraction] = {}
            for one, chance in found.items():
                for ratio, share in parts:
                    products[one * ratio] = products.get(one * ratio, 0) + chance * share
            found = products
    return found


def revised_profile(case: Case, move: Table) -> dict[Fraction, Fraction]:
    """Return the same for noise given the sums and the pinned totals."""
    sizes, children = over_nodes(case.paths, move), children_of(case.paths)

    def messages(path: Path) -> dict[Fraction, Series]:
        """Return, for each quotient of weights at and below this node, the weights of its total."""
        if path in case.pinned and not children[path]:
            return {Fraction(1): point()}
        found = {Fraction(1): point()}
        for child in children[path]:
            found = _merged(
                (one * other, first * second)
                for one, first in found.items()
                for other, second in messages(child).items()
            )
        if path in case.pinned:
            return {ratio: point(series.at(0)) for ratio, series in found.items()}
        own = case.ratios[len(path)]
        if children[path]:
            found = {ratio: series.scaled(own) for ratio, series in found.items()}
        else:
            found = {Fraction(1): geometric(own)}
        return _merged(
            (ratio * factor, part)
            for ratio, series in found.items()
            for factor, part in split(series, sizes[path], path, case)
        )

    weights = {ratio: series.total() for ratio, series in messages(()).items()}
    whole = sum(weights.values())
    return {ratio: weight / whole for ratio, weight in weights.items()}


def _merged(parts: Iterator[tuple[Fraction, Series]]) -> dict[Fraction, Series]:
    found: dict[Fraction, Series] = {}
    for ratio, series in parts:
        found[ratio] = found[ratio] + series if ratio in found else series
    return found


def split(series: Series, size: int, path: Path, case: Case) -> Iterator[tuple[Fraction, Series]]:
    """Yield the weights of noise s at a node with the quotient q**|s| / q**|s - size| of each."""
    ratio = case.ratios[len(path)]
    if size < 0:
        for factor, part in split(series.mirrored(), -size, path, case):
            yield factor, part.mirrored()
    elif size == 0:
        yield Fraction(1), series
    else:
        yield ratio**-size, series.up_to_zero()
        for place in range(1, size):
            yield ratio ** (2 * place - size), series.only(place)
        yield ratio**size, series.from_on(size)
