"""Whether rules can all hold in one world, and which of them say nothing new.

Claim.      Where `examined` is true, some real vector obeys all the rules. No dropped row
            changes what is allowed. A named conflict is one; it is irreducible, and the
            smallest, where it says so.
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
from holdfast.worlds.pinning import Pins
from holdfast.worlds.rules import Linear, Nonnegative, Rule, Sums, Total
from holdfast.worlds.spine import Spine, spine_of

LARGEST_PROGRAM = 40_000  # rows times columns of the tableau
LARGEST_SERIES = 100_000  # the same, times the number of programmes that look for what follows
LARGEST_SEARCH = 600_000  # nodes of intervals, or a fifth of a tableau, over all trials
LARGEST_ELIMINATION = 600_000  # rows times entries of the equations
MOST_TRIALS = 2_000  # sets tried in the search for the smallest conflict
FEWEST_HALVINGS, MOST_HALVINGS = 10, 600  # sets tried in the search for an irreducible one

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
        raise _contradiction(rules, infeasible, _halvings(rules, spine), complete=True)
    dependent = _pinned_twice(rules, spine) if _are_single(rules) else []
    if not _are_single(rules) and _can_eliminate(rules, spine):
        solved = _dependent(rules, spine)
        if solved is None:
            by_equations = _equations_conflict(rules, spine)
            raise _contradiction(rules, by_equations, 4 * FEWEST_HALVINGS, complete=False)
        dependent = solved
    inequalities = sum(isinstance(r, Linear) and r.relation == ">=" for r in rules.values())
    if _size(rules, spine) * max(inequalities, 1) <= LARGEST_SERIES:
        dependent += _implied(rules, spine, dependent)
    return Examination(tuple(dependent), infeasible is not None)


def _are_single(rules: Rules) -> bool:
    """Return whether every row speaks of one node."""
    return all(len(r.row.terms) == 1 for r in rules.values() if isinstance(r, Linear))


def _pinned_twice(rules: Rules, spine: Spine | None) -> list[str]:
    """Return the pinned nodes that the sums and the pins before them determine."""
    has_sums = any(isinstance(rule, Sums) for rule in rules.values())
    pins = Pins(spine if has_sums else None)
    ranked = sorted(rules.items(), key=lambda item: _rank(item[1]))
    pinned = [
        (name, 0 if isinstance(rule, Total) else rule.row.terms[0][0])
        for name, rule in ranked
        if isinstance(rule, Total) or (isinstance(rule, Linear) and rule.relation == "=")
    ]
    return [name for name, node in pinned if not pins.add(node)]


def _halvings(rules: Rules, spine: Spine | None) -> int:
    """Return how many trials a search for a conflict may take, so that it takes seconds."""
    nodes = len(spine.nodes if spine else _touched(rules))
    work = max(1, nodes if _are_single(rules) else 5 * _size(rules, spine))
    return min(max(LARGEST_SEARCH // work, FEWEST_HALVINGS), MOST_HALVINGS)


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
    if _are_single(rules):
        return lambda names: not intervals_meet([rules[name] for name in names], spine)
    if _size(rules, spine) > LARGEST_PROGRAM:
        return None
    conditions = {name: _conditions(rule, spine) for name, rule in rules.items()}

    def infeasible(names: Iterable[str]) -> bool:
        chosen = list(names)
        nonnegative = any(isinstance(rules[name], Nonnegative) for name in chosen)
        return not feasible([c for name in chosen for c in conditions[name]], nonnegative)

    return infeasible


def _size(rules: Rules, spine: Spine | None) -> int:
    """Return rows times columns of an exact programme over all the rules."""
    rows = sum(len(_conditions(rule, spine)) for rule in rules.values())
    columns = 4 * len(spine.nodes if spine else _touched(rules)) + 2 * rows
    return rows * columns


def _contradiction(
    rules: Rules, infeasible: Infeasible, most: int, complete: bool
) -> Contradiction:
    """Return the refusal: the smallest conflict, or an irreducible one, or just a conflict.

    A test that is not `complete` sees some conflicts only: what it finds is never the smallest.
    """
    names = tuple(rules)
    core, irreducible = _irreducible(names, infeasible, most)
    trials = sum(math.comb(len(names), size) for size in range(1, len(core)))
    if not irreducible or not complete or trials > min(MOST_TRIALS, 10 * most):
        return Contradiction(core, smallest=False, irreducible=irreducible)
    for size in range(1, len(core)):
        for smaller in combinations(names, size):
            if infeasible(smaller):
                return Contradiction(smaller, smallest=True)
    return Contradiction(core, smallest=True)


def _irreducible(
    names: Sequence[str], infeasible: Infeasible, most: int
) -> tuple[tuple[str, ...], bool]:
    """Return a conflict of which no part conflicts, or what is left when trials run out.

    Each turn finds, by halving, the shortest run of names that conflicts with the core; its last
    name is needed, and only names before it can be needed besides.
    """
    core: list[str] = []
    pool = list(names)
    trials = 0
    while trials < most and not infeasible(core):
        low, high = 1, len(pool)
        while low < high:
            trials += 1
            middle = (low + high) // 2
            low, high = (low, middle) if infeasible(core + pool[:middle]) else (middle + 1, high)
        core.append(pool[low - 1])
        pool = pool[: low - 1]
    done = trials < most
    found = set(core) if done else {*core, *pool}
    return tuple(name for name in names if name in found), done


def _can_eliminate(rules: Rules, spine: Spine | None) -> bool:
    """Return whether solving the equations for one another, in fractions, takes seconds."""
    conditions = [c for rule in rules.values() for c in _conditions(rule, spine)]
    entries = [len(c.terms) for c in conditions if c.relation == "="]
    return len(entries) * sum(entries) <= LARGEST_ELIMINATION


def _dependent(rules: Rules, spine: Spine | None) -> list[str] | None:
    """Return the equalities that follow from those before them, or None for a contradiction."""
    equations = Equations()
    ranked = sorted(rules.items(), key=lambda item: _rank(item[1]))
    dependent = [
        name
        for name, rule in ranked
        for condition in _conditions(rule, spine)
        if condition.relation == "=" and not equations.add(condition)
    ]
    return None if equations.contradicted else dependent


def _rank(rule: Rule) -> int:
    """Return which rules are taken up first: rows are dropped, never the sums or the total."""
    return (Sums, Nonnegative, Total, Linear).index(type(rule))


def _equations_conflict(rules: Rules, spine: Spine | None) -> Infeasible:
    """Return the test whether some of the rules conflict by their equalities alone."""

    def infeasible(names: Iterable[str]) -> bool:
        return _dependent({name: rules[name] for name in names}, spine) is None

    return infeasible


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
