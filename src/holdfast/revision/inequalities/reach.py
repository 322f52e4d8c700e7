"""How far noise is followed where counts must not be below 0: a range no table can change.

Claim.      For every table the chance that some part is beyond the radius is at most
            `truncation`.
Reason.     docs/theory/inequalities.md#how-far-noise-is-followed
Checked by. tests/revision/test_nonnegative_messages.py
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from holdfast.foundation.bounds import exp_bounds, float_above, ln_bounds
from holdfast.foundation.errors import BadParameter, Fault
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.revision.messages.message import TRUNCATION
from holdfast.revision.messages.reach import reach
from holdfast.revision.messages.tree_messages import TreeMessages
from holdfast.revision.noisy_tree import NoisyTree
from holdfast.worlds.hierarchy import Hierarchy

MOST_WORK = 1 << 34  # products of all convolutions
STEEPEST = 690  # powers of e between the largest and the smallest weight: floats end near 708
DIGITS = 30


@dataclass(frozen=True, slots=True)
class Reach:
    """A radius, a bound on the chance beyond it, and what is lost below the smallest floats."""

    radius: int
    truncation: Fraction
    underflow: Fraction


def reach_of(noisy: NoisyTree, laws: list[DiscreteLaplace], parts: int) -> Reach:
    """Return the radius for a tree; a tree that floats cannot carry is refused."""
    lost = _odds_against_empty(noisy, laws)
    chance = TRUNCATION / parts / lost
    radius = max(reach(law, 1, chance) for law in laws)
    siblings = _most_siblings(noisy.tree)
    radius = max(radius, *(reach(law, siblings, chance) for law in laws[1:] or laws))
    steep = radius * sum(float_above(law.rate.above) for law in laws)
    work = parts * (2 * radius + 1) ** 2
    if steep > STEEPEST or work > MOST_WORK:
        raise BadParameter(
            Fault(
                "revise on nonnegative",
                f"a tree whose noise floats can follow (steepness up to {STEEPEST})",
                f"{noisy.tree.size} nodes that need a range of {radius} (steepness {steep:.0f})",
                "Revise on the sums and update onto nonnegative, which costs nothing.",
            )
        )
    smallest = exp_bounds(Fraction(-math.ceil(steep)), DIGITS).below
    return Reach(radius, TRUNCATION, (2 * radius + 1) * Fraction(1, 2**1074) / smallest)


def _most_siblings(tree: Hierarchy) -> int:
    ends = tree.arrays.child_offsets
    return int((ends[1:] - ends[:-1]).max())


def _odds_against_empty(noisy: NoisyTree, laws: list[DiscreteLaplace]) -> Fraction:
    """Return 1 / c(0), rounded up: c(0) is the chance for the empty table, the least of all.

    The weight of all noise of at least 0 is the product over free leaves of 1 / (1 - r), r the
    product of the ratios on the leaf's path.
    """
    sampler = TreeMessages(noisy)
    slack = exp_bounds(sampler.evidence.rounding, DIGITS).above / (1 - sampler.evidence.truncation)
    return sampler.total_weight * slack / _weight_of_nonnegative(noisy, laws)


def _weight_of_nonnegative(noisy: NoisyTree, laws: list[DiscreteLaplace]) -> Fraction:
    """Return a bound from below on the weight of all noise of at least 0."""
    tree, parents = noisy.tree, noisy.tree.arrays.parents
    tied = noisy.is_pinned
    for node in range(1, tree.size):
        tied[node] |= tied[parents[node]]
    leaves = tree.leaf_nodes[~tied[tree.leaf_nodes]]
    of_level = np.bincount(tree.levels[leaves], minlength=tree.depth).tolist()
    total = Fraction(1)
    for level, free in enumerate(of_level):
        rate = sum((law.rate.above for law in laws[: level + 1]), Fraction(0))
        share = 1 / (1 - exp_bounds(-rate, DIGITS).below)
        total *= exp_bounds(free * ln_bounds(share, DIGITS).below, DIGITS).below if free else 1
    return total
