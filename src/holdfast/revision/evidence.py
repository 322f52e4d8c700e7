"""What a sampler says of itself: how far its draws may be from the conditional law.

Evidence is about the sampler alone; what it is worth in a certificate is decided where
certificates are made.

Claim.      A law whose every chance is wrong by at most a factor e**(+-rounding), given an event
            of chance at least 1 - truncation, lies within `bound` in total variation.
Reason.     docs/theory/evidence.md#how-far-a-draw-may-be-off
Checked by. tests/revision/test_evidence.py
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy.typing as npt

from holdfast.foundation.bounds import exp_bounds, shown_above
from holdfast.foundation.randomness import Chance

DIGITS = 60


@dataclass(frozen=True, slots=True)
class Exact:
    """A draw has exactly the conditional law."""


@dataclass(frozen=True, slots=True)
class WithinTotalVariation:
    """A draw's law is within `bound` of the conditional law in total variation.

    It is the conditional law given an event of chance at least 1 - `truncation`, each chance
    wrong by a factor between e**-rounding and e**rounding.
    """

    truncation: Fraction
    rounding: Fraction

    @property
    def bound(self) -> Fraction:
        """Return truncation + (e**rounding - 1) / 2, rounded up."""
        return self.truncation + (exp_bounds(self.rounding, DIGITS).above - 1) / 2

    def __repr__(self) -> str:
        truncation, rounding = shown_above(self.truncation), shown_above(self.rounding)
        return f"WithinTotalVariation(truncation {truncation}, rounding {rounding})"


@dataclass(frozen=True, slots=True)
class NotProven:
    """Nothing is proven of how far a draw is from the conditional law, and why."""

    reason: str


Evidence = Exact | WithinTotalVariation | NotProven


class Sampler(Protocol):
    """Noise that obeys equalities. It takes no data: what it returns cannot depend on any."""

    @property
    def evidence(self) -> Evidence:
        """Return what is proven of the draws."""

    def noise(self, chance: Chance, count: int) -> npt.NDArray[Any]:
        """Return so many independent noise vectors over the nodes, one a row."""


class TableSampler(Protocol):
    """Noise that obeys inequalities too: its law depends on the table it is drawn for."""

    @property
    def evidence(self) -> Evidence:
        """Return what is proven of the draws, whatever the table."""

    def noise_for(self, table: npt.NDArray[Any], chance: Chance, count: int) -> npt.NDArray[Any]:
        """Return so many independent noise vectors for a table, one a row."""
