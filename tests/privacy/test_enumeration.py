"""Every certified epsilon against the worst exact loss, on all small trees and tables.

If this failed, a release would cost more than its certificate says. The worst loss is a rational
ratio (tests/plain/exact_loss.py, written apart from the certificates); it is compared with
e**epsilon by rational bounds. All trees of up to 4 leaves: python -m benchmarks.enumeration.
"""

from dataclasses import replace

import pytest

import holdfast as hf
from tests.plain.judged import STREETS, Judged, certificate_of, is_refused, judged
from tests.plain.loss_cases import cases

CASES = list(cases(small=True))


def test_facts_under_add_remove_are_refused():
    refused = [case for case in CASES if is_refused(case)]
    for case in refused:
        with pytest.raises(hf.HoldfastError, match="under add-remove"):
            certificate_of(case)
    assert len(refused) > 100


@pytest.mark.parametrize("street", STREETS)
def test_no_loss_is_above_its_certificate(street):
    """And a certificate is withheld only where no pair of different tables is left."""
    seen = list(judged(street, CASES))
    for each in seen:
        if each.certificate is None:
            assert each.above == 1, each
        else:
            assert each.is_covered, each
    assert sum(each.certificate is not None for each in seen) > 100


TIGHT = {
    "plain": lambda case: not case.pinned,
    "revise": lambda case: True,
    "revise-nonnegative": lambda case: (
        case.relation == "add-remove" and case.rows == 1 and not case.pinned
    ),
}


@pytest.mark.parametrize("street", TIGHT)
def test_what_is_attained_is_certified_and_no_more(street):
    """Plain and revised noise, and Theorem 4: the certificate is the exact worst loss."""
    seen = [each for each in judged(street, CASES) if each.certificate and TIGHT[street](each.case)]
    assert [each for each in seen if not each.is_tight] == []
    assert len(seen) > 15


def _noise(certificate):
    return certificate.reasons[0]


def _half(certificate):
    return replace(_noise(certificate), rows=1).cost.epsilon


def _one_node_less(certificate):
    noise = _noise(certificate)
    last = max(level for level, often in enumerate(noise.touched) if often)
    rate = noise.laws[last].rate.above
    return noise.cost.epsilon - noise.rows * rate


def _without_its_price(certificate):
    return _noise(certificate).cost.epsilon


SABOTEURS = [
    ("revise", _half, lambda case: case.rows == 2),
    ("revise", _one_node_less, lambda case: True),
    ("plain", _one_node_less, lambda case: not case.pinned),
    ("revise-nonnegative", _without_its_price, lambda case: True),
]


@pytest.mark.parametrize(("street", "sabotage", "where"), SABOTEURS)
def test_a_certificate_that_claims_less_is_caught(street, sabotage, where):
    """Half the rows, one node less, no price for inequalities."""
    seen = [each for each in judged(street, CASES) if each.certificate and where(each.case)]
    caught = [each for each in seen if not cheaper(each, sabotage).is_covered]
    assert len(caught) > len(seen) / 4


def cheaper(each: Judged, sabotage) -> Judged:
    return replace(each, claimed=sabotage(each.certificate))
