"""Gamma and Dirichlet draws in floats from words of chance: research mode."""

import numpy as np
import numpy.typing as npt

from holdfast.foundation.randomness import Chance
from holdfast.noise.gaussian import Gaussian
from holdfast.noise.uniform import open_uniforms

Floats = npt.NDArray[np.float64]


def gammas(shapes: Floats, chance: Chance) -> Floats:
    """Return a gamma draw of scale 1 for each shape of at least 1 (Marsaglia and Tsang 2000)."""
    centre = shapes - 1 / 3
    slope = 1 / np.sqrt(9 * centre)
    answer = np.empty(shapes.size)
    waiting = np.arange(shapes.size)
    while waiting.size:
        here, normal = centre[waiting], Gaussian.with_variance(1).draw(chance, waiting.size)
        cube = (1 + slope[waiting] * normal) ** 3
        level = np.log(open_uniforms(chance, waiting.size))
        inside = np.where(cube > 0, cube, 1.0)
        kept = (cube > 0) & (level < normal**2 / 2 + here * (1 - inside + np.log(inside)))
        answer[waiting[kept]] = (here * inside)[kept]
        waiting = waiting[~kept]
    return answer


def simplex(rows: int, parts: int, chance: Chance) -> Floats:
    """Return points uniform on the simplex, one a row."""
    sizes = -np.log(open_uniforms(chance, rows * parts)).reshape(rows, parts)
    shares: Floats = sizes / sizes.sum(axis=1, keepdims=True)
    return shares


def categories(logarithms: Floats, chance: Chance) -> npt.NDArray[np.int64]:
    """Return for each row of log weights an outcome."""
    weights = np.exp(logarithms - logarithms.max(axis=1, keepdims=True))
    cumulative = np.cumsum(weights, axis=1)
    level = open_uniforms(chance, len(weights))[:, None] * cumulative[:, -1:]
    outcomes: npt.NDArray[np.int64] = (cumulative <= level).sum(axis=1)
    return outcomes


def log_factorials(largest: int) -> Floats:
    """Return ln 0!, ln 1!, ..., up to the largest."""
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, largest + 1)))])
