"""What each mechanism's certificate says, and where there is none.

If this failed, a release would be called proven that is not, or a proof would be lost.
"""

from fractions import Fraction

import pytest

import holdfast as hf
from holdfast.mechanism import certification
from holdfast.noise.sensitivity import Neighbours
from holdfast.privacy.certificate.noise_reasons import (
    Calibration,
    Doubling,
    EqualityConditioning,
    InequalityConditioning,
)
from holdfast.privacy.certificate.step_reasons import InexactDraw, Update
from tests.mechanism.samples import A_IS_B, NORMAL, REAL, TREE, WHOLE, WHOLE_GAUSSIAN

SUMS, BOTH = TREE.sums(), TREE.sums() & hf.nonnegative()
NODE_A = hf.equalities([[0, 1, 0, 0, 0, 0]], 4)


def made(law=WHOLE, neighbours="add-remove", rows=1) -> hf.Mechanism:
    return hf.Mechanism(TREE, law, neighbours=neighbours, rows=rows)


def kinds(certificate) -> list[type]:
    return [type(reason) for reason in certificate.reasons]


def test_plain_noise():
    certificate = made().certificate
    assert certificate.epsilon == Fraction(3, 2)
    assert certificate.delta == 0
    assert certificate.rho is None
    assert certificate.neighbours is Neighbours.ADD_REMOVE
    assert certificate.unit == "row"
    assert certificate.invariants == ()
    assert kinds(certificate) == [Calibration]
    assert made().withheld is None


def test_the_street():
    certificate = made().revise(SUMS).update(BOTH).certificate
    assert certificate.epsilon == Fraction(3, 2)
    assert kinds(certificate) == [Calibration, EqualityConditioning, Update]
    assert [rule.name for rule in certificate.invariants] == ["sums", "nonnegative"]


def test_persons_of_several_rows():
    certificate = made(rows=4).certificate
    assert certificate.epsilon == 6
    assert certificate.unit == "person"
    assert "at most 4 rows" in certificate.pairs


def test_rho():
    certificate = made(WHOLE_GAUSSIAN).revise(SUMS).certificate
    assert certificate.rho == Fraction(3, 8)
    assert certificate.epsilon is None
    converted = certificate.in_epsilon("0.000001")
    assert converted.rho is None
    assert converted.epsilon > Fraction(3, 8)
    assert converted.delta_modelled == Fraction(1, 10**6)
    assert certificate.in_rho() is certificate
    assert converted.in_epsilon("0.1") is converted
    assert made().certificate.in_rho().rho == Fraction(9, 8)


def test_messages_cost_their_error():
    certificate = made().revise(SUMS, method="messages").certificate
    drawn = certificate.reasons[-1]
    assert isinstance(drawn, InexactDraw)
    assert certificate.epsilon == Fraction(3, 2) + 2 * drawn.rounding
    assert 0 < certificate.delta_numerical < Fraction(1, 10**18)
    assert certificate.delta_modelled == 0
    in_rho = made(WHOLE_GAUSSIAN).revise(SUMS, method="messages").certificate
    assert in_rho.rho == Fraction(3, 8)
    assert 0 < in_rho.delta < Fraction(1, 10**10)


def test_inequalities_have_their_price():
    certificate = made().revise(BOTH).certificate
    assert InequalityConditioning in kinds(certificate)
    assert Fraction(3, 2) < certificate.epsilon < 3
    replaced = made(neighbours="replace-one")
    plain = replaced.certificate.epsilon
    assert plain < replaced.revise(BOTH).certificate.epsilon < 2 * plain


def test_with_a_public_total_inequalities_cost_twice():
    total = made(neighbours="replace-one").revise(BOTH & hf.total(11))
    assert Doubling in kinds(total.certificate)
    without = made(neighbours="replace-one").revise(SUMS & hf.total(11)).certificate
    assert total.certificate.epsilon >= 2 * without.epsilon
    assert total.certificate.epsilon <= 2 * without.epsilon * (1 + Fraction(1, 10**8))


