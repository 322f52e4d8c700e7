"""A certificate: what a release costs, for which neighbours, given which rules, and why.

Its cost is not stored but worked out from its derivation, a tree of reasons.

Claim.      A release made as the derivation says keeps the promise, for the pairs named.
Reason.     docs/theory/certificates.md
Checked by. tests/privacy/test_enumeration.py
"""

import json
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from holdfast.foundation.errors import BadCertificate, Fault
from holdfast.foundation.exact import between
from holdfast.noise.sensitivity import Neighbours
from holdfast.privacy.certificate import wording
from holdfast.privacy.certificate.consistency import check_consistency
from holdfast.privacy.certificate.cost import Cost, EpsilonCost, RhoCost
from holdfast.privacy.certificate.reasons import Reason, walked
from holdfast.privacy.certificate.step_reasons import Conversion, PostProcessing
from holdfast.privacy.neighbours import pairs_in_words
from holdfast.worlds.rules import Kind, Statement


@dataclass(frozen=True, slots=True)
class Promise:
    """For whom a certificate holds: the relation, a person's rows, and what is protected."""

    neighbours: Neighbours
    rows: int
    unit: str


@dataclass(frozen=True, slots=True, repr=False)
class Certificate:
    """What is proven of one release; `sampler` says how its noise is drawn."""

    promise: Promise
    invariants: tuple[Statement, ...]
    sampler: str
    reason: Reason

    def __post_init__(self) -> None:
        if not isinstance(self.reason, Reason):
            asked, found = "a derivation", f"a {type(self.reason).__name__}"
            raise BadCertificate(Fault("certificate", asked, found, "Ask a mechanism for one."))
        check_consistency(self)

    @property
    def pairs(self) -> str:
        """Return in words for which pairs of data sets it holds."""
        return pairs_in_words(self.neighbours, self.promise.rows, bool(self.facts))

    @property
    def cost(self) -> Cost:
        """Return the cost at the root of the derivation."""
        return self.reason.cost

    @property
    def epsilon(self) -> Fraction | None:
        """Return epsilon, rounded up; None where the cost is in rho."""
        return self.cost.epsilon if isinstance(self.cost, EpsilonCost) else None

    @property
    def rho(self) -> Fraction | None:
        """Return rho, rounded up; None where the cost is in epsilon."""
        return self.cost.rho if isinstance(self.cost, RhoCost) else None

    @property
    def delta(self) -> Fraction:
        """Return delta, modelled and numerical together; beside rho, a distance."""
        return self.cost.delta

    @property
    def delta_modelled(self) -> Fraction:
        """Return the delta that the mechanism has by its definition."""
        return self.cost.modelled if isinstance(self.cost, EpsilonCost) else Fraction(0)

    @property
    def delta_numerical(self) -> Fraction:
        """Return the delta that the sampler adds."""
        return self.cost.numerical

    @property
    def neighbours(self) -> Neighbours:
        """Return the neighbour relation."""
        return self.promise.neighbours

    @property
    def unit(self) -> str:
        """Return what is protected: a "row" or a "person"."""
        return self.promise.unit

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Return the derivation's reasons, the causes first."""
        return tuple(walked(self.reason))

    @property
    def facts(self) -> tuple[str, ...]:
        """Return what is given: the names of the rules that only share-alike data sets obey."""
        return tuple(each.name for each in self.invariants if each.kind is Kind.FACT)

    def in_epsilon(self, delta: object) -> "Certificate":
        """Return a cost in rho as epsilon with this delta; a cost in epsilon as it is."""
        buys = between(delta, "delta", 0, 1)
        if isinstance(self.cost, EpsilonCost):
            return self
        return replace(self, reason=Conversion(self.reason, buys))

    def in_rho(self) -> "Certificate":
        """Return a pure epsilon as rho = epsilon**2 / 2; a cost in rho as it is."""
        if isinstance(self.cost, RhoCost):
            return self
        return replace(self, reason=Conversion(self.reason, Fraction(0)))

    def post_processed(self, what: str) -> "Certificate":
        """Return the certificate of a function of the release that sees nothing else."""
        return replace(self, reason=PostProcessing(self.reason, what))

    def to_json(self, indent: int | None = 2) -> str:
        """Return the certificate as JSON: the same text for the same certificate."""
        from holdfast.privacy.certificate.record import written

        return json.dumps(written(self), indent=indent, ensure_ascii=False)

    @staticmethod
    def from_json(text: str) -> "Certificate":
        """Return the certificate of a JSON text; every cost in it is worked out again."""
        from holdfast.privacy.certificate.record import read_text

        return read_text(text)

    def __str__(self) -> str:
        return wording.in_full(self)

    def __repr__(self) -> str:
        return f"<certificate: {wording.first_line(self)}>"

    def _repr_html_(self) -> str:
        return wording.in_html(self)

    def __reduce__(self) -> Any:
        return Certificate, (self.promise, self.invariants, self.sampler, self.reason)
