"""What a mechanism claims, and a mechanism as auditors take it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy.typing as npt

from holdfast.foundation.bounds import exp_bounds
from holdfast.foundation.randomness import Chance

Table = tuple[int, ...]
Outputs = npt.NDArray[Any]
Draws = Callable[[Table, Chance, int], Outputs]


@dataclass(frozen=True, slots=True)
class Claim:
    """Epsilon, and the delta that a sampler's evidence leaves, for neighbours of a relation."""

    epsilon: Fraction
    relation: str = "add-remove"
    rows: int = 1
    delta: Fraction = Fraction(0)

    @property
    def factor(self) -> Fraction:
        """Return a fraction that is at least e**epsilon."""
        return exp_bounds(self.epsilon).above

    def neighbours(self, one: Table, other: Table) -> bool:
        """Return whether two tables of leaf counts differ by one person."""
        gained = sum(max(b - a, 0) for a, b in zip(one, other, strict=True))
        lost = sum(max(a - b, 0) for a, b in zip(one, other, strict=True))
        if self.relation == "add-remove":
            return min(gained, lost) == 0 < max(gained, lost) <= self.rows
        if self.rows == 1:
            return gained == lost == 1
        return 0 < max(gained, lost) <= self.rows


@dataclass(frozen=True, slots=True)
class Audited:
    """A mechanism with its claim.

    `make` returns it fresh, as a function of (table, chance, count) that returns one output a
    row. `tables` are the small tables on which it is tried. `independent` says that its noise is
    claimed to be independent between outputs. `slow` is how many plain draws one of its draws
    costs, `width` how many bits the words of a tape have for it. `true` is its real epsilon,
    where that is known.
    """

    name: str
    claim: Claim
    make: Callable[[], Draws]
    tables: tuple[Table, ...]
    independent: bool = True
    slow: int = 1
    width: int = 1
    true: float | None = None

    def pairs(self) -> Iterator[tuple[Table, Table]]:
        """Yield the ordered pairs of neighbours among the tables."""
        for one in self.tables:
            for other in self.tables:
                if self.claim.neighbours(one, other):
                    yield one, other


@dataclass(frozen=True, slots=True)
class Finding:
    """What an auditor says: an alarm, none, or that it cannot judge; and the loss it has proven."""

    alarm: bool | None
    reason: str
    proven: float = 0.0
