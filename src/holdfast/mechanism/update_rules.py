"""Read an invariant and the laws for an update, and choose the way.

Claim.      The weights are the inverse variances of the laws, to 24 bits; an update is the same
            post-processing whatever they are.
Reason.     docs/theory/update.md
Checked by. tests/mechanism/test_updated.py
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from holdfast.foundation.bounds import Bounds
from holdfast.foundation.errors import BadParameter, BadRules, Fault, shown
from holdfast.mechanism.condition import check_facts, check_tree
from holdfast.mechanism.revised import Revised
from holdfast.mechanism.updated import LARGEST, Updated, Ways, check_room, in_sizes
from holdfast.noise.law import Law
from holdfast.update.rows.controlled_rounding import ControlledRounding
from holdfast.update.rows.row_rules import RowRules
from holdfast.update.trees.tree_least_squares import TreeLeastSquares
from holdfast.update.trees.tree_nonnegative import TreeNonnegative
from holdfast.update.trees.tree_rules import TreeRules
from holdfast.update.whole.least_deviation import LeastDeviation
from holdfast.update.whole.whole_optimum import WholeOptimum
from holdfast.worlds.exact_rows import Row
from holdfast.worlds.hierarchy import Hierarchy
from holdfast.worlds.invariant import Invariant
from holdfast.worlds.rules import Linear, Nonnegative, Total, row_of

if TYPE_CHECKING:
    from holdfast.mechanism.plain import Mechanism

BITS = 24  # of a weight, so that sums of costs mostly fit 64 bits


def updated(
    source: "Mechanism | Revised",
    mechanism: "Mechanism",
    invariant: Invariant,
    norm: object,
    integers: bool | None,
) -> Updated:
    """Return a mechanism, plain or revised, with its answers moved onto an invariant."""
    check_tree(mechanism.tree, invariant, "update")
    check_facts(invariant, mechanism.neighbours)
    if isinstance(source, Revised):
        _ = source.invariant & invariant  # a contradiction with what is revised on is refused
    if not (integers is None or isinstance(integers, bool)):
        asked, remedy = "True, False or None", "None keeps whole numbers whole."
        raise BadParameter(Fault("integers", asked, shown(integers), remedy))
    ways = ways_onto(mechanism.tree, mechanism.laws, invariant)
    stays_whole = mechanism.is_discrete if integers is None else integers
    if stays_whole and isinstance(ways.whole, WholeOptimum):
        check_room(ways.whole.rules)
    if in_sizes(norm):
        ways = _least_deviations(ways, stays_whole)
    return Updated(source, mechanism.tree, invariant, ways, integers)


def _least_deviations(ways: Ways, stays_whole: bool) -> Ways:
    """Return the same in sizes of moves, on trees and in whole numbers."""
    if stays_whole and isinstance(ways.whole, WholeOptimum):
        return Ways(None, LeastDeviation(ways.whole.rules))
    if stays_whole:
        asked, found = "rules on single nodes", "rows over several"
        raise BadParameter(Fault("norm 'l1'", asked, found, 'Use norm="l2".'))
    asked, remedy = "whole numbers", 'Use integers=True, or norm="l2".'
    raise BadParameter(Fault("norm 'l1'", asked, "floats", remedy))


def ways_onto(tree: Hierarchy, laws: tuple[Law, ...], invariant: Invariant) -> Ways:
    """Return how to update onto an invariant: along the tree where its rules allow that."""
    weights = tuple(weight_of(law) for law in laws)
    nonnegative = any(isinstance(rule, Nonnegative) for rule in invariant.rules)
    equal = tuple(row_of(r) for r in invariant.equalities if isinstance(r, Total | Linear))
    least = tuple(rule.row for rule in invariant.inequalities if isinstance(rule, Linear))
    by_rows = RowRules(tree, weights, equal, least, nonnegative)
    if any(len(row.terms) > 1 for row in (*equal, *least)):
        return Ways(by_rows, ControlledRounding(by_rows))
    ends = _ends(equal, least)
    rules = TreeRules(tree, weights, ends.pinned, nonnegative, least=ends.least, most=ends.most)
    if ends.least or ends.most or not ends.are_whole:
        return Ways(by_rows, WholeOptimum(rules))
    way = TreeNonnegative if nonnegative else TreeLeastSquares
    return Ways(way(rules), WholeOptimum(rules))


@dataclass(frozen=True, slots=True)
class Ends:
    """What rules on single nodes leave to whole numbers, and whether they are whole themselves."""

    pinned: dict[int, int]
    least: dict[int, int]
    most: dict[int, int]
    are_whole: bool


def _ends(equal: tuple[Row, ...], least: tuple[Row, ...]) -> Ends:
    """Return the ends of single nodes, rounded inwards; between them may be no whole number."""
    ends = Ends({}, {}, {}, all(row.right % row.terms[0][1] == 0 for row in equal))
    for row in equal:
        (node, coefficient) = row.terms[0]
        value = Fraction(row.right, coefficient)
        if abs(value) >= LARGEST:
            asked, remedy = "public numbers below 2**58 in size", "Count in a larger unit."
            raise BadRules(Fault("update", asked, "a larger one", remedy))
        if value.denominator == 1:
            ends.pinned[node] = int(value)
        else:
            ends.least[node], ends.most[node] = math.ceil(value), math.floor(value)
    for row in least:
        (node, coefficient) = row.terms[0]
        value = Fraction(row.right, coefficient)
        if coefficient > 0:
            ends.least[node] = max(ends.least.get(node, math.ceil(value)), math.ceil(value))
        else:
            ends.most[node] = min(ends.most.get(node, math.floor(value)), math.floor(value))
    return ends


def weight_of(law: Law) -> Fraction:
    """Return the inverse variance of a law, rounded to a fraction of 24 significant bits."""
    variance = law.variance
    if isinstance(variance, Bounds):
        variance = variance.above
    weight = 1 / Fraction(variance)
    shift = BITS - weight.numerator.bit_length() + weight.denominator.bit_length()
    scale = Fraction(2) ** shift
    return Fraction(round(weight * scale)) / scale
