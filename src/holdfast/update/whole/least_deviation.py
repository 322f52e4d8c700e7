"""The table of whole numbers with the least sum of weighted deviations (L1).

Many tables have the least sum: of a parent and its children that disagree, any may give way. Of
these the one nearest in squares is taken, and of several such the one that `whole_optimum` names.

Claim.      No table that obeys the rules has a smaller sum of weight times size of move; none of
            those with the same sum is nearer in squares.
Reason.     docs/theory/update.md#least-deviations
Checked by. tests/update/test_least_deviation.py
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.update.trees.tree_rules import TreeRules
from holdfast.update.whole.whole_optimum import WholeOptimum, asked_for, settled

Whole = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LeastDeviation:
    """Moves a vector over the nodes onto the rules, as little as can be in all."""

    rules: TreeRules

    def apply(self, values: npt.NDArray[Any]) -> Whole:
        """Return the table of whole numbers with the least deviations."""
        nearest = self._squares.apply(values)
        asked = replace(asked_for(values), in_sizes=True)
        off = np.where(self.rules.is_pinned, 0, nearest - values)
        return settled(self.rules, nearest, asked, int(np.abs(off).max()) + 1)

    @cached_property
    def _squares(self) -> WholeOptimum:
        return WholeOptimum(self.rules)
