"""What one release costs: from a certificate, or from the words of a budget."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, runtime_checkable

from holdfast.foundation.errors import BadParameter, Fault, shown
from holdfast.foundation.exact import positive
from holdfast.noise.budget import BudgetWords
from holdfast.noise.sensitivity import Neighbours, neighbours_of
from holdfast.privacy.ledger.amount import (
    DELTA_DIGITS,
    DIGITS,
    Currency,
    delta_of,
    units_above,
)

UNITS = ("row", "person")


@runtime_checkable
class Certificate(Protocol):
    """What the ledger reads of a certificate; one with rho has no epsilon."""

    @property
    def epsilon(self) -> Fraction | None:
        """Return the loss, or None where rho is certified."""

    @property
    def delta(self) -> Fraction:
        """Return the chance that the bound does not cover."""

    @property
    def rho(self) -> Fraction | None:
        """Return the concentrated loss, or None where epsilon is certified."""

    @property
    def neighbours(self) -> Neighbours:
        """Return which data sets are neighbours."""

    @property
    def unit(self) -> str:
        """Return what neighbours differ by: a "row" or a "person"."""


@dataclass(frozen=True, slots=True)
class Cost:
    """A cost in whole units, rounded up; the relation and unit are empty where none was said."""

    cost: int
    delta: int
    neighbours: str = ""
    unit: str = ""


def unit_of(name: object) -> str:
    """Return the unit of this name, or refuse it."""
    for unit in UNITS:
        if name == unit:
            return unit
    raise BadParameter(Fault("unit", '"row" or "person"', shown(name), "Use one of these."))


def certified(certificate: object, currency: Currency) -> Cost:
    """Return what a certificate costs in a ledger of this currency."""
    if not isinstance(certificate, Certificate):
        raise BadParameter(
            Fault(
                "certificate",
                "a certificate: epsilon or rho, delta, neighbours, unit",
                f"a {type(certificate).__name__}",
                "What has no certificate cannot be booked: use a mechanism that has one.",
            )
        )
    words: BudgetWords = {
        "epsilon": certificate.epsilon,
        "delta": certificate.delta,
        "rho": certificate.rho,
    }
    cost = worded(words, currency)
    relation = str(neighbours_of(certificate.neighbours))
    return Cost(cost.cost, cost.delta, relation, unit_of(certificate.unit))


def worded(words: BudgetWords, currency: Currency) -> Cost:
    """Return what epsilon, or epsilon and delta, or rho and delta, cost in this currency."""
    given = {word for word in words if words[word] is not None}  # type: ignore[literal-required]
    if not (given <= {"epsilon", "delta", "rho"} and len(given & {"epsilon", "rho"}) == 1):
        found = ", ".join(sorted(given)) or "nothing"
        asked = "epsilon or rho, each with delta or without"
        raise BadParameter(Fault("cost", asked, found, 'Write for example epsilon="0.1".'))
    delta = delta_of(words["delta"]) if "delta" in given else Fraction(0)
    main = _main(words, delta, currency)
    return Cost(units_above(main, DIGITS, currency), units_above(delta, DELTA_DIGITS, "delta"))


def _main(words: BudgetWords, delta: Fraction, currency: Currency) -> Fraction:
    """Return epsilon or rho as the ledger counts it; pure epsilon is rho = epsilon^2 / 2."""
    if words.get("rho") is not None:
        rho = positive(words["rho"], "rho")
        if currency == "rho":
            return rho
        raise BadParameter(
            Fault(
                "cost",
                "epsilon: this ledger counts epsilon",
                "rho",
                "Convert the certificate to epsilon and delta, and book those.",
            )
        )
    epsilon = positive(words["epsilon"], "epsilon")
    if currency == "epsilon":
        return epsilon
    if delta:
        raise BadParameter(
            Fault(
                "cost",
                "rho, or epsilon without delta: this ledger counts rho",
                "epsilon with delta",
                "Epsilon with delta has no rho: use a mechanism that certifies rho.",
            )
        )
    return epsilon**2 / 2
