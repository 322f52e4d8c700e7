"""From a mechanism and what its sampler proves to a certificate, or the reason for none.

The one place that knows both what noise costs and how it is drawn.

Claim.      A certificate is made only where every step of it is proven; otherwise it is
            withheld, and says why.
Reason.     docs/theory/certificates.md#when-it-is-withheld
Checked by. tests/mechanism/test_certification.py
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, assert_never

from holdfast.foundation.errors import BadCertificate
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.law import DiscreteLaw
from holdfast.noise.sensitivity import Neighbours
from holdfast.privacy.certificate.certificate import Certificate, Promise
from holdfast.privacy.certificate.noise_reasons import (
    Calibration,
    Doubling,
    EqualityConditioning,
    InequalityConditioning,
    prices_of,
    rates_of,
)
from holdfast.privacy.certificate.reasons import Reason
from holdfast.privacy.certificate.step_reasons import InexactDraw, Update
from holdfast.privacy.moves import Move
from holdfast.privacy.neighbours import Pairs, facts_of, pairs_left
from holdfast.privacy.price import on_tree
from holdfast.revision.evidence import Evidence, Exact, NotProven, WithinTotalVariation
from holdfast.worlds.invariant import Invariant
from holdfast.worlds.rules import Statement

if TYPE_CHECKING:
    from holdfast.mechanism.plain import Mechanism
    from holdfast.mechanism.revised import Revised

FLOATS = (
    "floats carry no certificate: which of them can come out depends on the true count. "
    "Use a discrete law"
)
MIXED = "laws of two families: give every level discrete Laplace, or every level discrete Gaussian"
NO_PAIRS = (
    "the rules and the relation leave no pair of neighbours, so nothing would be promised: give "
    "fewer facts, or, where two rows can be exchanged at once and the facts stay true, rows=2"
)


@dataclass(frozen=True, slots=True)
class Withheld:
    """No certificate, and why."""

    why: str


Verdict = Certificate | Withheld


def certificate_of(verdict: Verdict) -> Certificate | None:
    """Return the certificate, if it is one."""
    return verdict if isinstance(verdict, Certificate) else None


def withheld_of(verdict: Verdict) -> str | None:
    """Return why there is no certificate, if so."""
    return verdict.why if isinstance(verdict, Withheld) else None


def certify_plain(mechanism: "Mechanism", moved: Invariant | None = None) -> Verdict:
    """Return the certificate of independent noise, or of it moved onto an invariant."""
    invariants = [moved] if moved is not None else []
    noise = _noise(mechanism, invariants)
    if isinstance(noise, Withheld):
        return noise
    reason = _moved(noise.calibration, moved)
    return _certificate(mechanism, reason, invariants, "independent draws: Exact()")


def certify_revised(revised: "Revised", moved: Invariant | None = None) -> Verdict:
    """Return the certificate of noise given an invariant, or of it moved onto another."""
    if isinstance(revised.evidence, NotProven):
        return Withheld(revised.evidence.reason)
    invariants = [revised.invariant, *([moved] if moved is not None else [])]
    noise = _noise(revised.mechanism, invariants)
    if isinstance(noise, Withheld):
        return noise
    reason = _moved(_drawn(_conditioned(revised, noise), revised.evidence), moved)
    try:
        _ = reason.cost
    except BadCertificate as error:
        return Withheld(str(error))
    sampler = f"{revised.method}: {revised.evidence!r}"
    return _certificate(revised.mechanism, reason, invariants, sampler)


def _moved(reason: Reason, moved: Invariant | None) -> Reason:
    """Return the reason of an answer that is moved onto an invariant, where there is one."""
    return reason if moved is None else Update(reason, _names(moved))


@dataclass(frozen=True, slots=True)
class _Noise:
    """Independent noise, and the pairs that it is priced for."""

    calibration: Calibration
    pairs: Pairs


def _noise(mechanism: "Mechanism", invariants: Iterable[Invariant]) -> _Noise | Withheld:
    """Return the noise priced for the pairs left, or why it cannot be."""
    laws = tuple(law for law in mechanism.laws if isinstance(law, DiscreteLaw))
    if len(laws) < len(mechanism.laws):
        return Withheld(FLOATS)
    if len({type(law) for law in laws}) > 1:
        return Withheld(MIXED)
    facts = [row for invariant in invariants for row in facts_of(invariant)]
    pairs = pairs_left(mechanism.tree, mechanism.neighbours, mechanism.rows, facts)
    if pairs is None:
        return Withheld(NO_PAIRS)
    worst = pairs.worst(prices_of(laws))
    return _Noise(Calibration(laws, worst.touched, mechanism.rows), pairs)


def _conditioned(revised: "Revised", noise: _Noise) -> Reason:
    """Return what conditioning costs: nothing on equalities, a price on inequalities."""
    names = _names(revised.invariant)
    equalities = tuple(each for each in names if each != "nonnegative")
    if not revised.invariant.inequalities:
        return EqualityConditioning(noise.calibration, names)
    if revised.condition.pinned:
        of_equalities = EqualityConditioning(noise.calibration, equalities)
        return Doubling(of_equalities, ("nonnegative",))
    touched, odds = _worst_price(revised, noise.pairs)
    return InequalityConditioning(noise.calibration, names, touched.touched, odds)


def _worst_price(revised: "Revised", pairs: Pairs) -> tuple[Move, Fraction]:
    """Return the move that costs most with its odds, and these odds.

    A row that comes has the odds of its leaf; one that is exchanged, at most the largest.
    """
    laws = tuple(law for law in revised.mechanism.laws if isinstance(law, DiscreteLaplace))
    rates, priced = rates_of(laws), on_tree(revised.mechanism.tree, laws)
    if pairs.relation is Neighbours.REPLACE_ONE:
        return pairs.worst(rates), max(each.above for each in priced)
    depth = len(laws)
    moves = [(Move((1,) * (p.level + 1) + (0,) * (depth - 1 - p.level)), p.above) for p in priced]
    return max(moves, key=lambda pair: InequalityConditioning.loss(rates, *pair))


def _drawn(reason: Reason, evidence: Evidence) -> Reason:
    """Return a reason with what the sampler adds to its cost."""
    match evidence:
        case Exact():
            return reason
        case WithinTotalVariation(truncation, rounding):
            return InexactDraw(reason, truncation, rounding)
        case NotProven():
            raise AssertionError  # pragma: no cover  # withheld before
        case _:
            assert_never(evidence)


def _certificate(
    mechanism: "Mechanism",
    reason: Reason,
    invariants: Sequence[Invariant],
    sampler: str,
) -> Certificate:
    """Return a certificate under the mechanism's relation."""
    unit = "row" if mechanism.rows == 1 else "person"
    promise = Promise(mechanism.neighbours, mechanism.rows, unit)
    return Certificate(promise, _statements(invariants), sampler, reason)


def _statements(invariants: Iterable[Invariant]) -> tuple[Statement, ...]:
    """Return all rules, each once."""
    return tuple(dict.fromkeys(rule for each in invariants for rule in each.statements))


def _names(invariant: Invariant) -> tuple[str, ...]:
    """Return the names of all rules."""
    return tuple(each.name for each in invariant.statements)
