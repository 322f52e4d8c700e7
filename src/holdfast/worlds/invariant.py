"""What must be true of a table: linear equalities and inequalities over the nodes of a tree.

Claim.      `holds` is exact for whole numbers. Where `examined` is true, some real vector obeys
            the rules.
Reason.     docs/theory/invariants.md
Checked by. tests/worlds/test_invariant.py
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from holdfast.foundation.errors import MOST_LISTED, BadRules, Fault, shown
from holdfast.foundation.exact import whole
from holdfast.worlds import feasibility
from holdfast.worlds.exact_rows import exact_rows
from holdfast.worlds.hierarchy import Hierarchy
from holdfast.worlds.rules import (
    Kind,
    Linear,
    Nonnegative,
    Rule,
    Statement,
    Sums,
    Total,
    kind_of,
    name_of,
)
from holdfast.worlds.rules import holds as rule_holds
from holdfast.worlds.vectors import vector_of


@dataclass(frozen=True, init=False, slots=True)
class Invariant:
    """Rules that must all hold; join two with `&`.

    `redundant` are the rows that were dropped because they follow from the others. `examined`
    is false where the rules are too many to be decided exactly here; then a solver decides.
    """

    rules: tuple[Rule, ...]
    redundant: tuple[Rule, ...]
    examined: bool

    def __init__(self, rules: Sequence[Rule], redundant: Sequence[Rule] = ()) -> None:
        tree = _tree_of(rules)
        named, twice = _named(rules, tree)
        _check_claims(named, tree)
        examination = feasibility.examine(named, tree)
        gone = [named[name] for name in examination.redundant]
        kept = [rule for name, rule in named.items() if name not in examination.redundant]
        object.__setattr__(self, "rules", tuple(kept))
        object.__setattr__(self, "redundant", (*redundant, *twice, *gone))
        object.__setattr__(self, "examined", examination.examined)

    @property
    def tree(self) -> Hierarchy | None:
        """Return the tree that the rules speak of, where one of them names it."""
        return next((rule.tree for rule in self.rules if isinstance(rule, Sums)), None)

    @property
    def statements(self) -> tuple[Statement, ...]:
        """Return each rule by name with its kind."""
        return tuple(
            Statement(name_of(rule, self.tree), kind_of(rule, self.tree)) for rule in self.rules
        )

    @property
    def dropped(self) -> tuple[str, ...]:
        """Return the names of the rows that were dropped as redundant."""
        return tuple(name_of(rule, self.tree) for rule in self.redundant)

    @property
    def facts(self) -> tuple[str, ...]:
        """Return the names of the rules that hold for the data at hand only."""
        return tuple(s.name for s in self.statements if s.kind is Kind.FACT)

    @property
    def equalities(self) -> tuple[Rule, ...]:
        """Return the rules that are equalities."""
        return tuple(rule for rule in self.rules if not _is_inequality(rule))

    @property
    def inequalities(self) -> tuple[Rule, ...]:
        """Return the rules that are inequalities."""
        return tuple(rule for rule in self.rules if _is_inequality(rule))

    def __and__(self, other: object) -> "Invariant":
        if not isinstance(other, Invariant):
            return NotImplemented
        return Invariant([*self.rules, *other.rules], (*self.redundant, *other.redundant))

    def __bool__(self) -> bool:
        """Refuse: `a and b` would be b alone, and a rule would be lost without a word."""
        found = "`and`, `or`, `not` or `if`"
        raise BadRules(Fault("rules", "rules joined by &", found, "Write a & b."))

    def holds(self, vector: Any) -> bool:
        """Return whether the vector obeys every rule; exact for whole numbers.

        Floats are taken at their exact value, except that sums are added as `aggregate` adds.
        """
        numbers = vector_of(vector, next(_widths(self.rules), None), "vector of nodes")
        return all(rule_holds(rule, numbers) for rule in self.rules)

    def __repr__(self) -> str:
        text = _cut([f"{s.name} [{s.kind}]" for s in self.statements])
        if self.dropped:
            text += f"; dropped as redundant: {_cut(self.dropped)}"
        if not self.examined:
            text += "; not examined: too many rules to decide exactly here, they may conflict"
        return f"<invariant: {text}>"


def _cut(names: Sequence[str]) -> str:
    """Return the names, the first few where they are many."""
    more = [f"and {len(names) - MOST_LISTED} more"] if len(names) > MOST_LISTED else []
    return "; ".join([*names[:MOST_LISTED], *more])


def _tree_of(rules: Sequence[Rule]) -> Hierarchy | None:
    """Return the tree of the rules; refuse rules over different trees."""
    trees = [rule.tree for rule in rules if isinstance(rule, Sums)]
    if any(tree != trees[0] for tree in trees[1:]):
        found = "two different trees"
        raise BadRules(Fault("rules", "rules over the nodes of one tree", found, "Use one tree."))
    widths = sorted(set(_widths(rules)))
    if len(widths) > 1:
        known = f", the tree has {trees[0].size} nodes" if trees else ""
        raise BadRules(
            Fault(
                "rows",
                "a column for each node of the tree",
                f"rows of {' and '.join(map(str, widths))} columns{known}",
                "Give every node a column, in the order of tree.paths: the root is the first.",
            )
        )
    return trees[0] if trees else None


def _is_inequality(rule: Rule) -> bool:
    return isinstance(rule, Nonnegative) or (isinstance(rule, Linear) and rule.relation == ">=")


def _widths(rules: Sequence[Rule]) -> Iterator[int]:
    """Yield the number of nodes that each rule with such a number speaks of."""
    for rule in rules:
        if isinstance(rule, Sums):
            yield rule.tree.size
        elif isinstance(rule, Linear):
            yield rule.width


def _named(rules: Sequence[Rule], tree: Hierarchy | None) -> tuple[dict[str, Rule], list[Rule]]:
    """Return the rules under different names, and the rows that were written twice."""
    named: dict[str, Rule] = {}
    twice: list[Rule] = []
    times: Counter[str] = Counter()
    for rule in rules:
        name = name_of(rule, tree)
        if name in named and _say_the_same(rule, named[name]):
            twice += [rule] if isinstance(rule, Linear) else []
            continue
        while name in named:
            times[name] += 1
            name = f"{name} ({times[name] + 1})"
        if isinstance(rule, Linear) and name != name_of(rule, tree):
            rule = replace(rule, label=name)
        named[name] = rule
    return named, twice


def _say_the_same(one: Rule, other: Rule) -> bool:
    """Return whether two rules are the same, whatever they are called."""
    if isinstance(one, Linear) and isinstance(other, Linear):
        return one.row == other.row and one.relation == other.relation
    return one == other


def _check_claims(named: dict[str, Rule], tree: Hierarchy | None) -> None:
    """Refuse an equality said to follow from the sums that does not."""
    for name, rule in named.items():
        claimed = isinstance(rule, Linear) and rule.claimed and tree is not None
        if claimed and kind_of(rule, tree) is not Kind.STRUCTURAL:
            raise BadRules(
                Fault(
                    name,
                    "an equality that follows from the sums (fact=False)",
                    "one that does not; a right side of 0 alone proves nothing",
                    "Leave fact=True: it is a fact about the data at hand.",
                )
            )


def sums(tree: Hierarchy) -> Invariant:
    """Return the structural invariant of a tree: every parent is the sum of its children."""
    return Invariant((Sums(tree),))


def nonnegative() -> Invariant:
    """Return the rule that every node is at least 0."""
    return Invariant((Nonnegative(),))


def total(value: object) -> Invariant:
    """Return the data fact that the root equals a public whole number."""
    return Invariant((Total(whole(value, "total")),))


def equalities(matrix: Any, right: Any, fact: bool = True, names: Sequence[str] = ()) -> Invariant:
    """Return the rules matrix @ nodes = right, one a row; exact for whole numbers.

    The matrix, dense or sparse, has a column for each node of the tree, in the order of
    `tree.paths`; `tree.find(path)` is the column of a path. A right side may be one number.

    >>> equalities([[0, 1, -1]], 0)
    <invariant: z[1] - z[2] = 0 [data fact]>

    They are facts about the data at hand unless they follow from the sums; `fact=False` says
    that they do, and is checked once the tree is known.
    """
    return _linear(matrix, right, "=", names, claimed=not fact)


def inequalities(matrix: Any, right: Any, names: Sequence[str] = ()) -> Invariant:
    """Return the rules matrix @ nodes >= right, one a row; exact for whole numbers."""
    return _linear(matrix, right, ">=", names)


def _linear(
    matrix: Any, right: Any, relation: Any, names: Sequence[str], claimed: bool = False
) -> Invariant:
    """Return one rule for each row."""
    read = exact_rows(matrix, right)
    labels = _labels(names, len(read.rows))
    return Invariant(
        [
            Linear(row, relation, read.width, label, claimed)
            for row, label in zip(read.rows, labels, strict=True)
        ]
    )


def _labels(names: Any, count: int) -> list[str]:
    """Return one name for each row, or empty names."""
    labels = [names] if isinstance(names, str) or not hasattr(names, "__iter__") else list(names)
    if not labels:
        return [""] * count
    good = all(isinstance(n, str) and n.strip() and n.isprintable() for n in labels)
    if len(labels) != count or not good or set(labels) & {"sums", "nonnegative"}:
        found = ", ".join(map(shown, labels[:3]))
        asked = f"{count} printable names, not those of other rules"
        raise BadRules(Fault("names", asked, found, "Match them."))
    return labels
