"""M_C: a mechanism whose noisy table is moved to the nearest one that obeys an invariant.

Claim.      An update is a function of the noisy table and of public rules: post-processing, so
            it costs no privacy.
Reason.     docs/theory/update.md
Checked by. tests/mechanism/test_updated.py
"""

import warnings
from dataclasses import dataclass
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
from holdfast.update.diagnosis import Diagnosis, diagnose
from holdfast.update.rows.controlled_rounding import ControlledRounding
from holdfast.update.rows.row_rules import RowRules
from holdfast.update.trees.tree_least_squares import TreeLeastSquares
from holdfast.update.trees.tree_nonnegative import TreeNonnegative
from holdfast.update.whole.least_deviation import LeastDeviation
from holdfast.update.whole.unbiased_rounding import MOST, unbiased
from holdfast.update.whole.whole_optimum import WholeOptimum
from holdfast.worlds.hierarchy import Hierarchy
from holdfast.worlds.invariant import Invariant
from holdfast.worlds.vectors import Numbers, vector_of

if TYPE_CHECKING:
    from holdfast.mechanism.plain import Mechanism
    from holdfast.mechanism.revised import Revised

NOT_YET = "certificates are not built yet: this version proves the update, not the release"
LARGEST = 2**61  # twice as much still fits 64 bits
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
        if not -LARGEST < vector.min() <= vector.max() < LARGEST:
            asked = "values below 2**61 in size"
            raise BadTable(Fault("noisy vector", asked, "a larger one", "Count in a larger unit."))
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
        stays_whole = vector.dtype.kind == "i" if self.integers is None else self.integers
        if not stays_whole and self.ways.real is None:
            asked, remedy = "whole numbers, for norm 'l1'", "Use integers=True."
            raise BadTable(Fault("noisy vector", asked, "floats", remedy))
        if not stays_whole and self.ways.real is not None:
            return self.ways.real.apply(vector)
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
            asked, found = "counts below 2**40 in all", "larger ones"
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

    def diagnose(self, noisy: Any, updated: Any) -> Diagnosis:
        """Return what the update of a noisy vector did, level by level."""
        size = self.tree.size
        before = vector_of(noisy, size, "noisy vector")
        return diagnose(self.invariant, before, vector_of(updated, size, "updated table"))

    def variance(self) -> npt.NDArray[np.float64]:
        """Return each node's variance: for plain noise moved onto the sums and pinned nodes.

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
    def certificate(self) -> None:
        """Return nothing: `withheld` says why."""
        return

    @property
    def withheld(self) -> str:
        """Return why there is no certificate."""
        return getattr(self.source, "withheld", NOT_YET)

    def __repr__(self) -> str:
        return f"<{self.source!r}, updated onto {self.invariant!r}>"


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
