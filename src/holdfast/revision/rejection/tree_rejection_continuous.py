"""Draw Laplace noise that obeys the sums of a tree, from the leaves up, by trial, in floats.

As `tree_rejection` beside it. A real total is 0 with chance 0, so under a pinned node the
last child is set to what the others leave, and accepted with its density there over that at 0.

Claim.      In real arithmetic a draw has the conditional law. Floats round it, and no bound on
            that is proven.
Reason.     docs/theory/rejection.md#real-numbers
Checked by. tests/revision/test_closed_form_continuous.py
"""

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadParameter, Fault
from holdfast.foundation.randomness import Chance, checked_count
from holdfast.noise.laplace import Laplace
from holdfast.noise.uniform import open_uniforms
from holdfast.revision.closed_forms.group_continuous import FLOATS, ContinuousGroup
from holdfast.revision.evidence import NotProven
from holdfast.revision.messages.shapes import Shape, shapes_of
from holdfast.revision.noisy_tree import NoisyTree
from holdfast.revision.rejection.cost import cost, is_group, last_child
from holdfast.revision.rejection.trial_layout import TrialLayout, check_cost, until_accepted

Floats = npt.NDArray[np.float64]


class TreeRejectionContinuous:
    """A sampler of Laplace noise on a tree: floats, research mode."""

    def __init__(self, noisy: NoisyTree) -> None:
        laws = [law for law in noisy.laws if isinstance(law, Laplace)]
        if len(laws) < len(noisy.laws):
            raise BadParameter(
                Fault("laws", "Laplace laws", "other laws", "Use method 'gibbs' or 'messages'.")
            )
        self.noisy, self._laws, self._shapes = noisy, laws, shapes_of(noisy)
        self._groups = {
            number: ContinuousGroup(
                shape.below[0][1],
                float(laws[shape.level + 1].scale),
                float(laws[shape.level].scale),
            )
            for number, shape in enumerate(self._shapes.listed)
            if self._is_closed(shape)
        }
        self._last = [self._last_child(shape) for shape in self._shapes.listed]
        self._cost = cost(self._shapes, noisy.laws, self._is_closed)
        check_cost(self.expected_draws)
        self._layout = TrialLayout(noisy.tree, self._shapes, self._is_closed)

    @property
    def evidence(self) -> NotProven:
        """Return that nothing is proven of floats."""
        return NotProven(FLOATS)

    @property
    def expected_draws(self) -> float:
        """Return the expected number of scalar draws for one noise vector."""
        return self._cost.draws[-1]

    def noise(self, chance: Chance, count: int) -> Floats:
        """Return so many independent noise vectors over the nodes, one a row."""
        many = checked_count(chance, count)
        root = len(self._shapes.listed) - 1
        return self._layout.noise(
            np.zeros((self.noisy.tree.size, many)),
            lambda block: self._draw(root, chance, block),
            lambda number, totals: self._groups[number].fill(totals, chance),
        )

    def _draw(self, number: int, chance: Chance, count: int) -> Floats:
        """Return what is drawn of so many nodes of one shape, a node a row; sums are totals."""
        shape = self._shapes.listed[number]
        if shape.pinned and (not shape.below or number in self._groups):
            return np.zeros((count, 1))
        if not shape.below:
            return self._laws[shape.level].draw(chance, (count, 1))
        if number in self._groups:
            return self._groups[number].totals(chance, count)[:, None]
        return until_accepted(
            np.empty((count, self._layout.widths[number])),
            self._cost.likely[number],
            lambda many: self._accepted_tries(number, chance, many),
        )

    def _accepted_tries(self, number: int, chance: Chance, many: int) -> Floats:
        """Return those of so many tries for a shape that are accepted."""
        shape, last = self._shapes.listed[number], self._last[number]
        parts = [
            self._draw(child, chance, many * often).reshape(many, -1)
            for child, often in shape.below
        ]
        if shape.pinned and last is None:  # nothing below it is free
            return np.concatenate(parts, axis=1)
        if last is None:
            rows = np.concatenate(parts, axis=1)
            logs = -np.abs(rows.sum(axis=1)) / float(self._laws[shape.level].scale)
        else:
            column = parts[[child for child, _ in shape.below].index(last)][:, -1]
            column[:] = 0.0
            column[:] = -np.concatenate(parts, axis=1).sum(axis=1)
            rows = np.concatenate(parts, axis=1)
            logs = self._log_ratio(last, column)
        accepted: Floats = rows[np.log(open_uniforms(chance, many)) < logs]
        return accepted

    def _log_ratio(self, number: int, totals: Floats) -> Floats:
        """Return the log density of totals of a leaf or a closed group, over that of 0."""
        if number in self._groups:
            return self._groups[number].log_density_ratio(totals)
        scale = float(self._laws[self._shapes.listed[number].level].scale)
        ratio: Floats = -np.abs(totals) / scale
        return ratio

    def _is_closed(self, shape: Shape) -> bool:
        """Return whether a shape is a group that is drawn in closed form."""
        return is_group(shape, self._shapes)

    def _last_child(self, shape: Shape) -> int | None:
        """Return the child that is set under a pinned node; refuse a node that has none."""
        below = [self._shapes.listed[child] for child, _ in shape.below]
        if not shape.pinned or self._is_closed(shape) or all(child.pinned for child in below):
            return None
        last = last_child(shape, self._shapes, self.noisy.laws)
        if last is None:
            asked = "a child that is a leaf or a group of free leaves"
            raise BadParameter(Fault("pinned node", asked, "none", "Use method 'gibbs'."))
        return last
