"""Every certified epsilon against the worst exact loss, on all small trees and tables.

If this failed, a release would cost more than its certificate says. The worst loss is a rational
ratio (tests/plain/exact_loss.py, written apart from the certificates); it is compared with
e**epsilon by rational bounds.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

import pytest

import holdfast as hf
from holdfast.foundation.bounds import exp_bounds
from holdfast.privacy.certificate.certificate import Certificate
from tests.plain.exact_loss import worst_ratio
from tests.plain.loss_cases import Case, cases

CASES = list(cases(small=True))
NEAR = Fraction(1, 10**8)
STREETS = ("plain", "revise", "revise-update", "plain-update", "revise-nonnegative")


@cache
def tree_of(paths):
    """Return the tree; equal ones are one, so that its messages are made once."""
    return hf.Hierarchy.from_paths(paths)


@cache
def certificate_of(case: Case) -> Certificate | None:
    """Return the product's certificate of a case, or None where it is withheld or refused."""
    tree = tree_of(case.paths)
    ratios = zip(range(tree.depth), case.ratios, strict=False)
    laws = {level: hf.DiscreteLaplace(ratio) for level, ratio in ratios}
    mechanism = hf.Mechanism(tree, laws, neighbours=case.relation, rows=case.rows)
    given = rules_of(case, tree)
    match case.street:
        case "plain":
            return mechanism.certificate
        case "plain-update":
            return mechanism.update(given).certificate
        case "revise":
            return mechanism.revise(given).certificate
        case "revise-update":
            return mechanism.revise(given).update(given & hf.nonnegative()).certificate
        case "revise-nonnegative":
            return mechanism.revise(given & hf.nonnegative()).certificate


def rules_of(case: Case, tree):
    """Return the sums, and the pinned nodes; what they are pinned to changes no cost."""
    rows = []
    for path in case.pinned:
        row = [0] * tree.size
        row[tree.find(path)] = 1
        rows.append(row)
    return tree.sums() & hf.equalities(rows, [3] * len(rows)) if rows else tree.sums()


@dataclass(frozen=True)
class Judged:
    """A case, its certificate, and the exact worst loss as a ratio with two ends."""

    case: Case
    certificate: Certificate | None
    below: Fraction
    above: Fraction

    @property
    def is_covered(self) -> bool:
        """Whether e**epsilon is at least the worst ratio found."""
        return exp_bounds(self.certificate.epsilon).above >= self.below

    @property
    def is_tight(self) -> bool:
        """Whether e**epsilon is at most the ratio, but for what messages round."""
        return exp_bounds(self.certificate.epsilon).below <= self.above * (1 + NEAR)


def is_refused(case: Case) -> bool:
    """Whether a fact under add-remove is refused before anything is certified."""
    return case.relation == "add-remove" and bool(case.pinned) and case.street != "plain"


def judged(street: str, every: list[Case] = CASES) -> Iterator[Judged]:
    """Yield the cases of a street that the product takes; those refused are asserted to be."""
    for case in every:
        if case.street != street:
            continue
        if is_refused(case):
            with pytest.raises(hf.HoldfastError, match="under add-remove"):
                certificate_of(case)
            continue
        worst = worst_ratio(case) or (Fraction(1), Fraction(1))
        yield Judged(case, certificate_of(case), *worst)


@pytest.mark.parametrize("street", STREETS)
def test_no_loss_is_above_its_certificate(street):
    """And a certificate is withheld only where no pair of different tables is left."""
    seen = list(judged(street))
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
    seen = [each for each in judged(street) if each.certificate and TIGHT[street](each.case)]
    assert [each for each in seen if not each.is_tight] == []
    assert len(seen) > 15


def _half(certificate):
    return replace(certificate, reason=replace(_root(certificate), rows=1))


def _root(certificate):
    return certificate.reasons[0]


def _one_node_less(certificate):
    noise = _root(certificate)
    last = max(level for level, often in enumerate(noise.touched) if often)
    touched = tuple(n - (level == last) for level, n in enumerate(noise.touched))
    return replace(certificate, reason=replace(noise, touched=touched))


def _without_its_price(certificate):
    return replace(certificate, reason=_root(certificate))


SABOTEURS = [
    ("revise", _half, lambda case: case.rows == 2),
    ("revise", _one_node_less, lambda case: True),
    ("plain", _one_node_less, lambda case: not case.pinned),
    ("revise-nonnegative", _without_its_price, lambda case: True),
]


@pytest.mark.parametrize(("street", "sabotage", "where"), SABOTEURS)
def test_a_certificate_that_claims_less_is_caught(street, sabotage, where):
    """Half the rows, one node less, no price for inequalities."""
    seen = [each for each in judged(street) if each.certificate and where(each.case)]
    caught = [each for each in seen if not cheaper(each, sabotage).is_covered]
    assert len(caught) > len(seen) / 4


def cheaper(each: Judged, sabotage) -> Judged:
    return replace(each, certificate=sabotage(each.certificate))
