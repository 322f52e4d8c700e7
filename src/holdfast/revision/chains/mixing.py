"""How well chains mix: the measures of Vehtari, Gelman, Simpson, Carpenter and Bürkner 2021.

States come by (chain, draw, cell), as ArviZ reads them. Diagnosis only: a good word here proves
nothing, see docs/theory/chains.md#why-a-chain-has-no-certificate.

Checked by. tests/revision/test_mixing.py
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadParameter, Fault

Floats = npt.NDArray[np.float64]
States = npt.NDArray[Any]
TAILS = (0.05, 0.95)
LEAST_DRAWS = 4


def as_arviz_dict(states: States) -> dict[str, States]:
    """Return the states as `arviz.from_dict` takes them for a posterior."""
    return {"noise": _checked(states)}


def r_hat(states: States) -> Floats:
    """Return for each cell the larger of two rank-normalised split R-hats.

    One of the values, one of their distances from the median: near 1 where chains agree. It is
    nan for a cell that never changes.
    """

    def of(cell: Floats) -> float:
        halves = _split(cell)
        folded = np.abs(halves - np.median(halves))
        return max(_r_hat(_scores(halves)), _r_hat(_scores(folded)))

    return _each_cell(states, of)


def effective_draws_bulk(states: States) -> Floats:
    """Return for each cell how many independent draws tell as much of its middle."""
    return _each_cell(states, lambda cell: _effective(_scores(_split(cell))))


def effective_draws_tail(states: States) -> Floats:
    """Return for each cell the fewer of the two that tell as much of its tails."""

    def of(cell: Floats) -> float:
        below = [(cell <= np.quantile(cell, tail)).astype(np.float64) for tail in TAILS]
        return min(_effective(_split(one)) for one in below)

    return _each_cell(states, of)


def autocorrelation(states: States) -> Floats:
    """Return by (chain, lag, cell) the correlation of states so many draws apart.

    It is nan for a chain whose cell never changes.
    """
    values = _checked(states).astype(np.float64)
    answer = np.empty(values.shape)
    for cell in range(values.shape[2]):
        covariance = _autocovariance(values[:, :, cell])
        with np.errstate(invalid="ignore"):
            answer[:, :, cell] = covariance / covariance[:, :1]
    return answer


def _checked(states: States) -> States:
    """Return the states; refuse another layout, too few draws, and what is not finite."""
    asked = f"finite numbers by (chain, draw, cell), at least {LEAST_DRAWS} draws"
    found = "something else"
    if not (isinstance(states, np.ndarray) and states.ndim == 3 and states.dtype.kind in "if"):
        raise BadParameter(Fault("states", asked, found, "Take them from `states`."))
    if states.shape[1] < LEAST_DRAWS or not states.shape[0] or not np.isfinite(states).all():
        raise BadParameter(Fault("states", asked, found, "Take more of them from `states`."))
    return states


def _each_cell(states: States, measure: Callable[[Floats], float]) -> Floats:
    """Return a measure of each cell's values by (chain, draw)."""
    values = _checked(states).astype(np.float64)
    return np.array([measure(values[:, :, cell]) for cell in range(values.shape[2])])


def _split(values: Floats) -> Floats:
    """Return each chain's halves as chains of their own; a middle draw is left out."""
    half = values.shape[1] // 2
    return np.concatenate([values[:, :half], values[:, -half:]])


def _scores(values: Floats) -> Floats:
    """Return the normal scores of the ranks among all values; ties share their mean rank."""
    from statistics import NormalDist

    _, place, often = np.unique(values, return_inverse=True, return_counts=True)
    ranks = np.cumsum(often) - (often - 1) / 2
    shares = (ranks - 3 / 8) / (values.size + 1 / 4)
    normal = NormalDist()
    return np.array([normal.inv_cdf(share) for share in shares.tolist()])[place].reshape(
        values.shape
    )


def _r_hat(values: Floats) -> float:
    """Return the root of the variance of all chains over the variance within them."""
    draws = values.shape[1]
    within = float(values.var(axis=1, ddof=1).mean())
    between = float(values.mean(axis=1).var(ddof=1))
    if within == 0:
        return math.inf if between else math.nan
    return math.sqrt(between / within + (draws - 1) / draws)


def _autocovariance(values: Floats) -> Floats:
    """Return each chain's autocovariance at every lag, its sums divided by the draws."""
    draws = values.shape[1]
    size = 1 << (2 * draws - 1).bit_length()
    spectrum = np.fft.rfft(values - values.mean(axis=1, keepdims=True), size)
    covariance: Floats = np.fft.irfft(np.abs(spectrum) ** 2, size)[:, :draws] / draws
    return covariance


def _effective(values: Floats) -> float:
    """Return how many independent draws have a mean as close to the truth."""
    chains, draws = values.shape
    if np.ptp(values) < np.finfo(np.float64).resolution:
        return float(values.size)
    covariance = _autocovariance(values).mean(axis=0)
    total = covariance[0]
    if chains > 1:
        total += values.mean(axis=1).var(ddof=1)
    within = covariance[0] * draws / (draws - 1)
    correlation = 1 - (within - covariance) / total
    correlation[0] = 1.0
    time = max(_integrated(correlation), 1 / math.log10(values.size))
    return values.size / time


def _integrated(correlation: Floats) -> float:
    """Return 1 + 2 times the sum of correlations, cut and smoothed as Geyer 1992 does.

    True sums of pairs are positive and fall. The first pair that is not positive ends the sum,
    its even member counting once where it is positive; a pair above one before it is lowered.
    Where the draws end before such a pair, the next even member counts once as it is.
    """
    lags = correlation.size
    sums = correlation[: lags - lags % 2].reshape(-1, 2).sum(axis=1)
    ends = np.flatnonzero(sums <= 0)
    last = min(int(ends[0]) if ends.size else lags, max((lags - 3) // 2, 0))
    falling = np.minimum.accumulate(sums[:last])
    even = correlation[2 * last]
    return float(2 * falling.sum() - 1 + (even if sums[last] >= 0 else max(even, 0.0)))
