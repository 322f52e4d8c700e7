"""Time several candidates in turn, round after round, so that a busy machine slows them alike."""

import statistics
import time
from collections.abc import Callable, Mapping

Work = Callable[[], object]


def seconds(work: Work) -> float:
    """Return how long one call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def medians(candidates: Mapping[str, Work], rounds: int = 7) -> dict[str, float]:
    """Return each candidate's median time over interleaved rounds, after one round unmeasured."""
    for work in candidates.values():
        work()
    times: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(rounds):
        for name, work in candidates.items():
            times[name].append(seconds(work))
    return {name: statistics.median(found) for name, found in times.items()}
