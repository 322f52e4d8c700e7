"""What every certificate must agree on with itself, whether made here or read from a record.

Claim.      A derivation that prices fewer rows, forgets a rule or hides a fact is refused.
Reason.     docs/theory/certificates.md#the-record
Checked by. tests/privacy/certificate/test_consistency.py
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from holdfast.foundation.errors import BadCertificate, Fault, raise_all
from holdfast.noise.sensitivity import MOST_ROWS, Neighbours
from holdfast.privacy.certificate.noise_reasons import (
    Calibration,
    Doubling,
    EqualityConditioning,
    InequalityConditioning,
)
from holdfast.privacy.certificate.reasons import Reason, depth_of
from holdfast.privacy.certificate.step_reasons import InexactDraw, Update
from holdfast.worlds.rules import Kind

if TYPE_CHECKING:
    from holdfast.privacy.certificate.certificate import Certificate

DEEPEST = 64
INEXACT = "WithinTotalVariation"
Disagreement = tuple[str, str]  # asked, found


def check_consistency(certificate: "Certificate") -> None:
    """Refuse a certificate that contradicts itself, with every contradiction at once."""
    if depth_of(certificate.reason, DEEPEST) > DEEPEST:
        asked, remedy = f"a derivation of at most {DEEPEST} steps", "Compose at once, or book."
        raise BadCertificate(Fault("certificate", asked, "a deeper one", remedy))
    remedy = "Ask for the certificate as it was given."
    reasons = certificate.reasons
    found = [*_of_promise(certificate, reasons), *_of_rules(certificate, reasons)]
    raise_all(BadCertificate, [Fault("certificate record", *pair, remedy) for pair in found])


def _of_promise(certificate: "Certificate", reasons: Sequence[Reason]) -> Iterator[Disagreement]:
    """Yield where relation, rows and unit do not agree with what was priced."""
    promise = certificate.promise
    if type(promise.rows) is not int or not 1 <= promise.rows <= MOST_ROWS:
        yield f"rows from 1 to {MOST_ROWS}", "others"
        return
    if promise.unit not in ("row", "person") or (promise.unit == "row" and promise.rows > 1):
        yield "a person where there are several rows", "another unit"
    for noise in (reason for reason in reasons if isinstance(reason, Calibration)):
        if noise.rows < promise.rows:
            yield f"noise priced for {promise.rows} rows", f"noise for {noise.rows}"
        ones = list(noise.touched) == sorted(noise.touched, reverse=True) and max(noise.touched) < 2
        if promise.neighbours is Neighbours.ADD_REMOVE and not ones:
            yield "the nodes of one path, under add-remove", "others"
        if promise.neighbours is Neighbours.REPLACE_ONE and promise.rows == 1 and noise.touched[0]:
            yield "a root that one row exchanged does not touch", "one it does"
    inexact = any(isinstance(reason, InexactDraw) for reason in reasons)
    if INEXACT in certificate.sampler and not inexact:
        yield "an inexact draw in the derivation, as the sampler says", "none"


def _of_rules(certificate: "Certificate", reasons: Sequence[Reason]) -> Iterator[Disagreement]:
    """Yield where the rules named do not agree with the reasons."""
    kinds = {statement.name: statement.kind for statement in certificate.invariants}
    named: set[str] = set()
    for reason in reasons:
        if isinstance(reason, EqualityConditioning | InequalityConditioning | Update):
            named |= set(reason.rules)
            if not set(reason.rules) <= kinds.keys():
                yield "every rule of the reasons among the invariants", "one that is not"
        elif isinstance(reason, Doubling):
            named |= set(reason.rules)
    if kinds.keys() - named:
        yield "reasons for every rule", "a rule that no reason names"
    if any(name.startswith("total = ") and kind is not Kind.FACT for name, kind in kinds.items()):
        yield "a total as a data fact", "one that is called structural"
    if certificate.neighbours is Neighbours.ADD_REMOVE and Kind.FACT in kinds.values():
        yield "no data fact under add-remove", "one"
