"""The closed family of rules that an invariant is made of.

A rule is *structural* where it holds for every data set (a parent is the sum of its children; a
count is not negative), and a *data fact* where it holds for the data at hand (a total that is
public). The difference decides what a certificate may say.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, assert_never

from holdfast.worlds.exact_rows import Row
from holdfast.worlds.hierarchy import Hierarchy
from holdfast.worlds.spine import spine_of
from holdfast.worlds.vectors import Numbers

MOST_TERMS = 6


class Kind(StrEnum):
    """Whether a rule holds for every data set."""

    STRUCTURAL = "structural"
    FACT = "data fact"


@dataclass(frozen=True, slots=True)
class Statement:
    """A rule by name, and whether it holds for every data set."""

    name: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Sums:
    """Every parent is the sum of its children."""

    tree: Hierarchy


@dataclass(frozen=True, slots=True)
class Nonnegative:
    """Every node is at least 0."""


@dataclass(frozen=True, slots=True)
class Total:
    """The root equals a public number."""

    value: int


@dataclass(frozen=True, slots=True)
class Linear:
    """One row over the nodes: left = right, or left >= right.

    `claimed` is the caller's word that an equality follows from the sums; it is checked as soon
    as the tree is known.
    """

    row: Row
    relation: Literal["=", ">="]
    width: int
    label: str = ""
    claimed: bool = False


Rule = Sums | Nonnegative | Total | Linear


def name_of(rule: Rule, tree: Hierarchy | None = None) -> str:
    """Return what the rule says in few words; nodes by path where the tree is known."""
    match rule:
        case Sums():
            return "sums"
        case Nonnegative():
            return "nonnegative"
        case Total(value):
            return f"total = {value}"
        case Linear():
            return rule.label or _spelt(rule, tree)
        case _:
            assert_never(rule)


def _spelt(rule: Linear, tree: Hierarchy | None) -> str:
    """Return the row as a formula."""
    parts = [
        f"{'-' if coefficient < 0 else '+'} "
        f"{'' if abs(coefficient) == 1 else f'{abs(coefficient)} '}{_node(node, tree)}"
        for node, coefficient in rule.row.terms[:MOST_TERMS]
    ]
    if len(rule.row.terms) > MOST_TERMS:
        parts.append(f"+ ... ({len(rule.row.terms)} terms)")
    left = " ".join(parts).removeprefix("+ ") or "0"
    return f"{left} {rule.relation} {rule.row.right}"


def _node(node: int, tree: Hierarchy | None) -> str:
    """Return the name of a node in a formula."""
    if tree is None:
        return f"z[{node}]"
    return "/".join(map(str, tree.paths[node])) or tree.root


def holds(rule: Rule, vector: Numbers) -> bool:
    """Return whether a vector over the nodes obeys the rule, without rounding."""
    match rule:
        case Sums(tree):
            return tree.adds_up(vector)
        case Nonnegative():
            return bool((vector >= 0).all())
        case Total(value):
            return bool(vector[0].item() == value)
        case Linear(row, relation):
            sign = row.residual_sign(vector)
            return sign == 0 if relation == "=" else sign >= 0
        case _:
            assert_never(rule)


def row_of(rule: Total | Linear) -> Row:
    """Return an equality as a row over the nodes."""
    if isinstance(rule, Total):
        return Row(((0, 1),), rule.value)
    return rule.row


def kind_of(rule: Rule, tree: Hierarchy | None) -> Kind:
    """Return whether the rule is proven to hold for every data set.

    An equality is structural where it follows from the sums; an inequality where it is a sum of
    counts with weights of at least 0 on one side and nothing above 0 on the other. A right side
    of 0 alone proves nothing.
    """
    match rule:
        case Sums() | Nonnegative():
            return Kind.STRUCTURAL
        case Total():
            return Kind.FACT
        case Linear():
            return Kind.STRUCTURAL if _is_proven(rule, tree) else Kind.FACT
        case _:
            assert_never(rule)


def _is_proven(rule: Linear, tree: Hierarchy | None) -> bool:
    """Return whether the row follows from the sums, or from them and counts of at least 0."""
    row = rule.row
    if rule.relation == "=":
        return tree is not None and row.right == 0 and not any(_over_leaves(row, tree))
    weights = [value for _, value in row.terms] if tree is None else _over_leaves(row, tree)
    return row.right <= 0 and all(value >= 0 for value in weights)


def _over_leaves(row: Row, tree: Hierarchy) -> list[int]:
    """Return the coefficients that the row has on the leaves once the sums hold.

    Each coefficient comes once for every kind of leaf: nodes of the row split the leaves into
    those below the same nodes of the row.
    """
    spine = spine_of(tree, [node for node, _ in row.terms])
    weights = dict(row.terms)
    down: dict[int, int] = {}
    for node in spine.nodes:  # parents come before children
        above = spine.above.get(node)
        down[node] = weights.get(node, 0) + (down[above] if above is not None else 0)
    return [down[node] for node in spine.nodes if spine.has_leaves_of_its_own(node)]
