"""Reasons that change one cost: an inexact draw, post-processing, other words for it.

Reason.     docs/theory/certificates.md
Checked by. tests/privacy/certificate/test_reasons.py
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from holdfast.foundation.bounds import exp_bounds, short_above, shown_above
from holdfast.foundation.errors import BadCertificate, Fault
from holdfast.privacy.certificate.conversion import epsilon_above
from holdfast.privacy.certificate.cost import Cost, EpsilonCost, RhoCost
from holdfast.privacy.certificate.noise_reasons import check_fraction, check_names, listed
from holdfast.privacy.loss import rho_of

if TYPE_CHECKING:
    from holdfast.privacy.certificate.reasons import Reason

MOST_EPSILON = 1000  # beyond it a delta of a sampler would be multiplied by e**1000


@dataclass(frozen=True)
class InexactDraw:
    """A sampler near the right law: truncated with a chance, each chance wrong by a factor."""

    name: ClassVar[str] = "inexact draw"
    proof: ClassVar[str] = "docs/theory/certificates.md#an-inexact-draw"
    of: "Reason"
    truncation: Fraction
    rounding: Fraction

    def __post_init__(self) -> None:
        for name in ("truncation", "rounding"):
            check_fraction(self.name, name, getattr(self, name))
        if not (self.truncation < 1 and self.rounding < 1):
            asked, found = "a chance and a rounding below 1", "larger ones"
            raise BadCertificate(Fault(self.name, asked, found, "Do not edit records."))
        for name in ("truncation", "rounding"):
            object.__setattr__(self, name, short_above(getattr(self, name)))

    @cached_property
    def cost(self) -> Cost:
        """Return epsilon + 2 rounding, delta + (1 + e**epsilon) truncation; rho: the distance."""
        before = self.of.cost
        if isinstance(before, RhoCost):
            off = self.truncation + (exp_bounds(self.rounding).above - 1) / 2
            return RhoCost(before.rho, before.numerical + off)
        epsilon = before.epsilon + 2 * self.rounding
        off = one_and_power(epsilon) * self.truncation if self.truncation else Fraction(0)
        grown = exp_bounds(2 * self.rounding).above
        return EpsilonCost(epsilon, before.modelled * grown, before.numerical * grown + off)

    @property
    def said(self) -> str:
        """Return the reason in a sentence."""
        far, factor = shown_above(self.truncation), shown_above(self.rounding)
        return f"drawn within {far} of the right law, chances within a factor e**{factor}"


@dataclass(frozen=True)
class Update:
    """The answer moved onto public rules: a function of the answer alone."""

    name: ClassVar[str] = "update"
    proof: ClassVar[str] = "docs/theory/certificates.md#post-processing"
    of: "Reason"
    rules: tuple[str, ...]

    def __post_init__(self) -> None:
        check_names(self.name, self.rules)

    @property
    def cost(self) -> Cost:
        """Return the cost of what is moved."""
        return self.of.cost

    @property
    def said(self) -> str:
        """Return the reason in a sentence."""
        return f"moved to the nearest table with {listed(self.rules)}: no cost"


@dataclass(frozen=True)
class PostProcessing:
    """A function of the answer that looks at nothing else; what it does, in words."""

    name: ClassVar[str] = "post-processing"
    proof: ClassVar[str] = "docs/theory/certificates.md#post-processing"
    of: "Reason"
    what: str

    def __post_init__(self) -> None:
        check_words(self.name, self.what)

    @property
    def cost(self) -> Cost:
        """Return the cost of what is worked on."""
        return self.of.cost

    @property
    def said(self) -> str:
        """Return the reason in a sentence."""
        return f"{self.what}: no cost"


@dataclass(frozen=True)
class Conversion:
    """A cost in other words: rho as epsilon with this delta, or, with 0, pure epsilon as rho."""

    name: ClassVar[str] = "conversion"
    proof: ClassVar[str] = "docs/theory/certificates.md#conversion"
    of: "Reason"
    delta: Fraction

    def __post_init__(self) -> None:
        check_fraction(self.name, "delta", self.delta)
        rho = isinstance(self.of.cost, RhoCost)
        if rho and not 0 < self.delta < 1:
            asked = "a delta between 0 and 1 beside rho"
            raise BadCertificate(Fault(self.name, asked, "another", 'Write "0.000001".'))
        if not rho and (self.delta or self.of.cost.delta):
            asked, found = "a pure epsilon", "one with a delta, such as a sampler's"
            remedy = "Take a sampler without error: method 'exact'."
            raise BadCertificate(Fault(self.name, asked, found, remedy))

    @cached_property
    def cost(self) -> Cost:
        """Return epsilon with delta from rho, or epsilon**2 / 2."""
        before = self.of.cost
        if isinstance(before, EpsilonCost):
            return RhoCost(rho_of(before.epsilon))
        epsilon = epsilon_above(before.rho, self.delta)
        off = one_and_power(epsilon) * before.numerical if before.numerical else Fraction(0)
        return EpsilonCost(epsilon, self.delta, off)

    @property
    def said(self) -> str:
        """Return the reason in a sentence."""
        into = f"epsilon with delta {shown_above(self.delta)}" if self.delta else "rho"
        return f"the same in {into}"


def check_words(name: str, what: object) -> None:
    """Refuse what is no printable text."""
    if not isinstance(what, str) or not what.strip() or not what.isprintable():
        asked, remedy = "a few printable words", 'Write what is done: "rounded to tens".'
        raise BadCertificate(Fault(name, asked, "others", remedy))


def one_and_power(epsilon: Fraction) -> Fraction:
    """Return 1 + e**epsilon, rounded up."""
    if epsilon > MOST_EPSILON:
        asked, found = f"an epsilon of at most {MOST_EPSILON}", "a larger one"
        raise BadCertificate(Fault("numerical delta", asked, found, "Take method 'exact'."))
    return 1 + exp_bounds(epsilon).above
