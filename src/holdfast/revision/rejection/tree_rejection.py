"""Draw noise that obeys the sums of a tree, from the leaves up, by trial.

A node draws its children until their sum is accepted with the weight that its own law gives to
the sum. Bottom groups of one discrete Laplace law are drawn in closed form: their totals before,
their cells after everything above is accepted. All nodes of one shape are drawn side by side.

Claim.      A draw has exactly the conditional law given the sums and the pinned nodes.
Reason.     docs/theory/rejection.md#recursive-rejection
Checked by. tests/revision/test_tree_rejection.py
"""

import math

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadParameter, Fault
from holdfast.foundation.randomness import Chance, checked_count
from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.laplace import Laplace
from holdfast.revision.closed_forms.group import draw_total, has_closed_form
from holdfast.revision.closed_forms.group_cells import GroupCells
from holdfast.revision.closed_forms.group_weights import GroupTotal
from holdfast.revision.closed_forms.halves import HalfTables
from holdfast.revision.evidence import Exact
from holdfast.revision.messages.shapes import Shape, Shapes, shapes_of
from holdfast.revision.noisy_tree import NoisyTree
from holdfast.revision.rejection.acceptance import accepted
from holdfast.revision.rejection.cost import cost, is_group
from holdfast.revision.rejection.trial_layout import TrialLayout, check_cost, until_accepted

Integers = npt.NDArray[np.int64]
PAYS = 2.0  # scales, in roots of the cells, up to which compositions are quicker than trials


class TreeRejection:
    """A sampler of noise on a tree: whole numbers, exact."""

    def __init__(self, noisy: NoisyTree) -> None:
        laws = [law for law in noisy.laws if isinstance(law, DiscreteLaplace | DiscreteGaussian)]
        if len(laws) < len(noisy.laws):
            raise BadParameter(
                Fault("laws", "discrete laws", "continuous ones", "Use method 'rejection'.")
            )
        self.noisy, self._laws, self._shapes = noisy, laws, shapes_of(noisy)
        self._groups = {
            number: group
            for number, shape in enumerate(self._shapes.listed)
            if (group := closed_group(shape, self._shapes, noisy)) is not None
        }
        tables = {law: HalfTables(law) for law in {g.law for g in self._groups.values()}}
        self._cells = {n: GroupCells(g.cells, tables[g.law]) for n, g in self._groups.items()}
        self._cost = cost(self._shapes, noisy.laws, self._is_closed)
        check_cost(self.expected_draws)
        self._layout = TrialLayout(noisy.tree, self._shapes, self._is_closed)

    @property
    def evidence(self) -> Exact:
        """Return that a draw has exactly the conditional law."""
        return Exact()

    @property
    def expected_draws(self) -> float:
        """Return the expected number of scalar draws for one noise vector."""
        return self._cost.draws[-1]

    def noise(self, chance: Chance, count: int) -> Integers:
        """Return so many independent noise vectors over the nodes, one a row."""
        many = checked_count(chance, count)
        root = len(self._shapes.listed) - 1
        return self._layout.noise(
            np.zeros((self.noisy.tree.size, many), dtype=np.int64),
            lambda block: self._draw(root, chance, block),
            lambda number, totals: self._cells[number].draw(totals, chance),
        )

    def _draw(self, number: int, chance: Chance, count: int) -> Integers:
        """Return what is drawn of so many nodes of one shape, a node a row; sums are totals."""
        shape = self._shapes.listed[number]
        if shape.pinned and (not shape.below or number in self._groups):
            return np.zeros((count, 1), dtype=np.int64)
        if not shape.below:
            return self._laws[shape.level].draw(chance, (count, 1))
        if number in self._groups:
            return draw_total(self._groups[number], chance, count)[:, None]
        return until_accepted(
            np.empty((count, self._layout.widths[number]), dtype=np.int64),
            self._cost.likely[number],
            lambda many: self.accepted_tries(number, chance, many),
        )

    def accepted_tries(self, number: int, chance: Chance, many: int) -> Integers:
        """Return those of so many tries for a shape that are accepted."""
        shape = self._shapes.listed[number]
        parts = [
            self._draw(child, chance, many * often).reshape(many, -1)
            for child, often in shape.below
        ]
        rows = np.concatenate(parts, axis=1) if len(parts) > 1 else parts[0]
        totals = rows.sum(axis=1)
        law = self._laws[shape.level]
        kept: Integers = rows[totals == 0 if shape.pinned else accepted(law, totals, chance)]
        return kept

    def _is_closed(self, shape: Shape) -> bool:
        """Return whether a shape is a group that is drawn in closed form."""
        return closed_group(shape, self._shapes, self.noisy) is not None


def expected_draws(noisy: NoisyTree, closed_forms: bool = True) -> float:
    """Return the expected number of scalar draws for one noise vector, by a prediction in floats.

    A group in closed form counts as one draw; its leaves, filled after acceptance, are not
    counted. Without closed forms all leaves are drawn in every try.
    """
    shapes = shapes_of(noisy)
    if not closed_forms:
        return cost(shapes, noisy.laws, lambda shape: False).draws[-1]
    if all(isinstance(law, Laplace) for law in noisy.laws):
        return cost(shapes, noisy.laws, lambda shape: is_group(shape, shapes)).draws[-1]
    groups = [shape for shape in shapes.listed if closed_group(shape, shapes, noisy)]
    return cost(shapes, noisy.laws, groups.__contains__).draws[-1]


def closed_group(shape: Shape, shapes: Shapes, noisy: NoisyTree) -> GroupTotal | None:
    """Return the group that a shape is, where its closed form is quicker than trials."""
    if not is_group(shape, shapes):
        return None
    law, cells = noisy.laws[shape.level + 1], shape.below[0][1]
    node = law if shape.pinned else noisy.laws[shape.level]
    if not (isinstance(law, DiscreteLaplace) and isinstance(node, DiscreteLaplace)):
        return None
    pays = cells == 1 or 1 / float(law.rate) <= PAYS * math.sqrt(cells)
    return GroupTotal(cells, law, node) if pays and has_closed_form(cells, law, node) else None
