"""Whether facts leave any room for rows: where a node is 0, no row below it can move.

Facts at single nodes fix how many rows lie below each, and so how many lie below it and below no
lower one of them.

Claim.      Leaves that `emptied` marks hold no row in any data set that obeys the facts; where it
            returns None no data set obeys them.
Reason.     docs/theory/neighbours.md#no-room
Checked by. tests/privacy/test_room.py
"""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from holdfast.privacy.moves import nearest_marked
from holdfast.worlds.exact_rows import Row
from holdfast.worlds.hierarchy import Hierarchy
from holdfast.worlds.spine import Spine, spine_of

Mask = npt.NDArray[np.bool_]


def emptied(tree: Hierarchy, facts: Sequence[Row]) -> Mask | None:
    """Return for each node whether no row can lie at it, or None where no whole table obeys.

    Facts over several nodes are looked at for whole solutions alone.
    """
    if any(row.right % math.gcd(*(value for _, value in row.terms)) for row in facts):
        return None
    fixed = {r.terms[0][0]: Fraction(r.right, r.terms[0][1]) for r in facts if len(r.terms) == 1}
    spine = spine_of(tree, fixed)
    left = {node: _left(spine, node, fixed) for node in fixed}
    own = {node: spine.has_leaves_of_its_own(node) for node in fixed}
    if any(rest < 0 or (rest and not own[node]) for node, rest in left.items()):
        return None
    nearest = nearest_marked(tree, spine.nodes)
    mask: Mask = np.isin(nearest, [node for node, rest in left.items() if rest == 0])
    return mask


def _left(spine: Spine, node: int, fixed: dict[int, Fraction]) -> Fraction:
    """Return how many rows lie below a node and below no lower fixed one."""
    lower = [under for under in spine.below[node] if under in fixed]
    return fixed[node] - sum((fixed[under] for under in lower), Fraction(0))
