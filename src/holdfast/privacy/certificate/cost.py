"""What a release costs: epsilon with a delta, or rho with a distance.

Two deltas are told apart: *modelled*, which the definition of the mechanism has, and
*numerical*, which its sampler adds.

Beside rho there is one number, also called delta: the release lies within it, in total
variation, of a mechanism that is rho-zCDP.

Reason.     docs/theory/certificates.md#what-is-promised
Checked by. tests/privacy/certificate/test_cost.py
"""

from dataclasses import dataclass
from fractions import Fraction

from holdfast.foundation.bounds import short_above
from holdfast.foundation.errors import BadCertificate, Fault

NOTHING = Fraction(0)


@dataclass(frozen=True, slots=True)
class EpsilonCost:
    """(epsilon, modelled + numerical) differential privacy."""

    epsilon: Fraction
    modelled: Fraction = NOTHING
    numerical: Fraction = NOTHING

    def __post_init__(self) -> None:
        _check(self.epsilon, self.modelled, self.numerical)
        for name in ("epsilon", "modelled", "numerical"):
            object.__setattr__(self, name, short_above(getattr(self, name)))

    @property
    def delta(self) -> Fraction:
        """Return the modelled and the numerical delta together."""
        return self.modelled + self.numerical

    @property
    def is_pure(self) -> bool:
        """Return whether there is no delta at all."""
        return self.delta == 0


@dataclass(frozen=True, slots=True)
class RhoCost:
    """Within `numerical`, in total variation, of a mechanism that is rho-zCDP."""

    rho: Fraction
    numerical: Fraction = NOTHING

    def __post_init__(self) -> None:
        _check(self.rho, self.numerical)
        for name in ("rho", "numerical"):
            object.__setattr__(self, name, short_above(getattr(self, name)))

    @property
    def delta(self) -> Fraction:
        """Return the distance from a mechanism that is rho-zCDP."""
        return self.numerical


Cost = EpsilonCost | RhoCost


def _check(*numbers: object) -> None:
    """Refuse what is no exact number of at least 0."""
    for number in numbers:
        if not isinstance(number, Fraction) or number < 0:
            found = "one below 0" if isinstance(number, Fraction) else f"a {type(number).__name__}"
            asked, remedy = "exact fractions of at least 0", "Use Fraction."
            raise BadCertificate(Fault("cost", asked, found, remedy))
