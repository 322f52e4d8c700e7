"""Certificates of several releases together: composed, mixed, or given one of two events.

What the paper says of these and is false is refused; the message names the page with the
counterexample.

Claim.      Each certificate returned holds whenever those given do and its condition is true.
Reason.     docs/theory/certificates.md
Checked by. tests/privacy/test_composition.py
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from holdfast.foundation.errors import BadCertificate, Fault, shown
from holdfast.foundation.exact import exact
from holdfast.privacy.certificate.certificate import Certificate, Promise
from holdfast.privacy.certificate.joint_reasons import Composition, DisjointUnion, Mixture
from holdfast.privacy.certificate.noise_reasons import Doubling
from holdfast.privacy.certificate.reasons import Reason
from holdfast.privacy.certificate.step_reasons import check_words

COINS = ("independent", "step by step")
PAGE = "docs/theory/errors_of_the_paper.md"


def compose(certificates: Iterable[Certificate], coins: str = "independent") -> Certificate:
    """Return the certificate of several releases from the same data.

    `coins`: "independent" where each release has chance of its own and looks at no other;
    "step by step" where a later one may look at answers already given, each revised by itself.
    """
    several = _checked(certificates, "compose")
    if coins not in COINS:
        asked = " or ".join(f'"{word}"' for word in COINS)
        remedy = f"Releases conditioned all at once do not add up: {PAGE}#composition."
        raise BadCertificate(Fault("compose", asked, shown(coins), remedy))
    parts = [part for each in several for part in _flat(each.reason)]
    return _joined(several, Composition(tuple(parts)))


def mixture(certificates: Iterable[Certificate], weights: Sequence[object]) -> Certificate:
    """Return the certificate of one mechanism of several, chosen with public weights.

    The weights must not depend on the data; which one was chosen may be told.
    """
    several = _checked(certificates, "mixture")
    listed = weights if isinstance(weights, Iterable) else [weights]
    shares = tuple(exact(weight, "weight") for weight in listed)
    return _joined(several, Mixture(tuple(each.reason for each in several), shares))


def disjoint_union(
    one: Certificate,
    other: Certificate,
    ratio: object = None,
    rest: object = None,
    whole: Certificate | None = None,
) -> Certificate:
    """Return the certificate of a mechanism given one of two disjoint events.

    `one` and `other` are the certificates given each event. How likely the first is, given
    either, can depend on the data: `ratio` and `rest` are proven bounds on how much, 1 where it
    does not. Or give `whole`, the certificate without any event: twice its epsilon suffices.
    """
    both = _checked([one, other], "disjoint_union")
    if whole is not None:
        _checked([one, other, whole], "disjoint_union")
        return conditioned(whole, "one of two disjoint events")
    if ratio is None or rest is None:
        found = "no bound on how the chances of the two events change between neighbours"
        asked = "proven bounds, `ratio` and `rest`, or the certificate of the `whole`"
        remedy = f"Two releases that cost nothing can cost all: {PAGE}#disjoint-union."
        raise BadCertificate(Fault("disjoint_union", asked, found, remedy))
    bounds = exact(ratio, "ratio"), exact(rest, "rest")
    return _joined(both, DisjointUnion((one.reason, other.reason), *bounds))


def conditioned(certificate: Certificate, event: str) -> Certificate:
    """Return the certificate of a release given a fixed event: twice its pure epsilon.

    The event must have a chance above 0 on every data set. With a delta nothing bounds the
    cost, and it is refused.
    """
    (given,) = _checked([certificate], "conditioned")
    check_words("conditioned", event)
    return replace(given, reason=Doubling(given.reason, (event,)))


def _flat(reason: Reason) -> tuple[Reason, ...]:
    """Return the parts of a composition, or the reason alone: sums may be taken in any order."""
    return reason.of if isinstance(reason, Composition) else (reason,)


def _checked(certificates: Iterable[Certificate], what: str) -> list[Certificate]:
    """Return certificates for the same relation and unit, at least one."""
    given = certificates if isinstance(certificates, Iterable) else [certificates]
    several: list[Any] = list(given)
    wrong = [each for each in several if not isinstance(each, Certificate)]
    if wrong or not several:
        found = f"a {type(wrong[0]).__name__}" if wrong else "nothing"
        remedy = "Where a certificate is None, `withheld` says why."
        raise BadCertificate(Fault(what, "certificates", found, remedy))
    if len({frozenset(each.facts) for each in several}) > 1:
        found = "different facts: whether any pair of data sets shares them all is not known"
        remedy = "Give each release the same facts, or book them in a ledger."
        raise BadCertificate(Fault(what, "certificates given the same facts", found, remedy))
    kinds = {(str(each.neighbours), each.unit) for each in several}
    if len(kinds) > 1:
        found = "; ".join(sorted(f"{relation}, {unit}" for relation, unit in kinds))
        remedy = "A promise for rows says nothing of persons, nor one relation of the other."
        asked = "certificates of one relation and one unit"
        raise BadCertificate(Fault(what, asked, found, remedy))
    return several


def _joined(several: Sequence[Certificate], reason: Reason) -> Certificate:
    """Return one certificate: given all their facts, for the pairs that all speak of."""
    first = several[0].promise
    rows = min(each.promise.rows for each in several)
    rules = dict.fromkeys(rule for each in several for rule in each.invariants)
    samplers = dict.fromkeys(each.sampler for each in several)
    promise = Promise(first.neighbours, rows, first.unit)
    return Certificate(promise, tuple(rules), "; ".join(samplers), reason)
