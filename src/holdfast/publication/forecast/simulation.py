"""Errors by simulated draws: a fixed number of them, by a fixed seed, on a public table.

Where the noise before the update is known by theory, the same draws are looked at before it too:
by as much as their noise was larger than it is in the mean, the figures are corrected.

Claim.      Figures tend to the true ones as draws are added; the same mechanism, rules and table
            give the same figures.
Reason.     docs/theory/prediction.md#what-is-simulated
Checked by. tests/publication/forecast/test_simulation.py
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from holdfast.foundation.progress import Progress
from holdfast.foundation.randomness import seeded
from holdfast.mechanism.plain import Mechanism
from holdfast.mechanism.revised import Revised
from holdfast.mechanism.updated import Updated
from holdfast.publication.forecast.invented_table import PublicTable
from holdfast.publication.level_error import by_level
from holdfast.worlds.hierarchy import Hierarchy
from holdfast.worlds.vectors import Numbers

Floats = npt.NDArray[np.float64]
SEED = 271828  # public: it draws noise for invented tables only
CELLS = 4_000_000  # of all draws together, as far as FEWEST and MOST allow
FEWEST, MOST = 48, 1000
BATCH = 1 << 22  # cells held at once

Source = Mechanism | Revised


@dataclass(frozen=True, eq=False, slots=True)
class Simulated:
    """Each level's mean error and mean variance, and the standard error of the former."""

    sizes: Floats
    variances: Floats
    strays: Floats
    draws: int


@dataclass(frozen=True, eq=False, slots=True)
class Sample:
    """Each draw's mean size and mean square of error by level, and the mean squared bias."""

    sizes: Floats
    squares: Floats
    bias_squared: Floats


def draws_for(tree: Hierarchy) -> int:
    """Return how many draws are simulated on a tree."""
    return int(np.clip(CELLS // tree.size, FEWEST, MOST))


def simulated(
    mechanism: Source | Updated, table: PublicTable, progress: Progress, stage: str
) -> Simulated:
    """Return the errors of a mechanism's draws."""
    sample = _sample(mechanism, table.values, progress, stage)
    return _figures(sample, sample.sizes, sample.squares)


def simulated_beside(
    updated: Updated, known: tuple[Floats, Floats], table: PublicTable, progress: Progress
) -> Simulated:
    """Return the errors of an update whose source has known mean sizes and variances by level."""
    after = _sample(updated, table.values, progress, "simulated update")
    before = _sample(updated.source, table.values, progress, "simulated noise")
    sizes = _corrected(after.sizes, before.sizes - known[0])
    return _figures(after, sizes, _corrected(after.squares, before.squares - known[1]))


def _corrected(seen: Floats, strayed: Floats) -> Floats:
    """Return figures of draws less what the noise of the draw explains of them, level by level.

    `strayed` has mean 0, so any share of it may be taken off; the least squares one is.
    """
    spread = (strayed - strayed.mean(axis=0)) * strayed
    shared = ((seen - seen.mean(axis=0)) * strayed).sum(axis=0)
    total = spread.sum(axis=0)
    share = np.divide(shared, total, out=np.zeros_like(total), where=total > 0)
    corrected: Floats = seen - share * strayed
    return corrected


def _figures(sample: Sample, sizes: Floats, squares: Floats) -> Simulated:
    """Return the means over the draws."""
    draws = sizes.shape[0]
    return Simulated(
        np.maximum(sizes.mean(axis=0), 0.0),
        np.maximum(squares.mean(axis=0) - sample.bias_squared, 0.0),
        sizes.std(axis=0, ddof=1) / draws**0.5,
        draws,
    )


def _sample(mechanism: Source | Updated, table: Numbers, progress: Progress, stage: str) -> Sample:
    """Draw, and keep what is needed of the errors."""
    tree = mechanism.mechanism.tree if isinstance(mechanism, Revised) else mechanism.tree
    draws, chance = draws_for(tree), seeded(SEED)
    sizes, squares, total, both = [], [], np.zeros(tree.size), np.zeros(tree.size)
    for batch in _batches(draws, tree.size):
        errors = (mechanism.draws(table, batch, chance) - table).astype(np.float64)
        sizes.append(by_level(tree, np.abs(errors)))
        total += errors.sum(axis=0)
        errors **= 2
        squares.append(by_level(tree, errors))
        both += errors.sum(axis=0)
        progress(stage, sum(map(len, sizes)), draws)
    # of the square of a node's mean error, what its variance adds is taken off
    bias = (total**2 - both) / (draws * (draws - 1))
    return Sample(np.concatenate(sizes), np.concatenate(squares), by_level(tree, bias))


def _batches(draws: int, size: int) -> Iterator[int]:
    """Yield how many draws to make at once."""
    most = max(1, BATCH // size)
    while draws > 0:
        yield min(most, draws)
        draws -= most
