"""What a certificate costs in a ledger of each currency."""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import pytest
from benchmarks.faults.site import Paper

from holdfast.foundation.errors import BadParameter
from holdfast.privacy.ledger.cost import Cost, certified, worded
from tests.privacy.ledger.papers import APPROXIMATE, CONCENTRATED, PURE, REPLACING


def test_a_certificate_costs_what_it_says():
    assert certified(PURE, "epsilon") == Cost(5 * 10**11, 0, "add-remove", "row")
    assert certified(APPROXIMATE, "epsilon") == Cost(5 * 10**11, 10**5, "add-remove", "row")
    assert certified(CONCENTRATED, "rho") == Cost(125 * 10**9, 0, "add-remove", "row")
    assert certified(REPLACING, "epsilon").neighbours == "replace-one"


def test_pure_epsilon_is_half_its_square_in_rho_rounded_up():
    assert certified(PURE, "rho").cost == 125 * 10**9
    assert worded({"epsilon": Fraction(1, 10**9)}, "rho").cost == 1
    assert worded({"epsilon": "0.000003"}, "rho").cost == 5  # 4.5 units


def test_rho_keeps_its_delta():
    paper = replace(CONCENTRATED, delta=Fraction(1, 10**18))
    assert certified(paper, "rho").delta == 1


@pytest.mark.parametrize(
    ("paper", "currency"),
    [
        (CONCENTRATED, "epsilon"),
        (APPROXIMATE, "rho"),
        (Paper(epsilon=None), "epsilon"),
        (Paper(rho=Fraction(1)), "epsilon"),
        (Paper(rho=Fraction(1)), "rho"),
        (Paper(epsilon=Fraction(0)), "epsilon"),
        (Paper(epsilon=Fraction(-1)), "epsilon"),
        (Paper(delta=Fraction(1)), "epsilon"),
        (Paper(delta=Fraction(-1)), "epsilon"),
        (Paper(neighbours="cousins"), "epsilon"),
        (Paper(unit="household"), "epsilon"),
        (SimpleNamespace(epsilon=1), "epsilon"),
        (None, "epsilon"),
        (1, "epsilon"),
    ],
    ids=str,
)
def test_a_certificate_that_cannot_be_booked_is_refused(paper, currency):
    with pytest.raises(BadParameter):
        certified(paper, currency)
