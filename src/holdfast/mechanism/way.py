"""How conditioned noise is drawn: without seeing any table, or for one table at a time.

Claim.      Noise given equalities is drawn by a sampler that is handed no table, so neither its
            time nor its memory can depend on one.
Reason.     docs/theory/revision.md#what-is-conditioned-on
Checked by. tests/mechanism/test_way.py
"""

from dataclasses import dataclass

from holdfast.foundation.errors import BadParameter, Fault, shown
from holdfast.foundation.progress import Progress
from holdfast.mechanism.choice import Choice, choose
from holdfast.mechanism.condition import Condition
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.revision.evidence import Sampler, TableSampler
from holdfast.revision.inequalities.nonnegative_messages import NonnegativeMessages
from holdfast.revision.inequalities.rule_rejection import RuleRejection


@dataclass(frozen=True, slots=True)
class Blind:
    """Noise that is not shown any table; the word for its method, and why that one."""

    sampler: Sampler
    method: str
    why: str


@dataclass(frozen=True, slots=True)
class Sighted:
    """Noise that is drawn for a table, because inequalities make its law depend on it."""

    sampler: TableSampler
    method: str
    why: str


Way = Blind | Sighted


def way_for(condition: Condition, method: str, progress: Progress) -> Way:
    """Return the way to draw noise under a condition, by the method asked for."""
    if not condition.invariant.inequalities:
        choice = choose(condition, method, progress)
        return Blind(choice.sampler, choice.method, choice.why)
    if messages_fit(condition):
        if method not in ("auto", "messages"):
            raise _unfit(method)
        why = "no count below 0: messages of each table, in a fixed range"
        return Sighted(NonnegativeMessages(condition.noisy_tree), "messages", why)
    return _by_trial(condition, choose(condition, method, progress))


def messages_fit(condition: Condition) -> bool:
    """Return whether non-negativity is the only inequality, on a tree of discrete Laplace noise."""
    only = condition.is_tree and condition.is_nonnegative and not condition.limits
    return only and all(isinstance(law, DiscreteLaplace) for law in condition.laws)


def _by_trial(condition: Condition, choice: Choice) -> Sighted:
    """Return noise that is kept where the table obeys inequalities of any kind."""
    sampler = RuleRejection(choice.sampler, condition.limits_hold, condition.free_limits_hold)
    return Sighted(sampler, choice.method, f"{choice.why}; kept where the inequalities hold")


def _unfit(method: str) -> BadParameter:
    return BadParameter(
        Fault(
            f"method {shown(method)}",
            '"messages" or "auto", where no count may be below 0',
            "another",
            "Revise on the sums by that method and update onto nonnegative, which is free.",
        )
    )
