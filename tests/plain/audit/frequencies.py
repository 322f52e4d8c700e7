"""How often events come on two neighbouring tables: a lower bound on the loss, from draws alone.

Some draws choose the events, others judge them, so the choice costs nothing. False alarms: at
most `ALARM` a run, shared over the events and their two bounds. The smallest visible fault is
`draws_to_see`. Sees whatever shows in one output, a pair of outputs or their difference; rarer
than a few dozen times in all draws, nothing.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.foundation.randomness import Chance
from tests.plain.audit.claim import Audited, Claim, Draws, Finding, Outputs, Table
from tests.plain.audit.interval import chance_above, chance_below, least_seen, most_seen

ALARM = 5e-10
MISS = 1e-3
EVENTS = 8
EACH = ALARM / (2 * EVENTS)
BLOCK = 1 << 20
FAR, NEAR = 4096, 16  # labels beyond are put together
FEWEST = 300
Counts = npt.NDArray[np.int64]
Histograms = dict[str, Counts]


@dataclass(frozen=True, slots=True)
class Event:
    """Labels of a feature, and on which two tables they are counted."""

    one: Table
    other: Table
    feature: str
    labels: npt.NDArray[Any]


def finer(values: Outputs) -> npt.NDArray[np.bool_]:
    """Return which values no float sum with 1 can be: within (-1, 1), finer than 2**-53."""
    scaled = values * 2.0**53
    fine: npt.NDArray[np.bool_] = (np.abs(values) < 1) & (scaled != np.rint(scaled))
    return fine


def labels(outputs: Outputs) -> Iterator[tuple[str, Counts, int]]:
    """Yield features of the outputs: a name, a label a row, and how many labels there are."""
    if outputs.dtype.kind == "f":
        for i in range(outputs.shape[1]):
            yield f"finer {i}", finer(outputs[:, i]).astype(np.int64), 2
        outputs = np.floor(outputs).astype(np.int64)
    near = np.clip(outputs, -NEAR, NEAR) + NEAR
    for i in range(outputs.shape[1]):
        yield f"{i}", np.clip(outputs[:, i], -FAR, FAR) + FAR, 2 * FAR + 1
        for j in range(i):
            apart = outputs[:, i] - outputs[:, j]
            yield f"{i}-{j}", np.clip(apart, -FAR, FAR) + FAR, 2 * FAR + 1
            yield f"{i},{j}", near[:, i] * (2 * NEAR + 1) + near[:, j], (2 * NEAR + 1) ** 2


def histograms(draw: Draws, table: Table, chance: Chance, count: int) -> Histograms:
    """Return how often each label of each feature comes."""
    seen: Histograms = {}
    for start in range(0, count, BLOCK):
        for name, found, many in labels(draw(table, chance, min(BLOCK, count - start))):
            counts = np.bincount(found, minlength=many)
            seen[name] = seen[name] + counts if name in seen else counts
    return seen


def excess(one: Counts, other: Counts, factor: float) -> npt.NDArray[np.float64]:
    """Return how unlikely counts are if the first chance is at most `factor` times the second.

    The likelihood ratio of two Poisson counts: good to choose by, never to judge by.
    """
    both = np.maximum(one + other, 1)
    share = factor / (1 + factor)
    with np.errstate(divide="ignore", invalid="ignore"):
        left = np.where(one > 0, one * np.log(one / (share * both)), 0.0)
        right = np.where(other > 0, other * np.log(other / ((1 - share) * both)), 0.0)
    over: npt.NDArray[np.float64] = np.where(one > share * both, left + right, -1.0)
    return over


def candidates(one: Counts, other: Counts, factor: float) -> Iterator[tuple[float, Any]]:
    """Yield the best single label, and the best set of labels in order of their ratio."""
    singles = excess(one, other, factor)
    yield float(singles.max()), np.array([int(singles.argmax())])
    there = np.flatnonzero(one)
    order = there[np.argsort(-one[there] / (other[there] + 0.5), kind="stable")]
    sets = excess(np.cumsum(one[order]), np.cumsum(other[order]), factor)
    best = int(sets.argmax())
    yield float(sets[best]), order[: best + 1]


def chosen(audited: Audited, seen: dict[Table, Histograms]) -> list[Event]:
    """Return the events that stand out most, at most `EVENTS`."""
    factor = float(audited.claim.factor)
    scored = [
        (score, Event(one, other, feature, some))
        for one, other in audited.pairs()
        for feature in seen[one]
        for score, some in candidates(seen[one][feature], seen[other][feature], factor)
    ]
    return [event for _, event in sorted(scored, key=lambda pair: -pair[0])[:EVENTS]]


def proves(claim: Claim, one: int, other: int, trials: int) -> tuple[bool, float]:
    """Return whether counts on two tables break the claim, and the loss that they prove."""
    least = chance_below(one, trials, EACH) - float(claim.delta)
    most = chance_above(other, trials, EACH)
    proven = math.log(least / most) if least > 0 else -math.inf
    return least > float(claim.factor) * (1 + 1e-12) * most, proven


def examine(audited: Audited, chance: Chance, draws: int) -> Finding:
    """Return whether draws prove a loss above the claim; so many judge, a third as many choose."""
    trials = max(FEWEST, draws // audited.slow)
    draw = audited.make()
    first = {table: histograms(draw, table, chance, trials // 3) for table in audited.tables}
    events = chosen(audited, first)
    second = {table: histograms(draw, table, chance, trials) for table in audited.tables}
    broken, proven = False, 0.0
    for event in events:
        one = int(second[event.one][event.feature][event.labels].sum())
        other = int(second[event.other][event.feature][event.labels].sum())
        found = proves(audited.claim, one, other, trials)
        broken, proven = broken or found[0], max(proven, found[1])
    return Finding(broken, f"loss at least {proven:.4f} by {trials} draws", proven)


def draws_to_see(one: float, other: float, claim: Claim, miss: float = MISS) -> int:
    """Return how many draws see an event of these chances, but for a chance `miss`."""
    few, many = 0, 1
    while not _sees(one, other, claim, many, miss):
        few, many = many, 2 * many
    while many - few > many // 1000 + 1:
        middle = (few + many) // 2
        few, many = (few, middle) if _sees(one, other, claim, middle, miss) else (middle, many)
    return many


def _sees(one: float, other: float, claim: Claim, trials: int, miss: float) -> bool:
    least = least_seen(one, trials, miss / 2)
    return proves(claim, least, most_seen(other, trials, miss / 2), trials)[0]
