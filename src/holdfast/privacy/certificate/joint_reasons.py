"""Reasons that join several costs: composition, a mixture, one of two disjoint events.

Reason.     docs/theory/certificates.md
Checked by. tests/privacy/certificate/test_reasons.py
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from holdfast.foundation.bounds import ln_bounds, shown_above
from holdfast.foundation.errors import BadCertificate, Fault
from holdfast.privacy.certificate.cost import Cost, EpsilonCost, RhoCost
from holdfast.privacy.certificate.noise_reasons import check_fraction

if TYPE_CHECKING:
    from holdfast.privacy.certificate.reasons import Reason


MOST_PARTS = 256


@dataclass(frozen=True)
class Composition:
    """Several releases, each with coins of its own; a later one may look at earlier answers."""

    name: ClassVar[str] = "composition"
    proof: ClassVar[str] = "docs/theory/certificates.md#composition"
    of: tuple["Reason", ...]

    def __post_init__(self) -> None:
        same_kind(self.name, self.of)

    @cached_property
    def cost(self) -> Cost:
        """Return the sums."""
        return _added([part.cost for part in self.of])

    @property
    def said(self) -> str:
        """Return the reason in a sentence."""
        return f"{len(self.of)} releases, each with its own chance: the costs add up"


@dataclass(frozen=True)
class Mixture:
    """One of several mechanisms, chosen by a public coin; it may be told which."""

    name: ClassVar[str] = "mixture"
    proof: ClassVar[str] = "docs/theory/certificates.md#mixture"
    of: tuple["Reason", ...]
    weights: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        same_kind(self.name, self.of)
        for weight in self.weights:
            check_fraction(self.name, "weight", weight)
        if len(self.weights) != len(self.of) or sum(self.weights) != 1:
            asked = f"{len(self.of)} weights that add up to exactly 1"
            raise BadCertificate(Fault(self.name, asked, "others", 'Write "0.2", not 0.2.'))

    @cached_property
    def cost(self) -> Cost:
        """Return the largest epsilon or rho, and the mean of the deltas."""
        costs = [part.cost for part, weight in zip(self.of, self.weights, strict=True) if weight]
        weights = [weight for weight in self.weights if weight]
        worst = max(costs, key=_main)
        numerical = _dot(weights, [cost.numerical for cost in costs])
        if isinstance(worst, RhoCost):
            return RhoCost(worst.rho, numerical)
        modelled = [cost.modelled for cost in costs if isinstance(cost, EpsilonCost)]
        return EpsilonCost(worst.epsilon, _dot(weights, modelled), numerical)

    @property
    def said(self) -> str:
        """Return the reason in a sentence."""
        return f"one of {len(self.of)} mechanisms by a public coin: the largest cost"


@dataclass(frozen=True)
class DisjointUnion:
    """A mechanism given one of two disjoint events: `ratio` bounds how the odds can change.

    `ratio` bounds the chance of the first event, given that one of them happens, on one data
    set over that on a neighbour; `rest` the same of the second.
    """

    name: ClassVar[str] = "disjoint union"
    proof: ClassVar[str] = "docs/theory/certificates.md#disjoint-union"
    of: tuple["Reason", ...]
    ratio: Fraction
    rest: Fraction

    def __post_init__(self) -> None:
        same_kind(self.name, self.of)
        check_fraction(self.name, "ratio", self.ratio, least=1)
        check_fraction(self.name, "rest", self.rest, least=1)
        epsilons = all(isinstance(part.cost, EpsilonCost) for part in self.of)
        if len(self.of) != 2 or not epsilons:
            asked, found = "two costs in epsilon", "others"
            raise BadCertificate(Fault(self.name, asked, found, "One for each event."))

    @cached_property
    def cost(self) -> Cost:
        """Return the larger epsilon + ln ratio, and the larger delta."""
        costs = [part.cost for part in self.of if isinstance(part.cost, EpsilonCost)]
        grown = zip(costs, (self.ratio, self.rest), strict=True)
        epsilon = max(cost.epsilon + ln_bounds(ratio).above for cost, ratio in grown)
        modelled = max(cost.modelled for cost in costs)
        return EpsilonCost(epsilon, modelled, max(cost.numerical for cost in costs))

    @property
    def said(self) -> str:
        """Return the reason in a sentence."""
        by = ", ".join(map(shown_above, (self.ratio, self.rest)))
        return f"given one of two disjoint events, whose odds change by at most {by}"


def same_kind(name: str, parts: tuple["Reason", ...]) -> None:
    """Refuse no part at all, very many, and costs in epsilon beside costs in rho."""
    if len(parts) > MOST_PARTS:
        asked, found = f"at most {MOST_PARTS} parts", "more"
        raise BadCertificate(Fault(name, asked, found, "Book them in a ledger."))
    if not parts or len({type(part.cost) for part in parts}) > 1:
        asked = "costs that are all in epsilon, or all in rho"
        found = "both" if parts else "none"
        remedy = "Convert: certificate.in_rho(), certificate.in_epsilon(delta)."
        raise BadCertificate(Fault(name, asked, found, remedy))


def _main(cost: Cost) -> Fraction:
    return cost.epsilon if isinstance(cost, EpsilonCost) else cost.rho


def _dot(weights: list[Fraction], numbers: list[Fraction]) -> Fraction:
    pairs = zip(weights, numbers, strict=True)
    return sum((weight * number for weight, number in pairs), Fraction(0))


def _added(costs: list[Cost]) -> Cost:
    """Return the sums of costs of one kind."""
    main = sum(map(_main, costs), Fraction(0))
    numerical = sum((cost.numerical for cost in costs), Fraction(0))
    if isinstance(costs[0], RhoCost):
        return RhoCost(main, numerical)
    modelled = (cost.modelled for cost in costs if isinstance(cost, EpsilonCost))
    return EpsilonCost(main, sum(modelled, Fraction(0)), numerical)
