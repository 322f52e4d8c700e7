"""What a plan would give, before any data is read: errors by street and level, and the budget.

Reason.     docs/theory/prediction.md
Checked by. tests/publication/test_preview.py
"""

import re
from dataclasses import dataclass
from pathlib import Path

from holdfast.data.domain import read_domain
from holdfast.foundation.errors import BadPlan, Fault, shown
from holdfast.foundation.progress import Progress, silent
from holdfast.privacy.certificate.written import text_of
from holdfast.publication.forecast.needed_budget import NeededBudget, budget_for
from holdfast.publication.forecast.prediction import StreetForecast, forecast
from holdfast.publication.plan.plan import Plan
from holdfast.publication.plan.reading import read_plan
from holdfast.publication.street import mechanism_of, rules_of

WANTED = re.compile(r"\s*(?P<level>[^<=]+?)\s*<=\s*(?P<error>[0-9]+(\.[0-9]+)?)\s*")


def preview(plan: Plan | str | Path, progress: Progress = silent) -> tuple[StreetForecast, ...]:
    """Return what to expect of every street; only the public list of leaves is read."""
    plan = read_plan(plan)
    tree = read_domain(plan.data, plan.folder).tree
    mechanism = mechanism_of(plan, tree, progress)
    return forecast(mechanism, rules_of(plan, tree), plan.release.interval, progress=progress)


@dataclass(frozen=True, slots=True)
class Needed:
    """The budget that wanted errors need, in the plan's words."""

    word: str
    wanted: str
    found: NeededBudget

    def said(self) -> str:
        """Return the answer in a sentence."""
        return f"{self.wanted} needs {self.word} = {text_of(self.found.amount)}"

    def words(self) -> dict[str, str]:
        """Return the answer as JSON has it."""
        return {self.word: text_of(self.found.amount), "wanted": self.wanted}


def budget_needed(plan: Plan, wanted: str, progress: Progress = silent) -> Needed:
    """Return the budget that errors such as "Borough<=5, root<=3" need."""
    wishes: dict[int | str, object] = {}
    for part in wanted.split(","):
        match = WANTED.fullmatch(part)
        if match is None:
            remedy = 'Write for example --error "Borough<=5".'
            raise BadPlan(Fault("--error", "LEVEL<=N", shown(part), remedy))
        wishes[match["level"]] = match["error"]
    tree = read_domain(plan.data, plan.folder).tree
    mechanism = mechanism_of(plan, tree, progress)
    found = budget_for(mechanism, rules_of(plan, tree), wishes, progress)
    word = "rho" if plan.method.noise == "discrete-gaussian" else "epsilon"
    return Needed(word, wanted, found)
