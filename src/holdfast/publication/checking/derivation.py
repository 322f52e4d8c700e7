"""Walk a certificate's derivation again on the tree of the published table.

A certificate alone gives the moves of a row that it was priced for; here the tree is known, so it
is seen whether these are the worst, and whether prices of inequalities are those of the tree.

Reason.     docs/theory/plans.md#what-verify-checks
Checked by. tests/publication/checking/test_verify.py
"""

from typing import Any

from holdfast.foundation.errors import BadRecord, Fault
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.sensitivity import Neighbours
from holdfast.privacy.certificate.certificate import Certificate
from holdfast.privacy.certificate.noise_reasons import (
    Calibration,
    EqualityConditioning,
    InequalityConditioning,
    prices_of,
    rates_of,
)
from holdfast.privacy.certificate.step_reasons import Update
from holdfast.privacy.certificate.written import write_number
from holdfast.privacy.moves import Move
from holdfast.privacy.neighbours import Pairs, facts_of, pairs_left
from holdfast.privacy.price import on_tree
from holdfast.worlds.hierarchy import Hierarchy
from holdfast.worlds.invariant import Invariant


def check_derivation(
    certificate: Certificate, tree: Hierarchy, rules: Invariant, laws: list[Any]
) -> str:
    """Return what was walked; refuse moves, laws, rules and prices that are not the tree's."""
    facts = facts_of(rules)
    promise = certificate.promise
    pairs = pairs_left(tree, promise.neighbours, promise.rows, facts)
    if pairs is None:
        raise _broken("facts that leave some pair of neighbours", "none left")
    for reason in certificate.reasons:
        match reason:
            case Calibration():
                _check_noise(reason, pairs, laws)
            case EqualityConditioning(rules=given) | Update(rules=given):
                _check_names(given, rules)
            case InequalityConditioning(rules=given):
                _check_names(given, rules)
                _check_price(reason, pairs, tree)
            case _:
                pass
    return f"{len(certificate.reasons)} reasons, worked out again on {tree.size} nodes"


def _check_names(given: tuple[str, ...], rules: Invariant) -> None:
    """Refuse a reason about rules that the release does not have."""
    if not set(given) <= {statement.name for statement in rules.statements}:
        raise _broken("rules of the release", "others in a reason")


def _check_noise(reason: Calibration, pairs: Pairs, laws: list[Any]) -> None:
    """Refuse other laws, other rows, and moves that are not the worst."""
    if [write_number(law) for law in reason.laws] != laws:
        raise _broken("the laws of the record", "others in the calibration")
    worst = pairs.worst(prices_of(reason.laws))
    if reason.touched != worst.touched or reason.rows != pairs.rows:
        raise _broken("the costliest move on this tree", "another in the calibration")


def _check_price(reason: InequalityConditioning, pairs: Pairs, tree: Hierarchy) -> None:
    """Refuse odds that are below those of the tree."""
    laws = [law for law in reason.of.laws if isinstance(law, DiscreteLaplace)]
    rates, odds = rates_of(reason.of.laws), on_tree(tree, laws)
    needed = [(_to(each.level, len(laws)), each.above) for each in odds]
    if pairs.relation is Neighbours.REPLACE_ONE:
        needed = [(pairs.worst(rates), max(each.above for each in odds))]
    claimed = InequalityConditioning.loss(rates, Move(reason.touched), reason.odds)
    if claimed < max(InequalityConditioning.loss(rates, *each) for each in needed):
        raise _broken("the price of this tree", "a lower one")


def _to(level: int, depth: int) -> Move:
    return Move(tuple(int(n <= level) for n in range(depth)))


def _broken(asked: str, found: str) -> BadRecord:
    remedy = "Ask for the release as it was published."
    return BadRecord(Fault("derivation", asked, found, remedy))
