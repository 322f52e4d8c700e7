"""How far the tables of two neighbouring data sets lie apart, level by level of a tree.

Claim.      For every pair of neighbours the distance at each level is at most the one given.
Reason.     docs/theory/sensitivity.md
Checked by. tests/noise/test_sensitivity.py
"""

from dataclasses import dataclass
from enum import StrEnum

from holdfast.foundation.errors import BadParameter, Fault, shown
from holdfast.foundation.exact import whole

MOST_ROWS = 2**31


class Neighbours(StrEnum):
    """Which data sets are neighbours."""

    ADD_REMOVE = "add-remove"
    REPLACE_ONE = "replace-one"


def neighbours_of(name: object) -> Neighbours:
    """Return the relation of this name, or refuse it."""
    for relation in Neighbours:
        if name == relation.value:
            return relation
    raise BadParameter(
        Fault("neighbours", '"add-remove" or "replace-one"', shown(name), "Use one of these.")
    )


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The largest L1 distance, and the largest squared L2 distance, at each level."""

    l1: tuple[int, ...]
    squared_l2: tuple[int, ...]

    def costs(self, level: int) -> bool:
        """Return whether neighbours can differ at this level at all."""
        return self.l1[level] > 0


def sensitivity(levels: int, neighbours: Neighbours, rows: int = 1) -> Sensitivity:
    """Return the distances of a tree query with so many levels, the root's included.

    One person gives at most `rows` rows. Adding a person adds at most `rows` at one node of
    each level; replacing one takes them from one node and adds them to another, and leaves the
    root alone only where each person gives exactly one row.
    """
    rows = whole(rows, "rows of one person", least=1, most=MOST_ROWS)
    match neighbours:
        case Neighbours.ADD_REMOVE:
            return Sensitivity((rows,) * levels, (rows**2,) * levels)
        case Neighbours.REPLACE_ONE:
            root = 0 if rows == 1 else rows
            below = levels - 1
            return Sensitivity((root, *(2 * rows,) * below), (root**2, *(2 * rows**2,) * below))
