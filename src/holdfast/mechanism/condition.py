"""What an invariant asks of the noise: pinned nodes, further rows, and inequalities.

A table and its noisy answer both obey the equalities, so the noise obeys them with 0 on the
right: a public total pins its node, and its noise is 0.

Reason.     docs/theory/revision.md#what-is-conditioned-on
Checked by. tests/mechanism/test_condition.py
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from holdfast.foundation.errors import BadRules, Fault, shown
from holdfast.noise.law import Law
from holdfast.noise.sensitivity import Neighbours
from holdfast.revision.noisy_system import NoisySystem, system_of
from holdfast.revision.noisy_tree import NoisyTree
from holdfast.worlds.exact_rows import Row
from holdfast.worlds.hierarchy import Hierarchy
from holdfast.worlds.invariant import Invariant
from holdfast.worlds.rules import Linear, Nonnegative, Rule, Sums, Total, row_of
from holdfast.worlds.rules import holds as rule_holds
from holdfast.worlds.vectors import Numbers

NEAR = 1e-9  # relative


@dataclass(frozen=True, init=False, repr=False)
class Condition:
    """An invariant read for a tree and its laws; `rows` are equalities that pin no single node."""

    tree: Hierarchy
    laws: tuple[Law, ...]
    invariant: Invariant
    pinned: tuple[int, ...]
    rows: tuple[Row, ...]

    def __init__(self, tree: Hierarchy, laws: tuple[Law, ...], invariant: Invariant) -> None:
        check_tree(tree, invariant, "revise")
        rules = [rule for rule in invariant.equalities if isinstance(rule, Total | Linear)]
        equalities = [row_of(rule) for rule in rules]
        single = [row.terms[0][0] for row in equalities if len(row.terms) == 1]
        object.__setattr__(self, "tree", tree)
        object.__setattr__(self, "laws", laws)
        object.__setattr__(self, "invariant", invariant)
        object.__setattr__(self, "pinned", tuple(sorted(set(single))))
        object.__setattr__(self, "rows", tuple(r for r in equalities if len(r.terms) > 1))

    @property
    def is_tree(self) -> bool:
        """Return whether the equalities are the sums and pinned nodes, and no more."""
        return not self.rows

    @cached_property
    def noisy_tree(self) -> NoisyTree:
        """Return the tree with its laws and pinned nodes."""
        return NoisyTree(self.tree, self.laws, self.pinned)

    @cached_property
    def system(self) -> NoisySystem:
        """Return all equalities as rows."""
        of_tree = system_of(self.noisy_tree)
        return NoisySystem(of_tree.laws, [*of_tree.rows, *self.rows])

    @property
    def limits(self) -> tuple[Linear, ...]:
        """Return the inequalities but for non-negativity."""
        return tuple(rule for rule in self.invariant.inequalities if isinstance(rule, Linear))

    @property
    def is_nonnegative(self) -> bool:
        """Return whether no count of the noisy table may be below 0."""
        return any(isinstance(rule, Nonnegative) for rule in self.invariant.rules)

    def limits_hold(self, table: Numbers) -> bool:
        """Return whether a table obeys the inequalities."""
        return self._limits.holds(table)

    def free_limits_hold(self, noise: Numbers) -> bool:
        """Return whether noise obeys the inequalities with 0 on the right.

        Such noise takes every table that obeys the rules to another one that does.
        """
        return self._free_limits.holds(noise)

    @cached_property
    def _limits(self) -> Invariant:
        return Invariant(self.invariant.inequalities)

    @cached_property
    def _free_limits(self) -> Invariant:
        lines = [replace(rule, row=Row(rule.row.terms, 0), label="") for rule in self.limits]
        return Invariant([*lines, *([Nonnegative()] if self.is_nonnegative else [])])

    def holds(self, table: Numbers) -> bool:
        """Return whether a table obeys every rule: whole numbers exactly, floats to rounding."""
        if table.dtype.kind == "i":
            return self.invariant.holds(table)
        return all(nearly(rule, table) for rule in self.invariant.rules)

    def holds_of_checked(self, table: Numbers) -> bool:
        """Return the same of a table that the mechanism has checked: whole numbers add up."""
        if table.dtype.kind != "i":
            return self.holds(table)
        further = (rule for rule in self.invariant.rules if not isinstance(rule, Sums))
        return all(rule_holds(rule, table) for rule in further)


def nearly(rule: Rule, table: Numbers, near: float = NEAR) -> bool:
    """Return whether a rule holds, but for so much of the sizes that it adds up."""
    match rule:
        case Sums(tree):
            leaves = table[tree.leaf_nodes]
            slack = near * np.maximum(1.0, tree.aggregate(np.abs(leaves)))
            return bool((np.abs(table - tree.aggregate(leaves)) <= slack).all())
        case Nonnegative():
            return bool((table >= 0).all())
        case Total() | Linear():
            row = row_of(rule)
            parts = [value * float(table[node]) for node, value in row.terms]
            off, most = sum(parts) - row.right, near * max(1.0, abs(row.right), *map(abs, parts))
            is_limit = isinstance(rule, Linear) and rule.relation == ">="
            return abs(off) <= most or (is_limit and off > 0)


def check_facts(invariant: Invariant, neighbours: Neighbours) -> None:
    """Refuse data facts where adding or removing a person would change them."""
    if invariant.facts and neighbours is Neighbours.ADD_REMOVE:
        raise BadRules(
            Fault(
                "data facts",
                "rules that neighbours share",
                f"{', '.join(map(shown, invariant.facts[:3]))} under add-remove: a person more or "
                "less may break it, and of such a pair nothing is promised",
                "Leave the fact out. Under replace-one the promise is for pairs that share it.",
            )
        )


def check_tree(tree: Hierarchy, invariant: Invariant, what: str) -> None:
    """Refuse what is no invariant, one of another tree, and one without the sums."""
    if not isinstance(invariant, Invariant):
        found = f"a {type(invariant).__name__}"
        raise BadRules(Fault(what, "an invariant", found, "Write tree.sums()."))
    if invariant.tree is None:
        found = "rules without the sums"
        raise BadRules(Fault(what, "the sums of the tree", found, "Write tree.sums() & ..."))
    if invariant.tree != tree:
        found = "those of another tree"
        raise BadRules(Fault(what, "rules over this tree", found, "Use this tree's sums()."))
