"""Certificates joined, against exact losses of finite mechanisms; what is false is refused.

If this failed, several releases together would cost more than their certificate says.
"""

import re
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast.foundation.bounds import exp_bounds
from holdfast.foundation.errors import BadCertificate, HoldfastError
from holdfast.privacy import composition
from holdfast.privacy.certificate import joint_reasons
from holdfast.privacy.certificate.cost import EpsilonCost, RhoCost
from holdfast.privacy.composition import compose, conditioned, disjoint_union, mixture
from tests.plain import exact_finite
from tests.privacy.samples import SUMS, TOTAL, gaussian, inexact, modelled, pure

ROOT = Path(__file__).parents[2]
HALF = Fraction(1, 2)
PEOPLE = "person"


def test_costs_add_up():
    both = compose([pure(1), pure("0.5")])
    assert both.cost == EpsilonCost(Fraction(3, 2))
    assert compose([gaussian("0.1"), gaussian("0.3")]).cost == RhoCost(Fraction(2, 5))
    noisy = compose([inexact(1, "0.001"), pure(1)])
    assert noisy.epsilon == 2
    assert noisy.delta_numerical == inexact(1, "0.001").delta
    assert noisy.delta_modelled == 0
    several = compose([modelled("0.1", "0.01"), modelled("0.1", "0.02")])
    assert several.delta_modelled == Fraction(3, 100)
    assert compose([pure(1), pure(1)], coins="step by step").epsilon == 2


def coin(chance) -> exact_finite.Mechanism:
    """Return randomised response: the data with this chance, else the other."""
    return {x: {x: chance, 1 - x: 1 - chance} for x in (0, 1)}


def certified(chance) -> hf.Certificate:
    """Return a certificate with just the epsilon of such a coin, rounded up."""
    odds = chance / (1 - chance)
    law = hf.DiscreteLaplace(1 / odds)
    from holdfast.privacy.certificate.noise_reasons import Calibration
    from tests.privacy.samples import of_reason

    return of_reason(Calibration((law,), (1,), 1))


CHANCES = st.fractions(Fraction(11, 20), Fraction(19, 20), max_denominator=60)


def covers(certificate, mechanism, factor=Fraction(1)) -> bool:
    """Whether e**epsilon times a factor is at least the exact loss, barely."""
    power = exp_bounds(certificate.epsilon) if certificate.epsilon else None
    above = power.above if power else Fraction(1)
    return above * factor >= exact_finite.loss(mechanism)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(CHANCES, CHANCES)
def test_a_composition_is_covered_and_attained(one, other):
    noisy = exact_finite.joint(coin(one), lambda _: coin(other))
    certificate = compose([certified(one), certified(other)])
    assert covers(certificate, noisy)
    assert not covers(certificate, noisy, Fraction(999, 1000))


@settings(max_examples=30, deadline=None, derandomize=True)
@given(CHANCES, CHANCES, st.fractions(0, 1, max_denominator=20))
def test_a_mixture_is_covered(one, other, weight):
    """Told which one was chosen, and not told."""
    told = exact_finite.mixture([weight, 1 - weight], [coin(one), coin(other)])
    certificate = mixture([certified(one), certified(other)], [weight, 1 - weight])
    assert covers(certificate, told)
    assert covers(certificate, exact_finite.mapped(told, lambda pair: pair[1]))
    if 0 < weight < 1:
        assert not covers(certificate, told, Fraction(999, 1000))


def test_a_mixture_has_the_mean_of_the_deltas():
    mixed = mixture([inexact(1, "0.001"), modelled("0.1", "0.01")], ["0.25", "0.75"])
    assert mixed.delta_modelled == Fraction(3, 400)
    assert mixed.delta_numerical == inexact(1, "0.001").delta / 4
    assert mixture([gaussian("0.1"), gaussian("0.3")], [HALF, HALF]).rho == Fraction(3, 10)
    assert mixture([pure(9), pure(1)], [0, 1]).epsilon == 1


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.integers(1, 30), min_size=8, max_size=8))
def test_a_disjoint_union_is_covered(weights):
    """Two data sets, four outputs, two events; the bounds on the odds are the exact ones."""
    laws = [weights[:4], weights[4:]]
    mechanism = {
        x: {z: Fraction(w, sum(law)) for z, w in enumerate(law)} for x, law in enumerate(laws)
    }
    events = {0, 1}, {2, 3}
    shares = [{x: sum(law[z] for z in event) for x, law in mechanism.items()} for event in events]
    grown = [max(s[0] / s[1], s[1] / s[0]) for s in shares]
    parts = [exact_finite.loss(exact_finite.conditioned(mechanism, event)) for event in events]
    joined = disjoint_union(*(of_odds(part) for part in parts), *grown)
    assert covers(joined, mechanism)


def of_odds(odds: Fraction) -> hf.Certificate:
    """Return a certificate of such odds, or of almost none."""
    return certified(odds / (1 + odds)) if odds > 1 else pure(Fraction(1, 10**9))


