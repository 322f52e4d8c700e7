"""Independent noise on cells, and rows of whole numbers that must sum to 0 over it.

This is what any equalities come down to: a table and its noisy answer both obey them, so their
difference, the noise, obeys the same rows with 0 on the right.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from holdfast.foundation.errors import BadParameter, Fault, shown
from holdfast.noise.law import Law, is_law
from holdfast.revision.noisy_tree import NoisyTree
from holdfast.worlds.exact_rows import Row, sum_rows


@dataclass(frozen=True, init=False, slots=True)
class NoisySystem:
    """A law for each cell, and rows; each row's coefficients times the noise add up to 0."""

    laws: tuple[Law, ...]
    rows: tuple[Row, ...]

    def __init__(self, laws: Iterable[Law], rows: Iterable[Row]) -> None:
        given, homogeneous = tuple(laws), tuple(Row(row.terms, 0) for row in rows)
        if not given or not all(is_law(law) for law in given):
            raise BadParameter(
                Fault("laws", "a law for each cell", f"{len(given)} values", "Give one a cell.")
            )
        cells = [node for row in homogeneous for node, _ in row.terms]
        if cells and not 0 <= min(cells) <= max(cells) < len(given):
            asked = f"cells from 0 to {len(given) - 1}"
            raise BadParameter(Fault("rows", asked, shown(max(cells)), "Number cells from 0."))
        object.__setattr__(self, "laws", given)
        object.__setattr__(self, "rows", homogeneous)


def system_of(noisy: NoisyTree) -> NoisySystem:
    """Return the sums of a tree, and its pinned nodes, as rows."""
    tree = noisy.tree
    sums = sum_rows(tree.arrays.child_offsets.tolist())
    pins = [Row(((node, 1),), 0) for node in noisy.pinned]
    laws = [noisy.laws[level] for level in tree.levels.tolist()]
    return NoisySystem(laws, [*sums, *pins])
