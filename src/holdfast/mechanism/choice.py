"""Which sampler draws noise given equalities, and why that one.

Closed form, then exact trials, then messages, then Gibbs: the first that the laws and the rules
allow at a bearable cost. Costs are predicted from the tree and the laws, never from data.

Reason.     docs/decisions/0006-how-a-sampler-is-chosen.md
Checked by. tests/mechanism/test_choice.py
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from holdfast.foundation.errors import BadParameter, Fault, shown
from holdfast.foundation.progress import Progress
from holdfast.mechanism.condition import Condition
from holdfast.noise.gaussian import Gaussian
from holdfast.noise.laplace import Laplace
from holdfast.noise.law import is_discrete
from holdfast.revision.chains.gibbs import Gibbs
from holdfast.revision.chains.metropolis import Metropolis
from holdfast.revision.closed_forms.gaussian_closed_form import GaussianClosedForm
from holdfast.revision.closed_forms.gaussian_tree import GaussianTree
from holdfast.revision.closed_forms.group import GroupClosedForm, is_closed_group
from holdfast.revision.closed_forms.group_continuous import GroupClosedFormContinuous
from holdfast.revision.evidence import Sampler
from holdfast.revision.messages.grid_messages import GridMessages
from holdfast.revision.messages.tree_messages import TreeMessages
from holdfast.revision.rejection.tree_rejection import TreeRejection, expected_draws
from holdfast.revision.rejection.tree_rejection_continuous import TreeRejectionContinuous

Method = Literal["closed-form", "exact", "rejection", "messages", "gibbs", "metropolis"]
METHODS = ("auto", *get_args(Method))
DRAWS_A_NODE = 4.0  # scalar draws for a node up to which trials are about as quick as messages
LARGEST_TRIAL = 20_000  # nodes up to which the cost of trials is worked out


@dataclass(frozen=True, slots=True)
class Choice:
    """A sampler, the word for its method, and why it was taken."""

    sampler: Sampler
    method: Method
    why: str


@dataclass(frozen=True, slots=True)
class _Road:
    """A way to draw: why it is taken, whether "auto" may take it, and how its sampler is made."""

    method: Method
    why: str
    make: Callable[[], Sampler]
    by_itself: bool = True


def choose(condition: Condition, method: str, progress: Progress) -> Choice:
    """Return the sampler of a method, or of the first method that fits."""
    if method not in METHODS:
        asked = "one of " + ", ".join(METHODS)
        raise BadParameter(Fault("method", asked, shown(method), "Use one of these words."))
    for road in _roads(condition, progress):
        if method == "auto" and road.by_itself:
            return Choice(road.make(), road.method, road.why)
        if method == road.method:
            return Choice(road.make(), road.method, "asked for by name")
    raise _no_road(condition) if method == "auto" else _unfit(condition, method)


def _roads(condition: Condition, progress: Progress) -> Iterator[_Road]:
    """Yield the ways that fit, the best first."""
    whole = all(map(is_discrete, condition.laws))
    if condition.is_tree and whole:
        yield from _whole_trees(condition, progress)
    elif condition.is_tree:
        yield from _real_trees(condition)
    elif all(isinstance(law, Gaussian) for law in condition.laws):
        why = "Gaussian noise on equalities is a projection"
        yield _Road("closed-form", why, lambda: GaussianClosedForm(condition.system))
    if all(isinstance(law, Laplace) for law in condition.laws):
        why = "Laplace noise on equalities: normal draws given random variances"
        yield _Road("gibbs", why, lambda: Gibbs(condition.system))
    if condition.is_tree and not whole:
        why = "continuous noise on a tree, on a fine grid"
        yield _Road("messages", why, lambda: GridMessages(condition.noisy_tree, progress))
    yield _Road("metropolis", "", lambda: Metropolis(condition.system), by_itself=False)


def _whole_trees(condition: Condition, progress: Progress) -> Iterator[_Road]:
    """Yield the ways for whole-number noise on a tree."""
    noisy = condition.noisy_tree
    if is_closed_group(noisy):
        yield _Road("closed-form", "one group and its total", lambda: GroupClosedForm(noisy))
    bearable, why = _trial_cost(condition)
    yield _Road("exact", why, lambda: TreeRejection(noisy), bearable)
    why = "a tree of whole-number noise: a proven bound at any size"
    yield _Road("messages", why, lambda: TreeMessages(noisy, progress))


def _real_trees(condition: Condition) -> Iterator[_Road]:
    """Yield the ways for continuous noise on a tree, but for chains and the grid."""
    noisy = condition.noisy_tree
    if all(isinstance(law, Gaussian) for law in condition.laws):
        why = "Gaussian noise on a tree is a projection by two sweeps"
        yield _Road("closed-form", why, lambda: GaussianTree(noisy))
    if not all(isinstance(law, Laplace) for law in condition.laws):
        return
    if condition.tree.depth == 2 and set(noisy.pinned) <= {0}:
        why = "one group and its total, in floats"
        yield _Road("closed-form", why, lambda: GroupClosedFormContinuous(noisy))
    bearable, why = _trial_cost(condition)
    by_itself = bearable and not noisy.pinned  # under a pin trials may not fit, Gibbs does
    yield _Road("rejection", why, lambda: TreeRejectionContinuous(noisy), by_itself)


def _trial_cost(condition: Condition) -> tuple[bool, str]:
    """Return whether trials are about as quick as messages, and the expected draws in words."""
    if condition.tree.size > LARGEST_TRIAL:
        return False, ""
    draws = expected_draws(condition.noisy_tree)
    why = f"trials need about {draws:.0f} draws for {condition.tree.size} nodes"
    return draws <= DRAWS_A_NODE * condition.tree.size, why


def _no_road(condition: Condition) -> BadParameter:
    """Return the refusal of rules that no proven sampler covers."""
    return BadParameter(
        Fault(
            "revise",
            "sums and pinned nodes, where noise is whole numbers",
            f"{len(condition.rows)} further equalities, for which no exact sampler is known",
            'Ask for method="metropolis" (research, no certificate), or update onto them.',
        )
    )


def _unfit(condition: Condition, method: str) -> BadParameter:
    """Return the refusal of a method that the laws or the rules do not allow."""
    kind = "a tree" if condition.is_tree else "a tree with further equalities"
    names = sorted({type(law).__name__ for law in condition.laws})
    return BadParameter(
        Fault(
            f"method {shown(method)}",
            "laws and rules that it can draw",
            f"{' and '.join(names)} noise on {kind}",
            'Use method="auto", which takes one that fits.',
        )
    )
