"""The Kullback-Leibler divergence as an exact sum of coefficients times logarithms."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from holdfast.foundation.bounds import DIGITS, Bounds, ln_bounds
from holdfast.foundation.errors import BadBelief, Fault


@dataclass(frozen=True, slots=True)
class Divergence:
    """The sum of coefficient * ln(ratio); infinite where `finite` is false.

    Two divergences with the same terms are equal exactly; `bounds` compares the others.
    """

    terms: Mapping[Fraction, Fraction]
    finite: bool = True

    def bounds(self, digits: int = DIGITS) -> Bounds:
        """Return bounds on a finite divergence."""
        if not self.finite:
            raise BadBelief(
                Fault("divergence", "a finite one", "an infinite one", "Test `finite` first.")
            )
        low = high = Fraction(0)
        for ratio, coefficient in self.terms.items():
            log = ln_bounds(ratio, digits)
            low += coefficient * log.below
            high += coefficient * log.above
        return Bounds(low, high)

    def __float__(self) -> float:
        return float(self.bounds()) if self.finite else float("inf")


def divergence(chances: Mapping[object, Fraction], others: Mapping[object, Fraction]) -> Divergence:
    """Return the sum over worlds of p ln(p / q)."""
    terms: dict[Fraction, Fraction] = {}
    for world, chance in chances.items():
        if not chance:
            continue
        other = others.get(world, Fraction(0))
        if not other:
            return Divergence({}, finite=False)
        ratio = chance / other
        if ratio != 1:
            terms[ratio] = terms.get(ratio, Fraction(0)) + chance
    return Divergence(terms)
