"""Read an invariant and the laws for an update onto a tree.

Claim.      The weights are the inverse variances of the laws, to 24 bits; an update is the same
            post-processing whatever they are.
Reason.     docs/theory/update.md
Checked by. tests/mechanism/test_updated.py
"""

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from holdfast.foundation.bounds import Bounds
from holdfast.foundation.errors import BadRules, Fault, raise_all, shown
from holdfast.mechanism.condition import check_facts, check_tree
from holdfast.mechanism.updated import Updated, check_norm
from holdfast.noise.law import Law
from holdfast.update.tree_rules import TreeRules
from holdfast.worlds.hierarchy import Hierarchy
from holdfast.worlds.invariant import Invariant
from holdfast.worlds.rules import Linear, Nonnegative, Rule, Sums, Total, name_of

if TYPE_CHECKING:
    from holdfast.mechanism.plain import Mechanism
    from holdfast.mechanism.revised import Revised

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
    check_norm(norm)
    rules = tree_rules(mechanism.tree, mechanism.laws, invariant)
    return Updated(source, invariant, rules, integers)


def tree_rules(tree: Hierarchy, laws: tuple[Law, ...], invariant: Invariant) -> TreeRules:
    """Return what an update onto an invariant is asked for; what it cannot do is refused."""
    pinned: dict[int, int] = {}
    least: dict[int, int] = {}
    most: dict[int, int] = {}
    faults: list[Fault] = []
    for rule in invariant.rules:
        match rule:
            case Sums() | Nonnegative():
                continue
            case Total(value):
                pinned[0] = value
            case Linear(row, relation) if len(row.terms) == 1:
                (node, coefficient) = row.terms[0]
                end = Fraction(row.right) / coefficient
                if relation == ">=" and coefficient > 0:
                    least[node] = max(least.get(node, math.ceil(end)), math.ceil(end))
                elif relation == ">=":
                    most[node] = min(most.get(node, math.floor(end)), math.floor(end))
                elif end.denominator == 1:
                    pinned[node] = int(end)
                else:
                    faults.append(_not_whole(rule, tree))
            case _:
                faults.append(_cannot(rule, tree))
    raise_all(BadRules, faults)
    nonnegative = any(isinstance(rule, Nonnegative) for rule in invariant.rules)
    weights = [weight_of(law) for law in laws]
    rules = TreeRules(tree, weights, pinned, nonnegative, least=least, most=most)
    _check_room(rules)
    return rules


def _check_room(rules: TreeRules) -> None:
    """Refuse rules that real numbers obey and whole ones do not."""
    for node in np.flatnonzero(rules.lowest > rules.highest).tolist()[:1]:
        name = "/".join(map(str, rules.tree.paths[node])) or rules.tree.root
        asked, found = "a whole number between the bounds", f"none at {shown(name)}"
        raise BadRules(Fault("update", asked, found, "Widen the bounds."))


def weight_of(law: Law) -> Fraction:
    """Return the inverse variance of a law, rounded to a fraction of 24 significant bits."""
    variance = law.variance
    if isinstance(variance, Bounds):
        variance = variance.above
    weight = 1 / Fraction(variance)
    shift = BITS - weight.numerator.bit_length() + weight.denominator.bit_length()
    scale = Fraction(2) ** shift
    return Fraction(round(weight * scale)) / scale


def _not_whole(rule: Rule, tree: Hierarchy) -> Fault:
    """Return the refusal of a node pinned between two whole numbers."""
    return Fault(
        "update", "nodes pinned to whole numbers", shown(name_of(rule, tree)), "Correct the rule."
    )


def _cannot(rule: Rule, tree: Hierarchy) -> Fault:
    """Return the refusal of a rule that an update does not know yet."""
    return Fault(
        "update",
        "sums, non-negative counts, and rules on single nodes",
        shown(name_of(rule, tree)),
        "Other rules are not built yet: leave it out, or revise on it.",
    )
