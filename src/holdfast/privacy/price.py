"""What it costs to condition on counts of at least 0, or on a box: bounds on the change of odds.

c(x) is the chance that the noisy table of x obeys the inequalities, given the sums. The loss of
a pair grows by ln c(x')/c(x); *odds* here are bounds on that quotient over all tables.

Claim.      On a tree of discrete Laplace noise the odds of a row are largest at the empty table,
            and are given in closed form; under add-remove the price of one row is attained.
Reason.     docs/theory/inequalities.md#what-it-costs
Checked by. tests/privacy/test_price.py
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from holdfast.foundation.bounds import Bounds, exp_bounds, ln_bounds, short_above
from holdfast.foundation.errors import BadParameter, Fault, brief
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.laplace import Laplace
from holdfast.worlds.hierarchy import Hierarchy

DIGITS = 50
CLOSE = 1e-9  # of a logarithm that floats choose by; they are off by less than 1e-10
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Odds:
    """A row at a leaf of this level: how much more likely the table obeys the rules with it."""

    level: int
    above: Fraction


def one_cell(law: DiscreteLaplace | Laplace) -> Bounds:
    """Return the odds of one cell of at least 0: the count 1 against the count 0.

    Whole numbers: 1 + q - q**2. Laplace: 2 - q. q = e**-rate.
    """
    if isinstance(law, Laplace):
        q = exp_bounds(-1 / law.scale, DIGITS)
        return Bounds(2 - q.above, 2 - q.below)
    low = exp_bounds(-law.rate.above, DIGITS).below
    high = exp_bounds(-law.rate.below, DIGITS).above
    ends = sorted([1 + low - low**2, 1 + high - high**2])
    top = Fraction(5, 4) if low <= Fraction(1, 2) <= high else ends[1]
    return Bounds(ends[0], top)


def box(law: Laplace, width: Fraction) -> Bounds:
    """Return the odds of one cell between 0 and a width, for a step of 1: largest at the ends.

    The width is at least 1, so that the step stays within.
    c(x) = 1 - (e**(-x/scale) + e**(-(width - x)/scale)) / 2.
    """
    if width < 1:
        asked, remedy = "a width of at least 1", "A narrower box has no step of 1."
        raise BadParameter(Fault("box", asked, brief(width), remedy))
    first, second = (_inside(law, width, Fraction(at)) for at in (0, 1))
    return Bounds(second.below / first.above, second.above / first.below)


def _inside(law: Laplace, width: Fraction, at: Fraction) -> Bounds:
    """Return the chance that a cell of this count stays within 0 and a width."""
    near, far = (exp_bounds(-gap / law.scale, DIGITS) for gap in (at, width - at))
    return Bounds(1 - (near.above + far.above) / 2, 1 - (near.below + far.below) / 2)


def on_tree(tree: Hierarchy, laws: Sequence[DiscreteLaplace]) -> list[Odds]:
    """Return the largest odds of a row at a leaf of each level that has leaves."""
    rates = [law.rate for law in laws]
    logs = _logs(rates)
    return [
        Odds(level, max(_odds(rates[: level + 1], p, logs) for p in _likely_worst(rates, paths)))
        for level, paths in _paths(tree, _leaves_below(tree))
    ]


def _leaves_below(tree: Hierarchy) -> Counts:
    """Return for each node how many leaves of each level lie below it."""
    of_leaf = tree.levels[tree.leaf_nodes]
    below = [tree.aggregate((of_leaf == level).astype(np.int64)) for level in range(tree.depth)]
    return np.stack(below, axis=1)


def _paths(tree: Hierarchy, counts: Counts) -> Iterator[tuple[int, Counts]]:
    """Yield for each level with leaves the kinds of paths to them.

    A path is the counts of *other* leaves below each node above the leaf, the root last.
    """
    levels = tree.levels[tree.leaf_nodes]
    for level in np.unique(levels).tolist():
        above = np.unique(tree.arrays.parents[tree.leaf_nodes[levels == level]])
        nodes = [above]
        for _ in range(level - 1):
            nodes.append(tree.arrays.parents[nodes[-1]])
        path = np.stack([counts[each] for each in nodes], axis=1)
        path[:, :, level] -= 1  # the leaf itself
        yield level, np.unique(path, axis=0)


def _likely_worst(rates: Sequence[Bounds], paths: Counts) -> Counts:
    """Return the paths whose odds, in floats, are largest or too close to call.

    The mean is a sum of positive terms, added in logarithms: nothing cancels, nothing overflows.
    """
    floats = np.array([float(rate) for rate in rates])
    passed = np.cumsum(floats)
    logs = paths @ np.log(-np.expm1(-passed))  # of the chances that all other leaves are empty
    above = floats[: paths.shape[1]][::-1]  # from the lowest node to the root
    gains = [above[i:].sum() - above[:i].sum() for i in range(above.size + 1)]
    before, found = np.zeros(len(paths)), np.full(len(paths), -np.inf)
    for empty, gain in zip(logs.T, gains, strict=False):
        with np.errstate(divide="ignore"):  # a node may add no leaf: the term is then 0
            term = before + np.log(-np.expm1(np.minimum(empty - before, 0.0))) + gain
        found, before = np.logaddexp(found, term), empty
    found = np.logaddexp(found, before + gains[-1])
    kept: Counts = paths if not np.isfinite(found).all() else paths[found >= found.max() - CLOSE]
    return kept


def _logs(rates: Sequence[Bounds]) -> list[Bounds]:
    """Return for each level ln(1 - q), q the product of the ratios on a path to it."""
    logs, passed = [], Bounds.exactly(0)
    for rate in rates:
        passed = Bounds(passed.below + rate.below, passed.above + rate.above)
        low = 1 - exp_bounds(-passed.below, DIGITS).above
        high = 1 - exp_bounds(-passed.above, DIGITS).below
        logs.append(Bounds(ln_bounds(low, DIGITS).below, ln_bounds(high, DIGITS).above))
    return logs


def _odds(rates: Sequence[Bounds], path: Counts, logs: Sequence[Bounds]) -> Fraction:
    """Return 1 + (1 - q) r E, rounded up; r is the leaf's ratio.

    E is the mean of a product over the nodes above: a node gains e**rate where another leaf
    below it has noise above 0, and pays e**-rate where none has. With p the chance that none
    has, node by node, E = sum of (p before - p) times the factor from that node on.
    """
    above = rates[-2::-1] if len(rates) > 1 else []
    mean, before = Fraction(0), Fraction(1)
    for place, counts in enumerate(path.tolist()):
        logged = sum((n * log.below for n, log in zip(counts, logs, strict=True)), Fraction(0))
        empty = min(before, exp_bounds(logged, DIGITS).below)
        mean += (before - empty) * _factor(above, place)
        before = empty
    mean += before * _factor(above, len(above))
    one_less = exp_bounds(logs[len(rates) - 1].above, DIGITS).above
    return short_above(1 + one_less * exp_bounds(-rates[-1].below, DIGITS).above * mean)


def _factor(above: Sequence[Bounds], gains_from: int) -> Fraction:
    """Return e to the rates of the nodes that gain less those of the nodes that pay."""
    pays = sum((rate.below for rate in above[:gains_from]), Fraction(0))
    gains = sum((rate.above for rate in above[gains_from:]), Fraction(0))
    return exp_bounds(gains - pays, DIGITS).above
