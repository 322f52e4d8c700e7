"""How far the published numbers of one level stray from the true ones.

Reason.     docs/theory/prediction.md#the-three-figures
Checked by. tests/publication/forecast/test_level_error.py
"""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadParameter, Fault
from holdfast.worlds.hierarchy import Hierarchy

Floats = npt.NDArray[np.float64]
NO_INTERVAL = float("nan")


@dataclass(frozen=True, slots=True)
class LevelError:
    """One level: its name, its nodes, and three figures of a node's error.

    The mean absolute error is the mean over the nodes, the standard deviation the root of the
    mean variance, the half-width that of the widest interval; it is not a number where there is
    no valid interval. `exact` says that the first two are known by theory; else they are simulated.
    """

    level: str
    nodes: int
    mean_error: float
    standard_deviation: float
    half_width: float
    exact: bool

    def __post_init__(self) -> None:
        sizes = (self.nodes, self.mean_error, self.standard_deviation)
        known = math.isnan(self.half_width) or 0 <= self.half_width < math.inf
        if not (all(math.isfinite(size) and size >= 0 for size in sizes) and known):
            asked, found = "finite numbers of at least 0", "others"
            raise BadParameter(Fault("errors of a level", asked, found, "Forecast."))


def by_level(tree: Hierarchy, values: npt.NDArray[Any]) -> Floats:
    """Return the mean over each level's nodes; the last axis of `values` is the nodes."""
    starts = tree.arrays.level_offsets[:-1]
    sums: Floats = np.add.reduceat(values, starts, axis=-1) / np.diff(tree.arrays.level_offsets)
    return sums


def widest(tree: Hierarchy, half_widths: npt.NDArray[Any]) -> Floats:
    """Return the largest half-width of each level."""
    answer: Floats = np.maximum.reduceat(half_widths, tree.arrays.level_offsets[:-1]).astype(float)
    return answer


def level_errors(
    tree: Hierarchy, sizes: Floats, variances: Floats, half_widths: Floats, exact: bool
) -> tuple[LevelError, ...]:
    """Return one for each level from each level's means and its largest half-width."""
    edges = pairwise(tree.arrays.level_offsets.tolist())
    rows = zip(tree.level_names, edges, sizes.tolist(), variances.tolist(), strict=True)
    return tuple(
        LevelError(name, stop - start, size, max(variance, 0.0) ** 0.5, width, exact)
        for (name, (start, stop), size, variance), width in zip(
            rows, half_widths.tolist(), strict=True
        )
    )