def test_the_union_of_0_and_1_is_the_papers_trap():
    """Given 0, or given 1, nothing is said; given either, all of epsilon 1 (theory 2.7)."""
    says = coin(Fraction(731, 1000))
    for z in (0, 1):
        assert exact_finite.loss(exact_finite.conditioned(says, {z})) == 1
    assert exact_finite.loss(says) == Fraction(731, 269)
    nothing = pure(Fraction(1, 10**9))
    refused = caught(lambda: disjoint_union(nothing, nothing))
    assert "errors_of_the_paper.md#disjoint-union" in refused
    assert covers(disjoint_union(nothing, nothing, Fraction(731, 269), Fraction(731, 269)), says)
    assert disjoint_union(nothing, nothing, whole=pure(1)).epsilon == 2


def test_joint_conditioning_is_refused():
    """Theory 2.8: ln 9 where each step costs nothing (tests/privacy/test_finite_losses.py)."""
    assert "errors_of_the_paper.md#composition" in caught(
        lambda: compose([pure(1), pure(1)], coins="adaptive")
    )


def test_an_event_costs_twice_at_most_and_only_without_delta():
    assert conditioned(pure("0.5"), "counts of at least 0").epsilon == 1
    for certificate in (inexact(1, "0.001"), modelled("0.1", "0.01"), gaussian("0.1")):
        refused = caught(lambda c=certificate: conditioned(c, "an event"))
        assert "errors_of_the_paper.md#conditioning-with-a-delta" in refused


def caught(act) -> str:
    with pytest.raises(BadCertificate) as error:
        act()
    return str(error.value)


REFUSED = {
    "nothing": lambda: compose([]),
    "no certificate": lambda: compose([pure(1), None]),
    "two relations": lambda: compose([pure(1), pure(1, neighbours="replace-one")]),
    "two units": lambda: compose([pure(1), pure(1, unit=PEOPLE)]),
    "epsilon and rho": lambda: compose([pure(1), gaussian("0.1")]),
    "weights": lambda: mixture([pure(1), pure(1)], [HALF, Fraction(1, 3)]),
    "too few weights": lambda: mixture([pure(1), pure(1)], [1]),
    "a negative weight": lambda: mixture([pure(1), pure(1)], [2, -1]),
    "odds below 1": lambda: disjoint_union(pure(1), pure(1), HALF, 1),
    "a union in rho": lambda: disjoint_union(gaussian("0.1"), gaussian("0.1"), 1, 1),
    "a whole with delta": lambda: disjoint_union(pure(1), pure(1), whole=inexact(1, "0.1")),
    "None for several": lambda: compose(None),
    "an event without words": lambda: conditioned(pure(1), None),
    "an event of two lines": lambda: conditioned(pure(1), "a\nb"),
    "too many": lambda: compose([pure(1)] * 300),
    "a whole of persons": lambda: disjoint_union(pure(1), pure(1), whole=pure(1, unit=PEOPLE)),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_proven_is_refused_in_four_parts(case):
    with pytest.raises(HoldfastError) as error:
        REFUSED[case]()
    fault = error.value.faults[0]
    assert all((fault.subject, fault.asked, fault.found, fault.remedy))


def test_facts_are_given_on_and_different_ones_refused():
    """Whether any pair shares them all is not known."""
    given = {"neighbours": "replace-one", "rules": (SUMS, TOTAL)}
    both = compose([pure(1, **given), pure(2, **given)])
    assert both.invariants == (SUMS, TOTAL)
    assert both.facts == ("total = 3",)
    other = pure(1, neighbours="replace-one", rules=(SUMS,))
    assert "different facts" in caught(lambda: compose([pure(1, **given), other]))


def test_compositions_are_flat():
    """A sum of sums is a sum: a year of releases does not grow deep."""
    year = pure(1)
    for _ in range(100):
        year = compose([year, pure(1)])
    assert year.epsilon == 101
    assert len(year.reasons) == 102


def test_the_page_named_in_a_refusal_has_these_headings():
    text = (ROOT / composition.PAGE).read_text()
    for heading in ("Composition", "Disjoint union", "Conditioning with a delta"):
        assert re.search(rf"^## {heading}$", text, flags=re.MULTILINE)


SABOTEURS = {
    "takes the largest": lambda costs: max(costs, key=joint_reasons._main),
    "forgets the last": lambda costs: costs[0],
}


@pytest.mark.parametrize("sabotage", SABOTEURS)
def test_the_comparison_barks(monkeypatch, sabotage):
    monkeypatch.setattr(joint_reasons, "_added", SABOTEURS[sabotage])
    noisy = exact_finite.joint(coin(Fraction(3, 4)), lambda _: coin(Fraction(3, 4)))
    assert not covers(compose([certified(Fraction(3, 4))] * 2), noisy)
