"""Statistical assertions that state their false-alarm rate and the smallest fault they see."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

ALARM = 1e-9
MISS = 1e-3


def threshold(draws: int, alarm: float = ALARM) -> float:
    """Return the distance in cumulative that right draws pass with chance at most `alarm`.

    Dvoretzky, Kiefer, Wolfowitz, with Massart's constant; valid for discrete laws too.
    """
    return math.sqrt(math.log(2 / alarm) / (2 * draws))


def smallest_visible_fault(draws: int, alarm: float = ALARM, miss: float = MISS) -> float:
    """Return the distance of a wrong law's cumulative that is missed with chance `miss`."""
    return threshold(draws, alarm) + threshold(draws, miss)


def strays(
    draws: npt.NDArray[Any], cumulative: Callable[[Any], float], alarm: float = ALARM
) -> bool:
    """Return whether the draws lie farther from the cumulative than chance allows."""
    values, counts = np.unique(draws, return_counts=True)
    seen = np.cumsum(counts) / draws.size
    expected = np.array([float(cumulative(value)) for value in values.tolist()])
    discrete = draws.dtype.kind == "i"
    before = np.concatenate([[0.0], seen[:-1]])
    just_below = (
        np.array([float(cumulative(value - 1)) for value in values.tolist()])
        if discrete
        else expected
    )
    gap = max(np.abs(seen - expected).max(), np.abs(before - just_below).max())
    return bool(gap > threshold(draws.size, alarm))
