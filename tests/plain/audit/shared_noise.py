"""Whether two outputs share their noise.

Differences of two runs leave only noise. Those of two outputs are laid side by side, once from
the same runs and once from others; under independence both have one law. False alarms: at most
`ALARM` a run (Hoeffding). Sees that two outputs agree, are opposite or lie on the same side more
often, or less, than by chance, by `smallest_visible_fault`. Does not judge revised noise, which
hangs together by right.
"""

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from holdfast.foundation.randomness import Chance
from tests.plain.audit.claim import Audited, Finding, Outputs

ALARM = 2e-10
MISS = 1e-3
LOOKS = 3
Hits = npt.NDArray[np.bool_]


def looks(one: Outputs, other: Outputs) -> Iterator[tuple[str, Hits]]:
    """Yield what is looked for in two columns of differences."""
    yield "equal", one == other
    yield "opposite", one == -other
    yield "on one side", (one > 0) & (other > 0)


def limit(runs: int, pairs: int, alarm: float = ALARM) -> float:
    """Return how far two shares of so many looks each may lie apart."""
    return math.sqrt(math.log(2 * LOOKS * pairs / alarm) / runs)


def smallest_visible_fault(
    runs: int, pairs: int, alarm: float = ALARM, miss: float = MISS
) -> float:
    """Return the difference of chances that is missed with chance `miss`."""
    return limit(runs, pairs, alarm) + math.sqrt(math.log(1 / miss) / runs)


def examine(audited: Audited, chance: Chance, runs: int) -> Finding:
    """Return whether two outputs hang together; four draws a look."""
    if not audited.independent:
        return Finding(None, "noise that hangs together by right")
    outputs = audited.make()(audited.tables[0], chance, 4 * runs)
    if outputs.shape[1] < 2:
        return Finding(None, "one output")
    apart = outputs[1::2] - outputs[::2]
    pairs = [(i, j) for i in range(apart.shape[1]) for j in range(i)]
    far, most = limit(runs, len(pairs)), 0.0
    for i, j in pairs:
        same, other = apart[:runs], apart[runs:]
        together = looks(same[:, i], same[:, j])
        shifted = looks(other[:, i], np.roll(other[:, j], 1))
        for (_, here), (_, there) in zip(together, shifted, strict=True):
            most = max(most, abs(float(here.mean()) - float(there.mean())))
    return Finding(most > far, f"shares differ by {most:.3f}, limit {far:.3f}")
