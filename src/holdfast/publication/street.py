"""The mechanism that a plan asks for, on a public tree; no data is needed for it.

Reason.     docs/theory/plans.md#streets
Checked by. tests/publication/test_street.py
"""

from collections.abc import Mapping
from fractions import Fraction

from holdfast.foundation.errors import BadPlan, Fault
from holdfast.foundation.progress import Progress, silent
from holdfast.mechanism.plain import Mechanism
from holdfast.mechanism.revised import Revised
from holdfast.mechanism.updated import Updated
from holdfast.noise.budget import BudgetWords, Concentrated
from holdfast.privacy.certificate.certificate import Certificate
from holdfast.publication.forecast.best_split import best_split
from holdfast.publication.plan.plan import Plan
from holdfast.worlds.hierarchy import Hierarchy
from holdfast.worlds.invariant import Invariant, nonnegative, total

Street = Revised | Updated


def rules_of(plan: Plan, tree: Hierarchy) -> Invariant:
    """Return all that must hold of what is published."""
    rules = equalities_of(plan, tree)
    return rules & nonnegative() if plan.rules.nonnegative else rules


def equalities_of(plan: Plan, tree: Hierarchy) -> Invariant:
    """Return the sums, and the public total where there is one."""
    rules = tree.sums()
    return rules if plan.rules.total is None else rules & total(plan.rules.total)


def mechanism_of(plan: Plan, tree: Hierarchy, progress: Progress = silent) -> Mechanism:
    """Return the noise that spends the plan's budget."""
    shares = _shares(plan, tree, progress)
    return Mechanism.calibrate(
        tree, plan.method.noise, plan.privacy.neighbours, shares, _rows(plan), **_words(plan)
    )


def _words(plan: Plan) -> BudgetWords:
    """Return the budget in words."""
    budget = plan.privacy.budget
    if isinstance(budget, Concentrated):
        return {"rho": budget.rho}
    return {"epsilon": budget.epsilon}


def _rows(plan: Plan) -> int:
    """Return how many rows one person has at most."""
    return plan.data.person.rows if plan.data.person else 1


def street_of(plan: Plan, tree: Hierarchy, progress: Progress = silent) -> Street:
    """Return the mechanism with the plan's rules; one without a certificate is refused."""
    street = _walked(plan, tree, progress)
    certificate_of(street)
    source = street.source if isinstance(street, Updated) else street
    if isinstance(source, Revised) and source.invariant.inequalities:
        found = "noise given inequalities, whose intervals depend on the table"
        remedy = 'Use street = ["revise sums", "update nonnegative"]: it costs less and errs less.'
        raise BadPlan(Fault("[method] street", "intervals that can be published", found, remedy))
    return street


def certificate_of(street: Street) -> Certificate:
    """Return the street's certificate; one that is withheld refuses the plan."""
    if street.certificate is None:
        found = f"none: {street.withheld}"
        raise BadPlan(Fault("certificate", "one that is proven", found, "Choose another street."))
    return street.certificate


def _walked(plan: Plan, tree: Hierarchy, progress: Progress) -> Street:
    """Return the street, certified or not."""
    mechanism, rules = mechanism_of(plan, tree, progress), rules_of(plan, tree)
    sampler = plan.method.sampler
    match plan.method.street:
        case ("update",):
            return mechanism.update(rules)
        case ("revise",):
            return mechanism.revise(rules, sampler, progress)
        case ("revise sums",):
            return mechanism.revise(equalities_of(plan, tree), sampler, progress)
        case _:
            return mechanism.revise(equalities_of(plan, tree), sampler, progress).update(rules)


def _shares(plan: Plan, tree: Hierarchy, progress: Progress) -> Mapping[int | str, Fraction] | None:
    """Return the share of each level, or None for equal ones."""
    match plan.privacy.split:
        case "equal":
            return None
        case str():
            relation, rows = plan.privacy.neighbours, _rows(plan)
            words = _words(plan)
            found = best_split(
                tree, plan.method.noise, relation, rows, "worst", progress=progress, **words
            )
            return {int(level): share for level, share in found.items()}
        case shares:
            return dict(shares)
