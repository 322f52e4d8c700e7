"""Convolutions and splits by the definition, in fractions."""

from collections.abc import Iterable, Mapping
from fractions import Fraction

import numpy as np

Weights = Mapping[int, Fraction]


def exact(weights: np.ndarray) -> dict[int, Fraction]:
    """Return an array for -r, ..., r as a mapping, each float at its exact value."""
    radius = weights.size // 2
    return {k - radius: Fraction(w) for k, w in enumerate(weights.tolist())}


def convolve(one: Weights, other: Weights, sums: Iterable[int]) -> dict[int, Fraction]:
    return {
        s: sum((a * other.get(s - x, Fraction(0)) for x, a in one.items()), Fraction(0))
        for s in sums
    }


def left_part(one: Weights, other: Weights, total: int) -> dict[int, Fraction]:
    """Return the chance of each left part of a total."""
    weights = {x: a * other.get(total - x, Fraction(0)) for x, a in one.items()}
    whole = sum(weights.values())
    return {x: w / whole for x, w in weights.items()}
