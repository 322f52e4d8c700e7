"""Bounds on a chance from how often it came, wider than Clopper and Pearson's.

Chernoff: so many successes or more, or fewer, of chance p have chance at most e**(-n KL(k/n, p)).
The bound on p is where that equals the alarm rate; it is the binomial tail's own where k is 0 or n.
"""

import math
from collections.abc import Callable

STEPS = 200
SAFE = 1e-9  # relative: what floats round away is less by six digits


def divergence(seen: float, chance: float) -> float:
    """Return KL(seen, chance) of two coins; never less than 0."""
    if not 0 < chance < 1:
        return 0.0 if seen == chance else math.inf
    left = seen * math.log(seen / chance) if seen else 0.0
    right = (1 - seen) * math.log((1 - seen) / (1 - chance)) if seen < 1 else 0.0
    return max(left + right, 0.0)


def _edge(inside: float, outside: float, within: Callable[[float], bool]) -> float:
    """Return a point past the place where `within` ends, halving between two ends."""
    for _ in range(STEPS):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if within(middle) else (inside, middle)
    return outside


def chance_below(seen: int, trials: int, alarm: float) -> float:
    """Return a number that is above the true chance with chance at most `alarm`."""
    share, limit = seen / trials, -math.log(alarm) / trials
    found = _edge(share, 0.0, lambda p: divergence(share, p) <= limit)
    return found * (1 - SAFE)


def chance_above(seen: int, trials: int, alarm: float) -> float:
    """Return a number that is below the true chance with chance at most `alarm`."""
    share, limit = seen / trials, -math.log(alarm) / trials
    found = _edge(share, 1.0, lambda p: divergence(share, p) <= limit)
    return min(1.0, found * (1 + SAFE))


def least_seen(chance: float, trials: int, miss: float) -> int:
    """Return a count below which successes fall with chance at most `miss`."""
    limit = -math.log(miss) / trials
    share = _edge(chance, 0.0, lambda p: divergence(p, chance) <= limit)
    return math.floor(share * trials)


def most_seen(chance: float, trials: int, miss: float) -> int:
    """Return a count above which successes rise with chance at most `miss`."""
    limit = -math.log(miss) / trials
    share = _edge(chance, 1.0, lambda p: divergence(p, chance) <= limit)
    return math.ceil(share * trials)
