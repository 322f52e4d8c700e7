"""A search over shares that add up to 1: the same splits each time, a fixed number at most.

First a coarse grid, since a split can be best among its neighbours and yet not best; then from
the best of it steps that move a part of one share to another, ever less.

Checked by. tests/publication/forecast/test_best_split.py
"""

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, pairwise, permutations

import numpy as np
import numpy.typing as npt

from holdfast.noise.calibration import Shares

Floats = npt.NDArray[np.float64]
Goal = Callable[[Shares], float]
PLACES = 1000
LEAST = 10  # no share is below the equal one divided by this
ON_GRID = 80  # splits at most
STARTS, TRIES = 3, 120  # of the steps, and splits tried from each
FIRST, LAST = 0.3, 0.01  # of a share


def search(goal: Goal, levels: int) -> Shares:
    """Return the best split among so many levels that was looked at; 2 to 99 levels."""
    coarse = sorted(grid(levels), key=lambda parts: goal(rounded(parts)))
    equal = np.full(levels, 1 / levels)
    ends = [rounded(_descend(goal, start)) for start in [equal, *coarse[: STARTS - 1]]]
    return min([*ends, rounded(equal)], key=goal)


def grid(levels: int) -> list[Floats]:
    """Return splits evenly over all there are: whole parts of as many as the limit allows."""
    parts = levels
    while math.comb(parts, levels - 1) <= ON_GRID and parts < ON_GRID:
        parts += 1
    return [each / parts for each in _compositions(parts, levels)]


def _compositions(whole: int, parts: int) -> Iterator[Floats]:
    """Yield each way to write a whole number as so many above 0."""
    for cuts in combinations(range(1, whole), parts - 1):
        yield np.array([end - start for start, end in pairwise((0, *cuts, whole))], dtype=float)


def _descend(goal: Goal, parts: Floats) -> Floats:
    """Return parts that no step makes better, or those after so many tries."""
    step, best, tries = FIRST, goal(rounded(parts)), 0
    while step >= LAST and tries < TRIES:
        improved = False
        for gains, gives in permutations(range(parts.size), 2):
            tried = _moved(parts, gains, gives, step)
            value = goal(rounded(tried))
            tries += 1
            if value < best:
                best, parts, improved = value, tried, True
        if not improved:
            step /= 2
    return parts


def _moved(parts: Floats, gains: int, gives: int, share: float) -> Floats:
    """Return the parts after one gave another so much of itself."""
    answer = parts.copy()
    answer[gains] += share * parts[gives]
    answer[gives] -= share * parts[gives]
    return answer


def rounded(parts: Floats) -> Shares:
    """Return parts in thousandths that add up to exactly 1, none below a tenth of an equal one.

    >>> rounded(np.array([0.62345, 0.37645, 0.0001]))
    (Fraction(591, 1000), Fraction(47, 125), Fraction(33, 1000))
    """
    least = max(1, PLACES // (LEAST * parts.size))
    wanted = np.maximum(parts * PLACES, least)
    whole = np.floor(wanted).astype(np.int64)
    while (missing := PLACES - int(whole.sum())) != 0:
        if missing > 0:
            whole[int(np.argmax(wanted - whole))] += 1
        else:  # what the least shares take, the largest ones give
            whole[int(np.argmax(np.where(whole > least, whole, -1)))] -= 1
    return tuple(Fraction(int(part), PLACES) for part in whole)
