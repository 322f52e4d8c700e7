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
from holdfast.noise.sensitivity import MOST_ROWS
from holdfast.privacy.certificate.cost import Cost, EpsilonCost, RhoCost
from holdfast.privacy.loss import concentrated_loss, rate
from holdfast.privacy.moves import Move

if TYPE_CHECKING:
    from holdfast.privacy.certificate.reasons import Reason


MOST_LEVELS = 256


@dataclass(frozen=True)
class Calibration:
    """Independent noise on every node; the costliest move touches so many nodes of each level."""

    name: ClassVar[str] = "calibration"
    proof: ClassVar[str] = "docs/theory/certificates.md#noise"
    laws: tuple[DiscreteLaw, ...]
    touched: tuple[int, ...]
    rows: int

    def __post_init__(self) -> None:
        laws = isinstance(self.laws, tuple) and 0 < len(self.laws) <= MOST_LEVELS
        if not laws or not all(isinstance(law, DiscreteLaw) for law in self.laws):
            asked = f"discrete laws for 1 to {MOST_LEVELS} levels"
            raise BadCertificate(Fault(self.name, asked, "others", "Floats carry no certificate."))
        check_move(self.name, self.touched, len(self.laws))
        if type(self.rows) is not int or not 1 <= self.rows <= MOST_ROWS:
            asked = f"rows of a person from 1 to {MOST_ROWS}"
            raise BadCertificate(Fault(self.name, asked, "others", "Give a whole number."))

    @cached_property
    def cost(self) -> Cost:
        """Return `rows` times the sum of nodes times rates; for Gaussian laws with squares."""
        price = Move(self.touched).cost(prices_of(self.laws))
        if all(isinstance(law, DiscreteLaplace) for law in self.laws):
            return EpsilonCost(self.rows * price)
        if all(isinstance(law, DiscreteGaussian) for law in self.laws):
            return RhoCost(self.rows**2 * price)
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
        check_names(self.name, self.rules)

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
        check_names(self.name, self.rules)
        check_move(self.name, self.touched, len(self.of.laws))
        check_fraction(self.name, "odds", self.odds, least=1)

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
        return f"the noise given {listed(self.rules)}: {price}, by the odds at the empty table"


@dataclass(frozen=True)
class Doubling:
    """Pure noise given any event that all tables of the universe allow: at most twice the cost."""

    name: ClassVar[str] = "doubling"
    proof: ClassVar[str] = "docs/theory/inequalities.md#twice-at-most"
    of: "Reason"
    rules: tuple[str, ...]

    def __post_init__(self) -> None:
        _check_pure(self.name, self.of)
        check_names(self.name, self.rules)

    @cached_property
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


def prices_of(laws: tuple[DiscreteLaw, ...]) -> list[Fraction]:
    """Return what one node touched costs at each level: epsilon, or rho of Gaussian laws."""
    if all(isinstance(law, DiscreteGaussian) for law in laws):
        return [concentrated_loss(law, 1) for law in laws]
    return rates_of(laws)


def check_move(name: str, touched: object, levels: int) -> None:
    """Refuse what is no number of nodes, at most 2, for each level; and a move of none."""
    nodes = touched if isinstance(touched, tuple) else ()
    good = len(nodes) == levels and all(type(n) is int and 0 <= n <= 2 for n in nodes)
    if not good or not any(nodes):
        asked = "at most 2 nodes touched at each level, and some node"
        raise BadCertificate(Fault(name, asked, "others", "Do not edit records."))


def check_names(name: str, rules: object) -> None:
    """Refuse what is no tuple of names."""
    if not isinstance(rules, tuple) or not all(
        isinstance(r, str) and r.isprintable() for r in rules
    ):
        asked, found = "a tuple of rules by name", f"a {type(rules).__name__}"
        raise BadCertificate(Fault(name, asked, found, 'Write ("sums",).'))


def check_fraction(name: str, what: str, number: object, least: int = 0) -> None:
    """Refuse what is no fraction of at least so much."""
    if not isinstance(number, Fraction) or number < least:
        asked = f"{what}: an exact fraction of at least {least}"
        raise BadCertificate(
            Fault(name, asked, f"a {type(number).__name__}, or less", "Use Fraction.")
        )


def listed(rules: tuple[str, ...], most: int = 6) -> str:
    """Return rules by name, the first few where they are many."""
    more = [f"and {len(rules) - most} more"] if len(rules) > most else []
    return ", ".join([*rules[:most], *more]) or "nothing"


def _epsilon(reason: "Reason") -> Fraction:
    """Return the epsilon of a reason."""
    cost = reason.cost
    return cost.epsilon if isinstance(cost, EpsilonCost) else Fraction(0)


def _check_noise(name: str, of: object) -> None:
    """Refuse what is not independent noise of a discrete law."""
    if not isinstance(of, Calibration):
        asked, remedy = "independent noise of a discrete law", "See docs/theory/revision.md."
        raise BadCertificate(Fault(name, asked, f"a {type(of).__name__}", remedy))


def _check_pure(name: str, of: "Reason") -> None:
    """Refuse a cost with a delta, or in rho: given an event nothing bounds it."""
    cost = of.cost
    if not isinstance(cost, EpsilonCost) or not cost.is_pure:
        asked, found = "a pure epsilon", "a cost with a delta, or in rho"
        remedy = "See docs/theory/errors_of_the_paper.md#conditioning-with-a-delta."
        raise BadCertificate(Fault(name, asked, found, remedy))
