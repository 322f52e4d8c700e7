"""Costs: what they refuse, and how they round.

If this failed, a negative or a shortened cost would go into a certificate.
"""

from fractions import Fraction

import pytest

from holdfast.foundation.errors import BadCertificate
from holdfast.privacy.certificate.cost import EpsilonCost, RhoCost

LONG = Fraction(1, 3) + Fraction(1, 3**300)


def test_deltas_are_told_apart_and_added():
    cost = EpsilonCost(Fraction(1), Fraction(1, 10), Fraction(1, 5))
    assert cost.delta == Fraction(3, 10)
    assert not cost.is_pure
    assert EpsilonCost(Fraction(1)).is_pure
    assert RhoCost(Fraction(1), Fraction(1, 7)).delta == Fraction(1, 7)


@pytest.mark.parametrize("bad", [Fraction(-1), 1.0, 1, "1", None, True])
def test_what_is_no_exact_number_of_at_least_0_is_refused(bad):
    for make in (EpsilonCost, RhoCost):
        with pytest.raises(BadCertificate, match="cost"):
            make(bad)
        with pytest.raises(BadCertificate, match="cost"):
            make(Fraction(1), bad)


def test_long_numbers_are_rounded_up_and_short_ones_kept():
    assert EpsilonCost(Fraction(1, 3)).epsilon == Fraction(1, 3)
    rounded = EpsilonCost(LONG, LONG, LONG)
    for number in (rounded.epsilon, rounded.modelled, rounded.numerical, RhoCost(LONG).rho):
        assert LONG < number < LONG * (1 + Fraction(1, 10**48))
        assert number.denominator < 10**60
