"""Certificates in another library's accountant: sound, or refused.

If this failed, somebody else's sum would fall short of what was spent.
"""

import math
import sys
from fractions import Fraction

import dp_accounting
import pytest
from dp_accounting import rdp
from dp_accounting.pld import PLDAccountant

import holdfast as hf
from holdfast.foundation.errors import BadCertificate
from holdfast.privacy.accounting import to_event
from holdfast.privacy.composition import compose, mixture
from tests.privacy.samples import SUMS, TOTAL, gaussian, inexact, modelled, pure

ADDED = dp_accounting.NeighboringRelation.ADD_OR_REMOVE_ONE
REPLACED = dp_accounting.NeighboringRelation.REPLACE_ONE


def test_pure_epsilon_under_add_remove_becomes_rho():
    event, relation = to_event(pure(1))
    assert event == dp_accounting.ZCDpEvent(0.5)
    assert relation is ADDED


def test_pure_epsilon_under_replace_one_becomes_a_randomised_response():
    """Its odds are e**epsilon or more: its loss, by the other library, is epsilon."""
    event, relation = to_event(pure(1, neighbours="replace-one"))
    assert relation is REPLACED
    lied = event.noise_parameter / 2
    assert math.log((1 - lied) / lied) == pytest.approx(1, abs=1e-12)
    accountant = PLDAccountant(neighboring_relation=REPLACED)
    assert accountant.supports(event)
    accountant.compose(event)
    assert 1 - 1e-6 < accountant.get_epsilon(1e-9) < 1 + 1e-2  # a delta of 1e-9 buys a little


def test_rho_stays_rho():
    event, _ = to_event(gaussian("0.1"))
    assert event == dp_accounting.ZCDpEvent(0.1)
    third, _ = to_event(gaussian(Fraction(1, 3)))
    assert Fraction(third.rho) >= Fraction(1, 3)


def test_a_composition_becomes_one():
    event, relation = to_event(compose([gaussian("0.125"), gaussian("0.25")]))
    assert event == dp_accounting.ComposedDpEvent(
        [dp_accounting.ZCDpEvent(0.125), dp_accounting.ZCDpEvent(0.25)]
    )
    accountant = rdp.RdpAccountant(neighboring_relation=relation)
    accountant.compose(event)
    ours = compose([gaussian("0.125"), gaussian("0.25")]).in_epsilon("0.000001").epsilon
    assert accountant.get_epsilon(1e-6) == pytest.approx(float(ours), rel=0.02)


def test_the_event_of_conditioned_noise_is_no_less_private_than_the_noise():
    """Conditioned Laplace noise has a larger profile than Laplace noise; the event bounds it."""
    tree = hf.Hierarchy.from_paths([("a",), ("b",)])
    revised = hf.Mechanism.calibrate(
        tree, "discrete-laplace", epsilon=1, neighbours="replace-one"
    ).revise(tree.sums() & hf.total(5))
    event, relation = to_event(pure(revised.certificate.epsilon, neighbours="replace-one"))
    accountant = PLDAccountant(neighboring_relation=relation)
    accountant.compose(event)
    laplace = PLDAccountant(neighboring_relation=ADDED)
    laplace.compose(dp_accounting.LaplaceDpEvent(1.0))
    for epsilon in ("0.25", "0.5", "0.75"):
        delta = float(revised.delta_at(epsilon))
        assert delta <= accountant.get_delta(float(epsilon)) * (1 + 1e-6)
        assert delta > laplace.get_delta(float(epsilon))  # a Laplace event would be unsound


REFUSED = {
    "numerical delta": lambda: inexact(1, "0.001"),
    "modelled delta": lambda: modelled("0.1", "0.01"),
    "facts": lambda: pure(1, neighbours="replace-one", rules=(SUMS, TOTAL)),
    "a part with delta": lambda: compose([pure(1), inexact(1, "0.001")]),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_has_no_sound_event_is_refused(case):
    with pytest.raises(BadCertificate, match="to_event"):
        to_event(REFUSED[case]())


def test_a_mixture_is_accounted_at_its_cost():
    event, _ = to_event(mixture([pure(1), pure(2)], ["0.5", "0.5"]))
    assert event == dp_accounting.ZCDpEvent(2.0)


def test_without_the_library_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "dp_accounting", None)
    with pytest.raises(BadCertificate, match="pip install"):
        to_event(pure(1))
