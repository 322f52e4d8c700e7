"""M_C: a mechanism whose noisy table is moved to the nearest one that obeys an invariant.

Claim.      An update is a function of the noisy table and of public rules: post-processing, so
            it costs no privacy.
Reason.     docs/theory/update.md
Checked by. tests/mechanism/test_updated.py
"""

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Never

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import (
    BadParameter,
    BadRules,
    BadTable,
    Fault,
    NoiseDominates,
    NotSolved,
    shown,
)
from holdfast.foundation.exact import whole
from holdfast.foundation.randomness import Chance, check_chance, check_simulation
from holdfast.mechanism.certification import (
    Verdict,
    certificate_of,
    withheld_of,
)
from holdfast.mechanism.condition import nearly
from holdfast.privacy.certificate.certificate import Certificate
from holdfast.update.diagnosis import Diagnosis, diagnose
from holdfast.update.rows.controlled_rounding import ControlledRounding
from holdfast.update.rows.row_rules import RowRules
from holdfast.update.trees.tree_least_squares import TreeLeastSquares
from holdfast.update.trees.tree_nonnegative import TreeNonnegative
from holdfast.update.trees.tree_rules import TreeRules
from holdfast.update.whole.least_deviation import LeastDeviation
from holdfast.update.whole.unbiased_rounding import MOST, unbiased
from holdfast.update.whole.whole_optimum import WholeOptimum
from holdfast.worlds.hierarchy import Hierarchy
from holdfast.worlds.invariant import Invariant
from holdfast.worlds.rules import Sums
from holdfast.worlds.vectors import Numbers, vector_of

if TYPE_CHECKING:
    from holdfast.mechanism.plain import Mechanism
    from holdfast.mechanism.release import Release
    from holdfast.mechanism.revised import Revised

LARGEST = 2.0**58  # sums of such vectors and of what they are moved by fit 64 bits
BY_SWEEPS, BY_SOLVER = 1e-9, 1e-5  # by how much a rule may be broken, relative to its sizes
NEAR = 1e-4  # of a unit: as nearly must the sums of a table of floats hold


@dataclass(frozen=True, slots=True)
class Ways:
    """How a vector of floats, or of whole numbers, is moved onto the rules."""

    real: TreeLeastSquares | TreeNonnegative | RowRules | None
    whole: WholeOptimum | ControlledRounding | LeastDeviation


