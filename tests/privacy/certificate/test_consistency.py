"""A certificate that does not agree with itself is refused, made or read.

If this failed, a cost for one row would be promised to persons of five.
"""

import json
from dataclasses import replace
from fractions import Fraction

import pytest

import holdfast as hf
from holdfast.foundation.errors import BadCertificate, HoldfastError
from holdfast.noise.sensitivity import Neighbours
from holdfast.privacy.certificate.certificate import Certificate, Promise
from holdfast.privacy.certificate.step_reasons import PostProcessing
from holdfast.worlds.rules import Kind, Statement
from tests.privacy.samples import pure

TREE = hf.Hierarchy.from_paths([("A", "a"), ("A", "b"), ("B", "c")])
MECHANISM = hf.Mechanism(TREE, hf.DiscreteLaplace.with_scale(2), "replace-one")
GIVEN = MECHANISM.revise(TREE.sums() & hf.total(5), method="messages").certificate
PRICED = (
    hf.Mechanism(TREE, hf.DiscreteLaplace.with_scale(2))
    .revise(TREE.sums() & hf.nonnegative())
    .certificate
)


def _promise(**words):
    return lambda c: replace(c, promise=replace(c.promise, **words))


EDITS = {
    "rows of a person": (GIVEN, _promise(rows=5, unit="person")),
    "very many rows": (GIVEN, _promise(rows=10**400)),
    "rows of a row": (GIVEN, _promise(rows=2)),
    "another unit": (GIVEN, _promise(unit="house")),
    "add-remove with a fact": (GIVEN, _promise(neighbours=Neighbours.ADD_REMOVE)),
    "no rules": (GIVEN, lambda c: replace(c, invariants=())),
    "the fact dropped": (GIVEN, lambda c: replace(c, invariants=c.invariants[:1])),
    "the fact structural": (
        GIVEN,
        lambda c: replace(c, invariants=(c.invariants[0], Statement("total = 5", Kind.STRUCTURAL))),
    ),
    "an exact draw": (GIVEN, lambda c: replace(c, reason=c.reason.of)),
    "no price": (PRICED, lambda c: replace(c, reason=c.reasons[0])),
    "no reason": (GIVEN, lambda c: replace(c, reason=None)),
    "a rule more": (
        GIVEN,
        lambda c: replace(c, invariants=(*c.invariants, Statement("all is well", Kind.STRUCTURAL))),
    ),
}


@pytest.mark.parametrize("case", EDITS)
def test_what_contradicts_itself_is_refused(case):
    certificate, edit = EDITS[case]
    with pytest.raises(BadCertificate) as error:
        edit(certificate)
    assert all(fault.remedy for fault in error.value.faults)


def test_all_contradictions_are_told_at_once():
    wrong = Promise(Neighbours.ADD_REMOVE, 3, "row")
    with pytest.raises(BadCertificate) as error:
        replace(GIVEN, promise=wrong)
    assert len(error.value.faults) >= 3


def test_the_same_edits_of_a_record_are_refused():
    words = json.loads(GIVEN.to_json())
    words["promise"] |= {"rows": 5, "unit": "person"}
    with pytest.raises(HoldfastError, match="certificate"):
        Certificate.from_json(json.dumps(words))
    words = json.loads(GIVEN.to_json())
    words["invariants"] = []
    with pytest.raises(HoldfastError, match="certificate"):
        Certificate.from_json(json.dumps(words))


def test_derivations_have_an_end():
    certificate = pure(Fraction(1))
    for _ in range(62):
        certificate = replace(certificate, reason=PostProcessing(certificate.reason, "rounded"))
    assert Certificate.from_json(certificate.to_json()) == certificate
    deepest = replace(certificate, reason=PostProcessing(certificate.reason, "rounded"))
    with pytest.raises(BadCertificate, match="deriv"):
        replace(deepest, reason=PostProcessing(deepest.reason, "rounded"))


def test_what_is_whole_stands():
    for certificate in (GIVEN, PRICED, MECHANISM.certificate):
        assert replace(certificate) == certificate
        assert Certificate.from_json(certificate.to_json()) == certificate
