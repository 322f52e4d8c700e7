"""The split of a budget over the levels that strays least, found before any data is read.

Claim.      The shares are exact and add up to 1; revised on the sums, the noise has with them no
            larger an objective than with equal shares.
Reason.     docs/theory/prediction.md#the-best-split
Checked by. tests/publication/forecast/test_best_split.py
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Unpack

from holdfast.foundation.errors import BadParameter, Fault
from holdfast.foundation.progress import Progress, silent
from holdfast.noise.budget import Budget, BudgetWords, Concentrated, Pure, budget_of
from holdfast.noise.calibration import Shares, equal_shares
from holdfast.noise.law import family_of
from holdfast.noise.sensitivity import neighbours_of, sensitivity
from holdfast.publication.forecast.objective import Objective, objective_of
from holdfast.publication.forecast.split_errors import SplitErrors
from holdfast.publication.forecast.split_search import ON_GRID, STARTS, TRIES, Goal, search
from holdfast.worlds.hierarchy import Hierarchy

SOFT = 200.0  # a norm that stands for the largest level: a search stops at edges
MOST_LEVELS = 99
EXPECTED = ON_GRID + STARTS * TRIES  # splits, about: what progress is measured by


class SplitWords(BudgetWords, total=False):
    """The words of a budget, and who is told of the progress."""

    progress: Progress


def best_split(
    tree: Hierarchy,
    family: str,
    neighbours: str = "add-remove",
    rows: int = 1,
    objective: object = "total",
    **budget: Unpack[SplitWords],
) -> dict[int, Fraction]:
    """Return each level's share, as `Mechanism.calibrate` takes them.

    `objective`: "total", the sum of the expected errors of all nodes; "worst", the largest mean
    error of a level; or a mapping from levels to the mean errors wanted there, the largest ratio
    of which counts. No share is below a tenth of an equal one, but that of a level that costs
    nothing is 0.
    """
    progress = budget.pop("progress", silent)
    distances = sensitivity(tree.depth, neighbours_of(neighbours), rows)
    asked = _known(family, budget_of(budget))
    errors = SplitErrors(tree, family_of(family), asked, distances)
    equal = equal_shares(distances)
    found = _Search(errors, objective_of(tree, objective), equal, progress).best()
    return dict(enumerate(found))


def _known(family: str, budget: Budget) -> Budget:
    """Return the budget, if the search is for noise of this family under it."""
    match family, budget:
        case ("discrete-laplace", Pure()) | ("discrete-gaussian", Concentrated()):
            return budget
    asked = "discrete-laplace noise under epsilon, or discrete-gaussian noise under rho"
    found = f"{family_of(family)} noise under {' and '.join(budget.__slots__)}"
    raise BadParameter(Fault("split", asked, found, "Give the shares, or use one of these."))


@dataclass(frozen=True, slots=True)
class _Search:
    """The errors of splits, and what is to become small."""

    errors: SplitErrors
    objective: Objective
    equal: Shares
    progress: Progress

    def best(self) -> Shares:
        """Return the best split found on a typical tree, if it is better on this one."""
        paying = sum(share > 0 for share in self.equal)
        if not 1 < paying <= MOST_LEVELS:
            return self.equal
        found = self._among_paying(search(self._goal(), paying))
        self.progress("best split", EXPECTED, EXPECTED)
        return min([self.equal, found], key=lambda split: self.objective.of(self.errors.of(split)))

    def _goal(self) -> Goal:
        """Return the objective of shares of the paying levels, as the typical tree has it."""
        typical = self.errors.typical()
        factors = self.errors.of(self.equal) / typical.of(self.equal)

        def goal(shares: Shares) -> float:
            found = typical.of(self._among_paying(shares))
            self.progress("best split", min(len(typical.judged), EXPECTED - 1), EXPECTED)
            return self.objective.of(factors * found, SOFT)

        return goal

    def _among_paying(self, shares: Shares) -> Shares:
        """Return the shares of paying levels, with 0 for the others."""
        left = iter(shares)
        return tuple(next(left) if share else Fraction(0) for share in self.equal)
