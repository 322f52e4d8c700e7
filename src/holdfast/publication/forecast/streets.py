"""The streets that lead from a mechanism to a table under rules; what cannot be built says why.

Reason.     docs/theory/prediction.md#the-streets
Checked by. tests/publication/forecast/test_streets.py
"""

from collections.abc import Callable
from dataclasses import dataclass

from holdfast.foundation.errors import HoldfastError
from holdfast.foundation.progress import Progress
from holdfast.mechanism.condition import Condition, check_facts, check_tree
from holdfast.mechanism.plain import Mechanism
from holdfast.mechanism.revised import Revised
from holdfast.mechanism.updated import Updated
from holdfast.mechanism.way import messages_fit
from holdfast.worlds.invariant import Invariant

PLAIN = "plain noise"
REVISE = "revise"
STREET = "revise sums, update nonnegative"
UPDATE = "update"
CONDITION = "revise sums and nonnegative"
BY_TRIAL = "inequalities by trial: research, not forecast. Revise on the sums and update"

Way = Mechanism | Revised | Updated


@dataclass(frozen=True, slots=True)
class Street:
    """A way by name; None where there is none, and then why."""

    name: str
    way: Way | None
    why_not: str = ""
    recommended: bool = False


def streets(mechanism: Mechanism, rules: Invariant, progress: Progress) -> tuple[Street, ...]:
    """Return all streets, one of them recommended."""
    check_tree(mechanism.tree, rules, "forecast")
    check_facts(rules, mechanism.neighbours)
    plain = Street(PLAIN, mechanism)
    revise = _tried(REVISE, lambda: mechanism.revise(Invariant(rules.equalities), "auto", progress))
    update = _tried(UPDATE, lambda: mechanism.update(rules))
    if not rules.inequalities:
        return _recommending(revise.name if revise.way else UPDATE, plain, revise, update)
    both = _updated(revise, rules)
    condition = _conditioned(mechanism, rules, progress)
    best = both.name if both.way else UPDATE
    return _recommending(best, plain, revise, both, update, condition)


def _updated(revise: Street, rules: Invariant) -> Street:
    """Return the recommended street: what was revised, updated onto all the rules."""
    source = revise.way
    if isinstance(source, Revised):
        return _tried(STREET, lambda: source.update(rules))
    return Street(STREET, None, revise.why_not)


def _conditioned(mechanism: Mechanism, rules: Invariant, progress: Progress) -> Street:
    """Return the street that conditions on every rule, where messages carry it."""
    condition = Condition(mechanism.tree, mechanism.laws, rules)
    if not messages_fit(condition):
        return Street(CONDITION, None, BY_TRIAL)
    return _tried(CONDITION, lambda: mechanism.revise(rules, "auto", progress))


def _tried(name: str, make: Callable[[], Way]) -> Street:
    """Return a street, or the reason why it cannot be built."""
    try:
        return Street(name, make())
    except HoldfastError as error:  # of the plan: nothing has been read
        return Street(name, None, str(error))


def _recommending(name: str, *listed: Street) -> tuple[Street, ...]:
    """Return the same, one of them recommended."""
    return tuple(Street(each.name, each.way, each.why_not, each.name == name) for each in listed)
