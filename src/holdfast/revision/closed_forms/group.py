"""Groups of cells of one discrete Laplace law: their total, and the cells given the total.

Both are drawn in closed form, by inversion, without trial.

Claim.      Totals and cells have exactly the conditional law.
Reason.     docs/theory/closed_forms.md#whole-numbers-the-cells-given-their-sum
Checked by. tests/revision/test_closed_form.py
"""

from functools import cached_property

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadParameter, Fault
from holdfast.foundation.randomness import Chance, checked_count
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.inversion import inversion
from holdfast.revision.closed_forms.group_cells import GroupCells
from holdfast.revision.closed_forms.group_weights import GroupTotal
from holdfast.revision.closed_forms.halves import HalfTables
from holdfast.revision.evidence import Exact
from holdfast.revision.noisy_tree import NoisyTree

Integers = npt.NDArray[np.int64]
LARGEST_GROUP = 512
LONGEST_TABLE = 1 << 13  # outcomes of an overlap
TAIL = 32  # scales beyond which a table of 64-bit words ends


def has_closed_form(cells: int, law: object, node: object) -> bool:
    """Return whether a group is drawn in closed form; longer tables cost more than trials."""
    if not (isinstance(law, DiscreteLaplace) and isinstance(node, DiscreteLaplace)):
        return False
    if not 1 <= cells <= LARGEST_GROUP:
        return False
    short = (cells + TAIL) / float(law.rate) <= LONGEST_TABLE
    return short and TAIL / float(node.rate) <= LONGEST_TABLE


def draw_total(group: GroupTotal, chance: Chance, count: int) -> Integers:
    """Return independent totals of a group, the node's weight included."""
    outcome = inversion(group, chance.width).draw(chance, count)
    total: Integers = (outcome >> 1) ^ -(outcome & 1)  # 0, -1, 1, -2, 2, ...
    return total


def is_closed_group(noisy: NoisyTree) -> bool:
    """Return whether a tree is one group that is drawn in closed form."""
    if noisy.tree.depth != 2 or not set(noisy.pinned) <= {0}:
        return False
    node, law = noisy.laws
    return has_closed_form(noisy.tree.size - 1, law, law if noisy.pinned else node)


class GroupClosedForm:
    """A sampler of noise on one group: a root over leaves of one discrete Laplace law."""

    def __init__(self, noisy: NoisyTree) -> None:
        self.noisy = noisy
        cells = noisy.tree.size - 1
        if noisy.tree.depth != 2 or not set(noisy.pinned) <= {0}:
            found = "a deeper tree or leaves with public totals"
            raise BadParameter(
                Fault("group", "a root over free leaves", found, "Use method 'exact'.")
            )
        node, law = noisy.laws
        if not isinstance(law, DiscreteLaplace) or not isinstance(node, DiscreteLaplace):
            found = "other laws"
            raise BadParameter(Fault("laws", "discrete Laplace laws", found, "Use method 'exact'."))
        if not has_closed_form(cells, law, law if noisy.pinned else node):
            asked = f"at most {LARGEST_GROUP} cells, and (cells + {TAIL}) x scale at most 8192"
            raise BadParameter(
                Fault("group", asked, "a larger group or scale", "Use method 'exact'.")
            )
        self._total = GroupTotal(cells, law, node)
        self._cells = GroupCells(cells, HalfTables(law))

    @cached_property
    def evidence(self) -> Exact:
        """Return that a draw has exactly the conditional law."""
        return Exact()

    def noise(self, chance: Chance, count: int) -> Integers:
        """Return so many independent noise vectors over the nodes, one a row."""
        totals = np.zeros(checked_count(chance, count), dtype=np.int64)
        if not self.noisy.pinned:
            totals = draw_total(self._total, chance, totals.size)
        return np.concatenate([totals[:, None], self._cells.draw(totals, chance)], axis=1)
