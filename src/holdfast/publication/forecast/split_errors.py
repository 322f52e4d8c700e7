"""Each level's mean error for a split of a budget, given the sums: by messages.

Of a large tree every split would take seconds. There a typical tree stands in: every node of a
level has as many children as one has on average, so that all subtrees of a level are alike.

Checked by. tests/publication/forecast/test_split_errors.py
"""

from dataclasses import dataclass, field
from itertools import product

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadParameter
from holdfast.foundation.progress import silent
from holdfast.noise.budget import Budget
from holdfast.noise.calibration import Shares, calibrate
from holdfast.noise.law import Family
from holdfast.noise.sensitivity import Sensitivity
from holdfast.publication.level_error import by_level
from holdfast.revision.expected_errors import expected_errors
from holdfast.revision.noisy_tree import NoisyTree
from holdfast.worlds.hierarchy import Hierarchy

Floats = npt.NDArray[np.float64]
LARGE = 3000  # nodes


@dataclass(frozen=True, eq=False, slots=True)
class SplitErrors:
    """A tree, a family of discrete laws and a budget; `judged` are the splits looked at."""

    tree: Hierarchy
    family: Family
    budget: Budget
    distances: Sensitivity
    judged: dict[Shares, Floats] = field(default_factory=dict)

    def of(self, shares: Shares) -> Floats:
        """Return each level's mean error; infinite where no message follows the noise."""
        if shares not in self.judged:
            self.judged[shares] = self._found(shares)
        return self.judged[shares]

    def _found(self, shares: Shares) -> Floats:
        try:
            laws = calibrate(self.family, self.budget, self.distances, shares)
            sizes = expected_errors(NoisyTree(self.tree, laws, ()), silent).mean_sizes
        except BadParameter:
            return np.full(self.tree.depth, np.inf)
        return by_level(self.tree, sizes)

    def typical(self) -> "SplitErrors":
        """Return the same for a tree on which splits are judged quickly."""
        if self.tree.size <= LARGE:
            return self
        return SplitErrors(typical_tree(self.tree), self.family, self.budget, self.distances)


def typical_tree(tree: Hierarchy) -> Hierarchy:
    """Return the tree of the same depth in which each level's nodes have as many children.

    >>> tree = Hierarchy.from_paths([("a", 1), ("a", 2), ("a", 3), ("b", 1)])
    >>> typical_tree(tree).arrays.level_offsets.tolist()
    [0, 1, 3, 7]
    """
    nodes, leaves = np.diff(tree.arrays.level_offsets), np.bincount(tree.levels[tree.leaf_nodes])
    children = np.rint(nodes[1:] / (nodes - leaves)[:-1]).astype(int)
    return Hierarchy.from_paths(product(*(range(many) for many in children.tolist())))
