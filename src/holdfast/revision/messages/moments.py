"""What symmetric weights of -r, ..., r say of a number: how far it strays from 0."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def variance(weights: Floats) -> float:
    """Return the mean square."""
    radius = weights.size // 2
    return float(weights @ np.arange(-radius, radius + 1.0) ** 2 / weights.sum())


def mean_size(weights: Floats) -> float:
    """Return the mean of the size."""
    radius = weights.size // 2
    return float(weights @ np.abs(np.arange(-radius, radius + 1.0)) / weights.sum())


def spread(weights: Floats, rare: float) -> int:
    """Return the smallest size that is exceeded with at most this chance."""
    radius = weights.size // 2
    beyond = 2 * np.cumsum(weights[:radius])  # of size radius, then radius - 1 or more, ...
    return radius - int(np.searchsorted(beyond, rare * float(weights.sum()), side="right"))
