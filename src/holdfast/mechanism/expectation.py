"""What to expect of a mechanism's noise: by node, by level, in total. No data is read.

Reason.     docs/theory/messages.md#the-law-of-one-node
Checked by. tests/mechanism/test_expectation.py
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.foundation.bounds import float_below
from holdfast.foundation.errors import BadParameter, Fault, shown
from holdfast.foundation.exact import between
from holdfast.foundation.progress import Progress
from holdfast.mechanism.condition import Condition
from holdfast.noise.gaussian import Gaussian
from holdfast.revision.closed_forms.gaussian_closed_form import GaussianClosedForm
from holdfast.revision.expected_errors import ExpectedErrors, NormalErrors, expected_errors
from holdfast.worlds.hierarchy import Hierarchy
from holdfast.worlds.vectors import Numbers

Floats = npt.NDArray[np.float64]


class Expectation:
    """What to expect of noise, from the errors of its law at each node."""

    def __init__(self, tree: Hierarchy, errors: Callable[[], ExpectedErrors]) -> None:
        self._tree, self._make = tree, errors

    def variance(self, by: str) -> Any:
        """Return the variance by node, or its sum by level or in total."""
        return summed(self._tree, self._errors.variances, by)

    def error(self, norm: str, by: str) -> Any:
        """Return the mean size, or by norm "l2" the root of the variance, by node or summed."""
        if norm == "l1":
            return summed(self._tree, self._errors.mean_sizes, by)
        if norm == "l2":
            return np.sqrt(self.variance(by))
        raise BadParameter(Fault("norm", '"l1" or "l2"', shown(norm), "Use one of these."))

    def interval(self, confidence: object) -> Numbers:
        """Return for each node a size that its noise stays within, with this confidence."""
        missed = 1 - between(confidence, "confidence", 0, 1)
        return self._errors.half_widths(float_below(missed))

    @cached_property
    def _errors(self) -> ExpectedErrors:
        return self._make()


def known_before_data(condition: Condition) -> bool:
    """Return whether the errors at every node are known before any data is read."""
    gaussian = all(isinstance(law, Gaussian) for law in condition.laws)
    return not condition.invariant.inequalities and (condition.is_tree or gaussian)


def errors_given(condition: Condition, progress: Progress) -> ExpectedErrors:
    """Return the errors of noise under a condition; refused where they depend on the table."""
    if condition.invariant.inequalities:
        raise _unknown("inequalities: the noise depends on the table, and so do its errors")
    if not known_before_data(condition):
        raise _unknown("equalities beyond a tree: of this noise no errors are known at every node")
    if condition.is_tree:
        return expected_errors(condition.noisy_tree, progress)
    return NormalErrors(GaussianClosedForm(condition.system).variance())


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