@dataclass(frozen=True, repr=False)
class Updated:
    """A mechanism, plain or revised, and the rules its answers are moved onto."""

    source: "Mechanism | Revised"
    tree: Hierarchy
    invariant: Invariant
    ways: Ways
    integers: bool | None

    def apply(self, noisy: Any) -> Numbers:
        """Return the nearest table that obeys the rules: whole if the noisy vector is whole.

        Of several nearest tables the one with the least total is taken, then the one with the
        largest first leaf, then second leaf, and so on.
        """
        vector = vector_of(noisy, self.tree.size, "noisy vector")
        leaves = np.abs(vector[self.tree.leaf_nodes].astype(np.float64)).sum()
        if not leaves + max(float(vector.max()), -float(vector.min())) < LARGEST:
            asked = "values that add up to less than 2**58 in size"
            raise BadTable(Fault("noisy vector", asked, "larger ones", "Count in a larger unit."))
        answer = self._moved(vector)
        if not answer.any() and vector.any():
            warnings.warn(
                "update: nothing but zeros is left of this table; its noise is larger than its "
                "counts. Spend more budget, or publish coarser cells.",
                NoiseDominates,
                stacklevel=2,
            )
        return answer

    def _moved(self, vector: Numbers) -> Numbers:
        """Return the nearest table, looked at once more before it is handed out."""
        stays_whole = vector.dtype.kind == "i" if self.integers is None else self.integers
        return self._whole(vector) if stays_whole else self._real(vector)

    def _real(self, vector: Numbers) -> Numbers:
        if self.ways.real is None:
            asked, remedy = "whole numbers, for norm 'l1'", "Use integers=True."
            raise BadTable(Fault("noisy vector", asked, "floats", remedy))
        answer = self.ways.real.apply(vector)
        near = BY_SOLVER if isinstance(self.ways.real, RowRules) else BY_SWEEPS
        # the sums hold as `aggregate` adds them: every way ends with it
        further = (rule for rule in self.invariant.rules if not isinstance(rule, Sums))
        if not all(nearly(rule, answer, near) for rule in further):
            asked, found = "a table that obeys the rules, but for rounding", "one that does not"
            remedy = "Counts may be too large for floats: use integers=True."
            raise NotSolved(Fault("update", asked, found, remedy))
        return answer

    def _whole(self, vector: Numbers) -> Numbers:
        if not isinstance(self.ways.whole, ControlledRounding):
            check_room(self.ways.whole.rules)
        answer = self.ways.whole.apply(vector)
        if not self.invariant.holds(answer):  # so it says in the proof; here it is looked at
            asked, found = "a table that obeys the rules", "one that does not"
            raise NotSolved(Fault("update", asked, found, "Report this as a defect."))
        return answer

    def rounded(self, table: Any, chance: Chance) -> Numbers:
        """Return whole numbers that add up and whose mean is an updated table of floats.

        Unbiased, where `apply` with whole numbers is nearest. Not for rules over several nodes.
        """
        if isinstance(self.ways.whole, ControlledRounding):
            asked, found = "rules on single nodes", "rows over several"
            raise BadRules(Fault("rounded", asked, found, "Update with integers=True."))
        check_chance(chance)
        vector = vector_of(table, self.tree.size, "table").astype(np.float64)
        if not np.abs(vector).sum() < MOST:
            asked, found = "counts below 2**33 in all", "larger ones"
            raise BadTable(Fault("table", asked, found, "Count in a larger unit."))
        answer = unbiased(self.tree, vector, chance)
        off = np.abs(vector - self.tree.aggregate(vector[self.tree.leaf_nodes])).max()
        if off > NEAR or not self.invariant.holds(answer):
            asked, found = "a table that obeys the rules", "one that does not"
            raise BadTable(Fault("table", asked, found, "Round what `apply` has returned."))
        return answer

    def draw(self, values: Any, chance: Chance) -> Numbers:
        """Return one noisy table, updated."""
        return self.apply(self.source.draw(values, chance))

    def draws(self, values: Any, count: int, chance: Chance) -> Numbers:
        """Return many noisy tables, each updated, one a row: a simulation."""
        many = whole(count, "count", least=0)
        check_simulation(chance)
        noisy = self.source.draws(values, many, chance)
        answers = [self._moved(row) for row in noisy]
        return np.array(answers) if answers else noisy

    def release(self, values: Any, chance: Chance, confidence: object = "0.95") -> "Release":
        """Return value, lower and upper for every node, with the certificate and a diagnosis."""
        from holdfast.mechanism.release import of_updated

        return of_updated(self, values, chance, confidence)

    def diagnose(self, noisy: Any, updated: Any) -> Diagnosis:
        """Return what the update of a noisy vector did, level by level."""
        size = self.tree.size
        before = vector_of(noisy, size, "noisy vector")
        return diagnose(self.invariant, before, vector_of(updated, size, "updated table"))

    def variance(self) -> npt.NDArray[np.float64]:
        """Return each node's variance: for plain noise moved onto the sums and pinned nodes.

        It is that of the table of floats; what is rounded to whole numbers strays a little more.
        Inequalities make the error depend on the table, and revised noise has its own `variance`.
        """
        return self._squares.variance() * self._unit

    def covariance(self, one: int, other: int) -> float:
        """Return the covariance of two nodes, by number, in the same case."""
        return self._squares.covariance(one, other) * self._unit

    @property
    def _squares(self) -> TreeLeastSquares:
        way = self.ways.real
        if not isinstance(way, TreeLeastSquares) or self.source.is_revised:
            found = "inequalities, rows over several nodes, or noise that was revised"
            asked = "plain noise moved onto sums and pinned nodes"
            remedy = "Simulate: u.draws(values, count, seeded(1)) on a public or invented table."
            raise BadParameter(Fault("variance", asked, found, remedy))
        return way

    @property
    def _unit(self) -> float:
        """Return the variance that belongs to the largest weight."""
        return 1 / float(max(self._squares.rules.weights))

    def expected_error(self, *_: Any, **__: Any) -> Never:
        """Refuse: where rules bind depends on the table."""
        raise _unknown("expected errors")

    def interval(self, *_: Any, **__: Any) -> Never:
        """Refuse: the interval belongs to the revised value; stretch it to contain the updated."""
        raise _unknown("intervals")

    def revise(self, *_: Any, **__: Any) -> Never:
        """Refuse: an updated answer has no noise left to condition."""
        asked, found = "noise that is conditioned before it is moved", "an answer already updated"
        remedy = "Write m.revise(...).update(...)."
        raise BadParameter(Fault("update, then revise", asked, found, remedy))

    def update(self, *_: Any, **__: Any) -> Never:
        """Refuse: the second move would undo the first."""
        found, remedy = "a second update", "Give all rules to one update."
        raise BadParameter(Fault("update", "one update", found, remedy))

    @property
    def certificate(self) -> Certificate | None:
        """Return what is proven of a draw, or None: then `withheld` says why."""
        return certificate_of(self._verdict)

    @property
    def withheld(self) -> str | None:
        """Return why there is no certificate, or None where there is one."""
        return withheld_of(self._verdict)

    @cached_property
    def _verdict(self) -> Verdict:
        return self.source.certified(self.invariant)

    def __repr__(self) -> str:
        return f"<{self.source!r}, updated onto {self.invariant!r}>"


def check_room(rules: TreeRules) -> None:
    """Refuse rules that real numbers obey and whole ones do not."""
    for node in np.flatnonzero(rules.lowest > rules.highest).tolist()[:1]:
        name = "/".join(map(str, rules.tree.paths[node])) or rules.tree.root
        asked, found = "a whole number between the bounds", f"none at {shown(name)}"
        raise BadRules(Fault("update", asked, found, "Widen the bounds."))


def _unknown(what: str) -> BadParameter:
    """Return the refusal of figures that depend on the table."""
    return BadParameter(
        Fault(
            what,
            "noise that is plain or revised",
            "an updated answer: where the rules bind depends on the table",
            "Take those of the revised mechanism, or simulate: u.draws(values, count, seeded(1)) "
            "on a public or invented table.",
        )
    )


def in_sizes(norm: object) -> bool:
    """Return whether a distance is that of sizes, "l1"; refuse one that is not known."""
    if norm not in ("l1", "l2"):
        raise BadParameter(Fault("norm", '"l2" or "l1"', shown(norm), "Use one of these."))
    return norm == "l1"
