"""How far noise is followed where counts must not be below 0: a range no table can change.

Claim.      For every table the chance that some part is beyond the radius is at most
            `truncation`.
Reason.     docs/theory/inequalities.md#how-far-noise-is-followed
Checked by. tests/revision/test_nonnegative_messages.py
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from holdfast.foundation.bounds import exp_bounds, float_above, ln_bounds
from holdfast.foundation.errors import BadParameter, Fault
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.revision.inequalities.wide import KINDS, smallest, steepest
from holdfast.revision.messages.message import TRUNCATION
from holdfast.revision.messages.reach import reach
from holdfast.revision.messages.tree_messages import TreeMessages
from holdfast.revision.noisy_tree import NoisyTree
from holdfast.worlds.hierarchy import Hierarchy

MOST_WORK = 1 << 34  # products of all convolutions
DIGITS = 30


@dataclass(frozen=True, slots=True)
class Reach:
    """A radius, a bound on the chance beyond it, what underflows, and the kind of number."""

    radius: int
    truncation: Fraction
    underflow: Fraction
    kind: type[np.floating[Any]]


def reach_of(noisy: NoisyTree, laws: list[DiscreteLaplace], parts: int) -> Reach:
    """Return the radius for a tree; a tree that numbers cannot carry is refused."""
    rates = [float_above(law.rate.above) for law in laws]
    lost = _odds_against_empty(noisy, laws)
    least = _ln(lost) / min(rates)  # no radius that will do is shorter
    if least * sum(rates) > max(map(steepest, KINDS)):
        raise _refused(noisy.tree, least, least * sum(rates))
    chance = TRUNCATION / parts / lost
    siblings = _most_siblings(noisy.tree)
    radius = max(
        *(reach(law, 1, chance) for law in laws),
        *(reach(law, siblings, chance) for law in laws[1:]),
    )
    steep = max(radius * sum(rates), _growth(noisy, laws))
    work = parts * (2 * radius + 1) ** 2
    kind = next((kind for kind in KINDS if steep <= steepest(kind)), None)
    if kind is None or work > MOST_WORK:
        raise _refused(noisy.tree, radius, steep)
    below = exp_bounds(Fraction(-math.ceil(steep)), DIGITS).below
    return Reach(radius, TRUNCATION, (2 * radius + 1) * smallest(kind) / below, kind)


def _refused(tree: Hierarchy, radius: float, steep: float) -> BadParameter:
    """Return the refusal of a tree."""
    most = max(map(steepest, KINDS))
    return BadParameter(
        Fault(
            "revise on nonnegative",
            f"a tree whose noise this machine can follow (steepness up to {most}, "
            f"{MOST_WORK:.0e} products)",
            f"{tree.size} nodes that need a range of about {radius:.0f} (steepness {steep:.0f})",
            "Revise on the sums and update onto nonnegative, which costs nothing.",
        )
    )


def _ln(number: Fraction) -> float:
    """Return about the logarithm of a fraction of any length."""
    return math.log(number.numerator) - math.log(number.denominator)


def _growth(noisy: NoisyTree, laws: list[DiscreteLaplace]) -> float:
    """Return at least the logarithm of the largest weight: all noise of all leaves."""
    levels = np.bincount(noisy.tree.levels[noisy.tree.leaf_nodes]).tolist()
    totals = (math.log(2 / float(law.rate.below) + 1) for law in laws)  # (1 + r) / (1 - r) is less
    return float(sum(often * total for often, total in zip(levels, totals, strict=True)))


def _most_siblings(tree: Hierarchy) -> int:
    ends = tree.arrays.child_offsets
    return int((ends[1:] - ends[:-1]).max())


def _odds_against_empty(noisy: NoisyTree, laws: list[DiscreteLaplace]) -> Fraction:
    """Return 1 / c(0), rounded up: c(0) is the chance for the empty table, the least of all.

    The weight of all noise of at least 0 is the product over free leaves of 1 / (1 - r), r the
    product of the ratios on the leaf's path.
    """
    free = _free_leaves(noisy)
    shares = [_share(laws[: level + 1]) for level in range(len(laws))]
    exponent = sum((n * ln_bounds(s, DIGITS).below for n, s in zip(free, shares, strict=True)))
    if exponent > steepest(KINDS[-1]):
        raise _refused(noisy.tree, float(exponent), float(exponent))
    sampler = TreeMessages(noisy)
    slack = exp_bounds(sampler.evidence.rounding, DIGITS).above / (1 - sampler.evidence.truncation)
    return sampler.total_weight * slack / exp_bounds(Fraction(exponent), DIGITS).below


def _share(path: list[DiscreteLaplace]) -> Fraction:
    """Return 1 / (1 - r) for the product r of the ratios on a path, rounded down."""
    rate = sum((law.rate.above for law in path), Fraction(0))
    return 1 / (1 - exp_bounds(-rate, DIGITS).below)


def _free_leaves(noisy: NoisyTree) -> list[int]:
    """Return for each level how many leaves lie below no pinned node."""
    tree, tied = noisy.tree, noisy.is_pinned
    for node in range(1, tree.size):
        tied[node] |= tied[tree.arrays.parents[node]]
    leaves = tree.leaf_nodes[~tied[tree.leaf_nodes]]
    return [int(n) for n in np.bincount(tree.levels[leaves], minlength=tree.depth)]