def test_facts_are_given_and_leave_fewer_pairs():
    whole = made(neighbours="replace-one").certificate
    given = made(neighbours="replace-one").revise(SUMS & NODE_A).certificate
    assert len(given.facts) == 1
    assert given.epsilon == 1 < whole.epsilon == 2
    assert "the facts unchanged" in given.pairs
    assert "given" in str(given)


def test_facts_that_come_with_the_update_count_too():
    street = made(neighbours="replace-one").revise(SUMS).update(SUMS & NODE_A)
    assert street.certificate.epsilon == 1
    assert len(street.certificate.facts) == 1
    assert street.source.certificate.epsilon == 2
    plain = made(neighbours="replace-one").update(SUMS & NODE_A)
    assert plain.certificate.epsilon == 1


A_IS_0 = hf.equalities([[0, 1, 0, 0, 0, 0]], 0)
HALF_A_ROW = hf.equalities([[0, 2, 0, 0, 0, 0]], 11)
LEAVES = [[int(node == leaf) for node in range(6)] for leaf in (2, 3, 4, 5)]
SAME_ENDS = hf.inequalities([*LEAVES, *[[-n for n in row] for row in LEAVES]], [3] * 4 + [-3] * 4)
ALL_NODES = hf.equalities([[0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]], [4, 0, 7])


def withheld():
    """Return mechanisms without a certificate, and a word of the reason."""
    replaced = made(neighbours="replace-one")
    return {
        "laplace": (made(REAL), "floats"),
        "gaussian": (made(NORMAL), "floats"),
        "laplace, revised": (made(REAL).revise(SUMS), "floats"),
        "laplace, updated": (made(REAL).update(BOTH), "floats"),
        "two families": (made({0: WHOLE, 1: WHOLE_GAUSSIAN, 2: WHOLE}), "two families"),
        "a chain": (made().revise(SUMS, method="metropolis"), "chain"),
        "a chain, updated": (made().revise(SUMS, method="metropolis").update(BOTH), "chain"),
        "trials of inequalities": (
            replaced.revise(SUMS & hf.inequalities([[0, 1, -1, 0, 0, 0]], 0)),
            "estimate",
        ),
        "every leaf given": (replaced.revise(SUMS & ALL_NODES), "leave no pair"),
        "every leaf given, updated": (replaced.update(SUMS & ALL_NODES), "leave no pair"),
        "nobody": (replaced.revise(SUMS & hf.total(0)), "leave no pair"),
        "fewer than nobody": (replaced.revise(SUMS & hf.total(-1)), "leave no pair"),
        "all at one leaf": (replaced.revise(SUMS & hf.total(5) & A_IS_0), "leave no pair"),
        "half a row": (replaced.revise(SUMS & HALF_A_ROW), "leave no pair"),
        "every leaf between the same ends": (replaced.update(SUMS & SAME_ENDS), "leave no pair"),
        "facts that no single row keeps": (replaced.update(SUMS & A_IS_B & ALL_NODES), "leave no"),
    }


@pytest.mark.parametrize("case", withheld())
def test_without_proof_there_is_no_certificate_and_a_reason(case):
    mechanism, word = withheld()[case]
    assert mechanism.certificate is None
    assert word in mechanism.withheld


def test_an_update_that_contradicts_the_revision_is_refused():
    revised = made(neighbours="replace-one").revise(SUMS & hf.total(5))
    with pytest.raises(hf.Contradiction):
        revised.update(SUMS & hf.total(6))


def test_a_certificate_and_a_reason_never_come_together():
    for mechanism in (made(), made().revise(SUMS), made().update(BOTH), made(REAL)):
        assert (mechanism.certificate is None) == (mechanism.withheld is not None)


def test_a_twin_that_trusts_every_sampler_is_caught(monkeypatch):
    monkeypatch.setattr(certification, "NotProven", int)
    chain = made().revise(SUMS, method="metropolis")
    with pytest.raises(AssertionError):
        _ = chain.certificate
