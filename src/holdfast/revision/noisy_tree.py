"""What noise on a tree is conditioned on: the sums, and nodes whose totals are public.

The noise of a node with a public total is 0: the total is published as it is.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadParameter, Fault, shown
from holdfast.noise.law import Law, is_law
from holdfast.worlds.hierarchy import Hierarchy


@dataclass(frozen=True, init=False, slots=True)
class NoisyTree:
    """A tree, a law of noise for each level, and the nodes that carry none."""

    tree: Hierarchy
    laws: tuple[Law, ...]
    pinned: tuple[int, ...]

    def __init__(self, tree: Hierarchy, laws: Iterable[Law], pinned: Iterable[int] = ()) -> None:
        given, nodes = tuple(laws), tuple(sorted(set(pinned)))
        if len(given) != tree.depth or not all(is_law(law) for law in given):
            asked = f"a law for each of {tree.depth} levels"
            raise BadParameter(Fault("laws", asked, f"{len(given)} values", "Give one a level."))
        if nodes and not 0 <= nodes[0] <= nodes[-1] < tree.size:
            asked = f"node numbers from 0 to {tree.size - 1}"
            raise BadParameter(Fault("pinned nodes", asked, shown(nodes[-1]), "Use tree.find."))
        object.__setattr__(self, "tree", tree)
        object.__setattr__(self, "laws", given)
        object.__setattr__(self, "pinned", nodes)

    @property
    def is_pinned(self) -> npt.NDArray[np.bool_]:
        """Return for each node whether its total is public."""
        answer = np.zeros(self.tree.size, dtype=np.bool_)
        answer[list(self.pinned)] = True
        return answer
