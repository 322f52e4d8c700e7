"""Certificates as the ledger reads them."""

from fractions import Fraction

from benchmarks.faults.site import Paper

from holdfast.noise.sensitivity import Neighbours

PURE = Paper(epsilon=Fraction(1, 2))
APPROXIMATE = Paper(epsilon=Fraction(1, 2), delta=Fraction(1, 10**13))
CONCENTRATED = Paper(epsilon=None, rho=Fraction(1, 8))
REPLACING = Paper(epsilon=Fraction(1, 2), neighbours=Neighbours.REPLACE_ONE)
OF_PERSONS = Paper(epsilon=Fraction(1, 2), unit="person")
