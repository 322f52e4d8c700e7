"""The least budget, in three digits, with which levels keep the errors wanted.

Claim.      With the budget returned, noise revised on the equalities keeps every error wanted;
            with the next smaller one of three digits it does not.
Reason.     docs/theory/prediction.md#the-budget-that-an-error-needs
Checked by. tests/publication/forecast/test_needed_budget.py
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from holdfast.foundation.errors import BadParameter, Fault, shown
from holdfast.foundation.exact import positive
from holdfast.foundation.progress import Progress, silent
from holdfast.mechanism.plain import Mechanism
from holdfast.publication.forecast.objective import Objective, objective_of
from holdfast.publication.forecast.recalibration import Calibrated, calibrated
from holdfast.publication.level_error import by_level
from holdfast.worlds.invariant import Invariant

STEPS = 900  # decimals of three digits from one power of ten to the next
LOWEST, HIGHEST = -6 * STEPS, 3 * STEPS  # 0.000001 to 1,000
GUESSES = 8
LARGEST = 1000  # error that can be asked for


@dataclass(frozen=True, slots=True)
class NeededBudget:
    """The mechanism that spends the amount needed, and the next smaller amount: too little.

    `ratio` is the largest error over the error wanted, and `ratio_with_less` that with less.
    """

    mechanism: Mechanism
    amount: Fraction
    ratio: float
    less: Fraction
    ratio_with_less: float


def budget_for(
    mechanism: Mechanism,
    rules: Invariant,
    wanted: Mapping[int | str, object],
    progress: Progress = silent,
) -> NeededBudget:
    """Return the epsilon, or rho, that mean errors wanted at levels need, e.g. {"Borough": 5}.

    The tree, the family of noise, the relation, the rows of a person and the split are those of a
    calibrated mechanism. Errors are those of noise revised on the equalities among the rules.
    """
    if not isinstance(wanted, Mapping):
        asked, remedy = "a mapping from level to mean error", 'Write {"root": 5}.'
        raise BadParameter(Fault("wanted error", asked, shown(wanted), remedy))
    for name, wish in wanted.items():
        if positive(wish, f"error at {shown(name)}") > LARGEST:
            asked, remedy = f"at most {LARGEST:,}", "Noise as wide is slow to follow; ask for less."
            raise BadParameter(Fault(f"error at {shown(name)}", asked, shown(wish), remedy))
    source, objective = calibrated(mechanism), objective_of(mechanism.tree, wanted)
    search = _Search(source, Invariant(rules.equalities), objective, progress)
    place = search.least()
    amount, less = decimal(place), decimal(place - 1)
    return NeededBudget(
        source.spending(amount), amount, search.ratio(place), less, search.ratio(place - 1)
    )


def decimal(place: int) -> Fraction:
    """Return the decimal of three digits at a place: 1 is at 0, 1.01 at 1, 10 at 900.

    >>> decimal(0), decimal(899), decimal(-1), decimal(-900)
    (Fraction(1, 1), Fraction(999, 100), Fraction(999, 1000), Fraction(1, 10))
    """
    power, digits = divmod(place, STEPS)
    return (100 + digits) * Fraction(10) ** (power - 2)


def near(amount: float) -> int:
    """Return about the place of an amount; the search looks at its neighbours anyhow.

    >>> near(1), near(0.1), near(5)
    (0, -900, 400)
    """
    power = math.floor(math.log10(amount))
    return power * STEPS + round(amount / 10.0 ** (power - 2)) - 100


@dataclass(frozen=True, slots=True)
class _Search:
    """A mechanism to be calibrated anew, and what is wanted; `seen` are the ratios by place."""

    source: Calibrated
    equalities: Invariant
    objective: Objective
    progress: Progress
    seen: dict[int, float] = field(default_factory=dict)

    def ratio(self, place: int) -> float:
        """Return the largest error over the error wanted, with the budget at a place."""
        if place not in self.seen:
            self.seen[place] = self._found(decimal(place))
            self.progress("budget needed", len(self.seen), len(self.seen) + 1)
        return self.seen[place]

    def _found(self, amount: Fraction) -> float:
        try:
            errors = self.source.spending(amount).revise(self.equalities).expected_error()
        except BadParameter:
            if amount >= self.source.amount:
                raise
            return math.inf  # noise too wide to follow
        return self.objective.of(by_level(self.source.tree, errors))

    def least(self) -> int:
        """Return the first place at which every error is kept.

        Errors fall from place to place, about as the noise does, which gives the first guesses.
        """
        low, high, place = LOWEST - 1, HIGHEST + 1, near(float(self.source.amount))
        while high - low > 1:
            place = min(max(place, low + 1), high - 1)
            ratio = self.ratio(place)
            low, high = (low, place) if ratio <= 1 else (place, high)
            guess = float(decimal(place)) * ratio**self.source.power
            is_guess = len(self.seen) <= GUESSES and 1e-7 < guess < 1e4
            place = near(guess) if is_guess else (low + high) // 2
        if LOWEST < high <= HIGHEST:
            return high
        end = "less than 0.000001" if high <= LOWEST else "more than 1,000"
        asked = "an error that a budget from 0.000001 to 1,000 just keeps"
        raise BadParameter(
            Fault("wanted error", asked, f"one that needs {end}", "Ask for another.")
        )
