"""What may be spent: pure epsilon, epsilon with delta, or rho."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TypedDict

from holdfast.foundation.errors import BadParameter, Fault
from holdfast.foundation.exact import between, positive


@dataclass(frozen=True, slots=True)
class Pure:
    """Pure differential privacy."""

    epsilon: Fraction


@dataclass(frozen=True, slots=True)
class Approximate:
    """Differential privacy but for a chance of delta."""

    epsilon: Fraction
    delta: Fraction


@dataclass(frozen=True, slots=True)
class Concentrated:
    """Zero-concentrated differential privacy (zCDP)."""

    rho: Fraction


Budget = Pure | Approximate | Concentrated


class BudgetWords(TypedDict, total=False):
    """The words in which a budget is written."""

    epsilon: object
    delta: object
    rho: object


def budget_of(words: BudgetWords) -> Budget:
    """Return the budget that the words describe: epsilon, epsilon with delta, or rho."""
    given = {word for word in words if words[word] is not None}  # type: ignore[literal-required]
    if given == {"epsilon"}:
        return Pure(positive(words["epsilon"], "epsilon"))
    if given == {"epsilon", "delta"}:
        return Approximate(
            positive(words["epsilon"], "epsilon"), between(words["delta"], "delta", 0, 1)
        )
    if given == {"rho"}:
        return Concentrated(positive(words["rho"], "rho"))
    raise BadParameter(
        Fault(
            "budget",
            "epsilon, or epsilon and delta, or rho",
            ", ".join(sorted(given)) or "nothing",
            'Write for example epsilon="1".',
        )
    )
