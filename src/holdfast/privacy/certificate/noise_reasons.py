"""Reasons that begin a derivation: noise, conditioned or not, and what it costs.

Each reason has the numbers with which a stranger works out its cost again.

Reason.     docs/theory/certificates.md#noise
Checked by. tests/privacy/certificate/test_reasons.py
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from holdfast.foundation.bounds import ln_bounds, shown_above
from holdfast.foundation.errors import BadCertificate, Fault
from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.law import DiscreteLaw
from holdfast.privacy.certificate.cost import Cost, EpsilonCost, RhoCost
from holdfast.privacy.loss import concentrated_loss, rate
from holdfast.privacy.moves import Move

if TYPE_CHECKING:
    from holdfast.privacy.certificate.reasons import Reason


@dataclass(frozen=True)
class Calibration:
    """Independent noise on every node; the costliest move touches so many nodes of each level."""

    name: ClassVar[str] = "calibration"
    proof: ClassVar[str] = "docs/theory/certificates.md#noise"
    laws: tuple[DiscreteLaw, ...]
    touched: tuple[int, ...]
    rows: int

    def __post_init__(self) -> None:
        if len(self.laws) != len(self.touched) or self.rows < 1 or min(self.touched) < 0:
            asked = "a law and a number of nodes for each level, and at least one row"
            raise BadCertificate(Fault(self.name, asked, "others", "Do not edit records."))

    @cached_property
    def cost(self) -> Cost:
        """Return `rows` times the sum of nodes times rates; for Gaussian laws with squares."""
        if all(isinstance(law, DiscreteLaplace) for law in self.laws):
            return EpsilonCost(self.rows * Move(self.touched).cost(rates_of(self.laws)))
        if all(isinstance(law, DiscreteGaussian) for law in self.laws):
            rhos = [concentrated_loss(law, 1) for law in self.laws]
            return RhoCost(self.rows**2 * Move(self.touched).cost(rhos))
        asked, found = "laws of one family, discrete Laplace or discrete Gaussian", "both"
        raise BadCertificate(Fault(self.name, asked, found, "Use one family on all levels."))

    @property
    def said(self) -> str:
        """Return the reason in a sentence."""
        laws = ", ".join(dict.fromkeys(map(repr, self.laws)))
        times = f", {self.rows} rows a person" if self.rows > 1 else ""
        return f"independent noise, {laws}; nodes touched by level {self.touched}{times}"


@dataclass(frozen=True)
class EqualityConditioning:
    """The same noise given equalities that neighbours share: the loss of a pair stays."""

    name: ClassVar[str] = "equality conditioning"
    proof: ClassVar[str] = "docs/theory/revision.md#what-conditioning-costs"
    of: Calibration
    rules: tuple[str, ...]

    def __post_init__(self) -> None:
        _check_noise(self.name, self.of)

    @property
    def cost(self) -> Cost:
        """Return the cost of the noise."""
        return self.of.cost

    @property
    def said(self) -> str:
        """Return the reason in a sentence."""
        return f"the noise given {listed(self.rules)}: the same cost"


@dataclass(frozen=True)
class InequalityConditioning:
    """Noise given that no count is below 0: `odds` bounds how the chance of that can change.

    `touched` is the move that costs most with its odds; by Theorem 4 these are largest at the
    empty table.
    """

    name: ClassVar[str] = "inequality conditioning"
    proof: ClassVar[str] = "docs/theory/inequalities.md#what-it-costs"
    of: Calibration
    rules: tuple[str, ...]
    touched: tuple[int, ...]
    odds: Fraction

    def __post_init__(self) -> None:
        _check_noise(self.name, self.of)
        _check_pure(self.name, self.of)
        if self.odds < 1 or len(self.touched) != len(self.of.laws):
            asked, found = "odds of at least 1, and nodes for each level", "others"
            raise BadCertificate(Fault(self.name, asked, found, "Do not edit records."))

    @cached_property
    def cost(self) -> Cost:
        """Return rows times (the move's cost + ln odds), never more than twice the noise's."""
        loss = self.loss(rates_of(self.of.laws), Move(self.touched), self.odds)
        return EpsilonCost(min(self.of.rows * loss, 2 * _epsilon(self.of)))

    @staticmethod
    def loss(rates: Sequence[Fraction], move: Move, odds: Fraction) -> Fraction:
        """Return what one row costs: its move, and the logarithm of its odds."""
        return move.cost(rates) + ln_bounds(odds).above

    @property
    def gamma(self) -> Fraction:
        """Return the price as a share of the noise's epsilon: it costs (1 + gamma) times that."""
        return _epsilon(self) / _epsilon(self.of) - 1

    @property
    def said(self) -> str:
        """Return the reason in a sentence."""
        price = f"gamma {shown_above(self.gamma)}"
        return f"the noise given {listed(self.rules)}: {price}, the worst table being empty"


@dataclass(frozen=True)
class Doubling:
    """Pure noise given any event that all tables of the universe allow: at most twice the cost."""

    name: ClassVar[str] = "doubling"
    proof: ClassVar[str] = "docs/theory/inequalities.md#twice-at-most"
    of: "Reason"
    rules: tuple[str, ...]

    def __post_init__(self) -> None:
        _check_pure(self.name, self.of)

    @property
    def cost(self) -> Cost:
        """Return twice the epsilon."""
        return EpsilonCost(2 * _epsilon(self.of))

    @property
    def said(self) -> str:
        """Return the reason in a sentence."""
        return f"given {listed(self.rules)}: twice the cost, which no event exceeds"


def rates_of(laws: tuple[DiscreteLaw, ...]) -> list[Fraction]:
    """Return the epsilon of a distance of 1 at each level."""
    return [rate(law) or Fraction(0) for law in laws]


def listed(rules: tuple[str, ...], most: int = 6) -> str:
    """Return rules by name, the first few where they are many."""
    more = [f"and {len(rules) - most} more"] if len(rules) > most else []
    return ", ".join([*rules[:most], *more]) or "nothing"


def _epsilon(reason: "Reason") -> Fraction:
    """Return the epsilon of a reason."""
    return reason.cost.epsilon if isinstance(reason.cost, EpsilonCost) else Fraction(0)


def _check_noise(name: str, of: object) -> None:
    """Refuse what is not independent noise of a discrete law."""
    if not isinstance(of, Calibration):
        asked, remedy = "independent noise of a discrete law", "See docs/theory/revision.md."
        raise BadCertificate(Fault(name, asked, f"a {type(of).__name__}", remedy))


def _check_pure(name: str, of: "Reason") -> None:
    """Refuse a cost with a delta, or in rho: given an event nothing bounds it."""
    if not isinstance(of.cost, EpsilonCost) or not of.cost.is_pure:
        asked, found = "a pure epsilon", "a cost with a delta, or in rho"
        remedy = "See docs/theory/errors_of_the_paper.md#conditioning-with-a-delta."
        raise BadCertificate(Fault(name, asked, found, remedy))
