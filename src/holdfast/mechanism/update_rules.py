"""Read an invariant and the laws for an update onto a tree.

Claim.      The weights are the inverse variances of the laws, to 24 bits; an update is the same
            post-processing whatever they are.
Reason.     docs/theory/update.md
Checked by. tests/mechanism/test_updated.py
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

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
    faults: list[Fault] = []
    for rule in invariant.rules:
        match rule:
            case Sums() | Nonnegative():
                continue
            case Total(value):
                pinned[0] = value
            case Linear():
                found = list(_pin(rule))
                pinned.update(found)
                faults += [] if found else [_cannot(rule, tree)]
    raise_all(BadRules, faults)
    nonnegative = any(isinstance(rule, Nonnegative) for rule in invariant.rules)
    return TreeRules(tree, [weight_of(law) for law in laws], pinned, nonnegative)


def weight_of(law: Law) -> Fraction:
    """Return the inverse variance of a law, rounded to a fraction of 24 significant bits."""
    variance = law.variance
    if isinstance(variance, Bounds):
        variance = variance.above
    weight = 1 / Fraction(variance)
    shift = BITS - weight.numerator.bit_length() + weight.denominator.bit_length()
    scale = Fraction(2) ** shift
    return Fraction(round(weight * scale)) / scale


def _pin(rule: Linear) -> Iterator[tuple[int, int]]:
    """Yield the node that an equality pins to a whole number, and this number, if it does."""
    if rule.relation != "=" or len(rule.row.terms) != 1:
        return
    (node, coefficient) = rule.row.terms[0]
    value = Fraction(rule.row.right) / coefficient
    if value.denominator == 1:
        yield node, int(value)


def _cannot(rule: Rule, tree: Hierarchy) -> Fault:
    """Return the refusal of a rule that an update does not know yet."""
    return Fault(
        "update",
        "sums, non-negative counts, and nodes pinned to whole numbers",
        shown(name_of(rule, tree)),
        "Other rules are not built yet: leave it out, or revise on it.",
    )
