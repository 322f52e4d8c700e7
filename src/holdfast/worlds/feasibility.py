"""Whether rules can all hold in one world, and which of them say nothing new.

Claim.      Where `examined` is true: some real vector obeys all the rules; no dropped row
            changes what is allowed. A named conflict is a conflict, and irreducible.
Reason.     docs/theory/invariants.md#conflicts
Checked by. tests/worlds/test_feasibility.py
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from holdfast.foundation.errors import Contradiction
from holdfast.worlds.exact_program import Condition, Variable, feasible, least
from holdfast.worlds.hierarchy import Hierarchy
from holdfast.worlds.independence import Equations
from holdfast.worlds.intervals import intervals_meet
from holdfast.worlds.rules import Linear, Nonnegative, Rule, Sums, Total
from holdfast.worlds.spine import Spine, spine_of

LARGEST_PROGRAM = 10_000  # rows times columns of the tableau
LARGEST_ELIMINATION = 300_000  # rows times entries of the equations
MOST_TRIALS = 2_000  # sets tried in the search for the smallest conflict

Rules = dict[str, Rule]
Infeasible = Callable[[Iterable[str]], bool]


@dataclass(frozen=True, slots=True)
class Examination:
    """The names of rules that follow from others, and whether all was decided."""

    redundant: tuple[str, ...]
    examined: bool


def examine(rules: Rules, tree: Hierarchy | None) -> Examination:
    """Return what the rules hold in common; refuse rules that cannot hold together."""
    spine = spine_of(tree, _touched(rules)) if tree is not None else None
    infeasible = _decider(rules, spine)
    if infeasible is not None and infeasible(rules):
        conflict, smallest = _conflict(tuple(rules), infeasible)
        raise Contradiction(conflict, smallest=smallest)
    redundant = _dependent(rules, spine) if _can_eliminate(rules) else []
    if infeasible is None and redundant is None:
        raise Contradiction(_conflict_of_equations(rules, spine), smallest=False)
    redundant = redundant or []
    if _is_small(rules, spine):
        redundant += _implied(rules, spine, redundant)
    return Examination(tuple(redundant), infeasible is not None)


def _touched(rules: Rules) -> set[int]:
    """Return the nodes that the rules speak of one by one."""
    return {
        node for rule in rules.values() if isinstance(rule, Linear) for node, _ in rule.row.terms
    }


def _conditions(rule: Rule, spine: Spine | None) -> list[Condition]:
    """Return the rule over the spine; `("rest", v)` is what lies below v alone."""
    match rule:
        case Sums() if spine is not None:
            return [_sum_at(node, spine) for node in spine.nodes]
        case Total(value):
            return [Condition({0: 1}, "=", value)]
        case Linear(row, relation):
            return [Condition(dict(row.terms), relation, row.right)]
        case _:
            return []


def _sum_at(node: int, spine: Spine) -> Condition:
    """Return that a node is the sum of the spine nodes below it and of the rest."""
    terms: dict[Variable, int] = {}
    if spine.has_leaves_of_its_own(node):
        terms[("rest", node)] = -1
    terms[node] = 1
    terms.update(dict.fromkeys(spine.below[node], -1))
    return Condition(terms, "=", 0)


def _decider(rules: Rules, spine: Spine | None) -> Infeasible | None:
    """Return the test whether some of the rules conflict, or None where they are too many."""
    if all(len(r.row.terms) == 1 for r in rules.values() if isinstance(r, Linear)):
        return lambda names: not intervals_meet([rules[name] for name in names], spine)
    if not _is_small(rules, spine):
        return None
    conditions = {name: _conditions(rule, spine) for name, rule in rules.items()}

    def infeasible(names: Iterable[str]) -> bool:
        chosen = list(names)
        nonnegative = any(isinstance(rules[name], Nonnegative) for name in chosen)
        return not feasible([c for name in chosen for c in conditions[name]], nonnegative)

    return infeasible


def _is_small(rules: Rules, spine: Spine | None) -> bool:
    """Return whether an exact programme over all the rules is small enough."""
    rows = sum(len(_conditions(rule, spine)) for rule in rules.values())
    columns = 4 * len(spine.nodes if spine else _touched(rules)) + 2 * rows
    return rows * columns <= LARGEST_PROGRAM


def _conflict(names: Sequence[str], infeasible: Infeasible) -> tuple[tuple[str, ...], bool]:
    """Return a conflict, and whether it is proven to be the smallest one."""
    core = _irreducible(names, infeasible)
    trials = sum(math.comb(len(names), size) for size in range(1, len(core)))
    if trials > MOST_TRIALS:
        return core, False
    for size in range(1, len(core)):
        for smaller in combinations(names, size):
            if infeasible(smaller):
                return smaller, True
    return core, True


def _irreducible(names: Sequence[str], infeasible: Infeasible) -> tuple[str, ...]:
    """Return a conflict of which no part conflicts.

    Each turn finds, by halving, the shortest run of names that conflicts with the core; its last
    name is needed, and only names before it can be needed besides.
    """
    core: list[str] = []
    pool = list(names)
    while not infeasible(core):
        low, high = 1, len(pool)
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if infeasible(core + pool[:middle]) else (middle + 1, high)
        core.append(pool[low - 1])
        pool = pool[: low - 1]
    return tuple(name for name in names if name in core)


def _can_eliminate(rules: Rules) -> bool:
    """Return whether solving the equations for one another, in fractions, takes seconds."""
    rows = [r.row.terms for r in rules.values() if isinstance(r, Linear) and r.relation == "="]
    long = [terms for terms in rows if len(terms) > 1]
    return len(long) * sum(len(terms) for terms in long) <= LARGEST_ELIMINATION


def _dependent(rules: Rules, spine: Spine | None) -> list[str] | None:
    """Return the equalities that follow from those before them, or None for a contradiction."""
    equations = Equations()
    dependent = [
        name
        for name, rule in rules.items()
        for condition in _conditions(rule, spine)
        if condition.relation == "=" and not equations.add(condition)
    ]
    return None if equations.contradicted else dependent


def _conflict_of_equations(rules: Rules, spine: Spine | None) -> tuple[str, ...]:
    """Return an irreducible conflict among equalities alone."""

    def infeasible(names: Iterable[str]) -> bool:
        equations = Equations()
        for name in names:
            for condition in _conditions(rules[name], spine):
                if condition.relation == "=":
                    equations.add(condition)
        return equations.contradicted

    return _irreducible(tuple(rules), infeasible)


def _implied(rules: Rules, spine: Spine | None, dropped: Sequence[str]) -> list[str]:
    """Return the inequalities that follow from the other rules, later ones first."""
    left = {name: rule for name, rule in rules.items() if name not in dropped}
    nonnegative = any(isinstance(rule, Nonnegative) for rule in rules.values())
    implied = []
    for name, rule in reversed(rules.items()):
        if not isinstance(rule, Linear) or rule.relation == "=":
            continue
        others = [c for n, r in left.items() if n != name for c in _conditions(r, spine)]
        lowest = least(dict(rule.row.terms), others, nonnegative)
        if lowest is not None and not isinstance(lowest, str) and lowest >= rule.row.right:
            implied.append(name)
            del left[name]
    return implied
