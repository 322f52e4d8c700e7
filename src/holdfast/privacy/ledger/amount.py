"""Amounts of budget as whole numbers: epsilon and rho in units of 10^-12, delta of 10^-18.

Claim.      What is booked is never less than what was asked: costs are rounded up to a unit.
Reason.     docs/theory/ledger.md#amounts
Checked by. tests/privacy/ledger/test_amount.py
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from holdfast.foundation.errors import BadParameter, Fault, brief
from holdfast.foundation.exact import exact
from holdfast.noise.budget import BudgetWords, Concentrated, budget_of

Currency = Literal["epsilon", "rho"]
DIGITS = 12
DELTA_DIGITS = 18
MOST = 2**63 - 1
USUAL_DELTA = "0.000000000001"  # room for samplers with a proven error


@dataclass(frozen=True, slots=True)
class Amount:
    """So much of a budget; of epsilon and rho, the one that the ledger does not count is None."""

    epsilon: Fraction | None
    rho: Fraction | None
    delta: Fraction

    def __str__(self) -> str:
        word = "rho" if self.epsilon is None else "epsilon"
        main = self.rho if self.epsilon is None else self.epsilon
        return f"{word} {decimal(main or Fraction(0), DIGITS)}, delta {decimal(self.delta)}"


@dataclass(frozen=True, slots=True)
class Terms:
    """What a ledger may spend in all, in whole units."""

    currency: Currency
    total: int
    delta: int

    def amount(self, cost: int, delta: int) -> Amount:
        """Return so many units as an amount."""
        main = Fraction(cost, 10**DIGITS)
        epsilon, rho = (main, None) if self.currency == "epsilon" else (None, main)
        return Amount(epsilon, rho, Fraction(delta, 10**DELTA_DIGITS))


def decimal(number: Fraction, digits: int = DELTA_DIGITS) -> str:
    """Return a number of at most so many decimals, in full.

    >>> decimal(Fraction(1, 10**12)), decimal(Fraction(10)), decimal(Fraction(21, 2))
    ('0.000000000001', '10', '10.5')
    """
    units = int(number * 10**digits)
    whole, rest = divmod(units, 10**digits)
    return f"{whole}.{rest:0{digits}d}".rstrip("0").rstrip(".")


def units_above(number: Fraction, digits: int, subject: str) -> int:
    """Return the least number of units that is at least the number."""
    return _within(-(-number * 10**digits // 1), digits, subject)


def _within(units: int, digits: int, subject: str) -> int:
    if units > MOST:
        asked = f"at most {decimal(Fraction(MOST, 10**digits), digits)}"
        raise BadParameter(Fault(subject, asked, "more", "Use a smaller number."))
    return units


def _units(number: Fraction, digits: int, subject: str) -> int:
    """Return a total in units; one that is no whole number of them is refused."""
    units = number * 10**digits
    if units.denominator != 1:
        nearest = decimal(Fraction(max(1, round(units)), 10**digits), digits)
        asked = f"a number of at most {digits} decimals"
        remedy = f'Write for example {subject}="{nearest}".'
        raise BadParameter(Fault(subject, asked, brief(number), remedy))
    return _within(units.numerator, digits, subject)


def terms_of(words: BudgetWords) -> Terms:
    """Return what a ledger may spend: epsilon or rho, and delta (10^-12 where left out)."""
    main: BudgetWords = {"epsilon": words.get("epsilon"), "rho": words.get("rho")}
    unknown = set(words) - {"epsilon", "rho", "delta"}
    if unknown:
        found = ", ".join(sorted(unknown))
        raise BadParameter(
            Fault("budget", "the words epsilon, delta, rho", found, "Drop the others.")
        )
    budget = budget_of(main)
    delta = delta_of(USUAL_DELTA if words.get("delta") is None else words["delta"])
    currency: Currency = "rho" if isinstance(budget, Concentrated) else "epsilon"
    number = budget.rho if isinstance(budget, Concentrated) else budget.epsilon
    return Terms(currency, _units(number, DIGITS, currency), _units(delta, DELTA_DIGITS, "delta"))


def delta_of(value: object) -> Fraction:
    """Return a delta: at least 0 and below 1."""
    delta = exact(value, "delta")
    if not 0 <= delta < 1:
        raise BadParameter(
            Fault("delta", "a number of at least 0 and below 1", brief(delta), 'Use delta="0".')
        )
    return delta
