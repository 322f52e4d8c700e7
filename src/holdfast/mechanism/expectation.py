"""What to expect of a revised mechanism's noise: by node, by level, in total. No data is read.

Reason.     docs/theory/messages.md#the-law-of-one-node
Checked by. tests/mechanism/test_expectation.py
"""

from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.foundation.bounds import float_below
from holdfast.foundation.errors import BadParameter, Fault, shown
from holdfast.foundation.progress import Progress
from holdfast.mechanism.condition import Condition
from holdfast.noise.gaussian import Gaussian
from holdfast.revision.closed_forms.gaussian_closed_form import GaussianClosedForm
from holdfast.revision.expected_errors import ExpectedErrors, NormalErrors, expected_errors
from holdfast.worlds.hierarchy import Hierarchy
from holdfast.worlds.vectors import Numbers

Floats = npt.NDArray[np.float64]


class Expectation:
    """The errors of noise under a condition; refused where they depend on the table."""

    def __init__(self, condition: Condition, progress: Progress) -> None:
        self._condition, self._progress = condition, progress

    def variance(self, by: str) -> Any:
        """Return the variance by node, or its sum by level or in total."""
        return summed(self._condition.tree, self._errors.variances, by)

    def mean_size(self, by: str) -> Any:
        """Return the mean size by node, or its sum by level or in total."""
        return summed(self._condition.tree, self._errors.mean_sizes, by)

    def half_widths(self, missed: Fraction) -> Numbers:
        """Return for each node a size that its noise exceeds no more often than this."""
        return self._errors.half_widths(float_below(missed))

    @cached_property
    def _errors(self) -> ExpectedErrors:
        condition = self._condition
        if condition.invariant.inequalities:
            raise _unknown("inequalities: the noise depends on the table, and so do its errors")
        if condition.is_tree:
            return expected_errors(condition.noisy_tree, self._progress)
        if all(isinstance(law, Gaussian) for law in condition.laws):
            return NormalErrors(GaussianClosedForm(condition.system).variance())
        raise _unknown("equalities beyond a tree: of this noise no errors are known at every node")


def summed(tree: Hierarchy, values: Floats, by: str) -> Any:
    """Return values over the nodes as they are, or added up by level or in total."""
    match by:
        case "node":
            return values
        case "level":
            return np.add.reduceat(values, tree.arrays.level_offsets[:-1])
        case "total":
            return float(values.sum())
        case _:
            asked = '"node", "level" or "total"'
            raise BadParameter(Fault("by", asked, shown(by), "Use one of these."))


def _unknown(found: str) -> BadParameter:
    """Return the refusal to say what is not known before data is read."""
    return BadParameter(
        Fault(
            "expected errors",
            "rules under which they are known before any data is read",
            found,
            "Simulate: r.draws(values, count, seeded(1)) on a public or invented table.",
        )
    )
