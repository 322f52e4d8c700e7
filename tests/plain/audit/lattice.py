"""Whether whole numbers come out; if not, whether their fineness tells neighbours apart.

False alarms: none by the first question; at most `ALARM` a run by the second, which alone speaks
of privacy: floats in (-1, 1) finer than 2**-53 are no sum of 1 and anything. Sees a single output
that is not whole, and for the second a share of fine outputs of about 60 in so many draws.
"""

import math

import numpy as np

from holdfast.foundation.randomness import Chance
from tests.plain.audit.claim import Audited, Finding, Table
from tests.plain.audit.frequencies import finer
from tests.plain.audit.interval import chance_above, chance_below

ALARM = 1e-10
FEWEST = 100


def examine(audited: Audited, chance: Chance, draws: int) -> Finding:
    """Return whether outputs lie off the whole numbers, and what loss their fineness proves."""
    draw, count = audited.make(), max(FEWEST, draws // audited.slow)
    fine: dict[Table, int] = {}
    for table in audited.tables:
        outputs = draw(table, chance, count)
        if outputs.dtype.kind not in "iu" and (outputs != np.rint(outputs)).any():
            fine[table] = int(finer(outputs).any(axis=1).sum())
    if not fine:
        return Finding(False, f"{count} outputs a table, all whole")
    pairs = [pair for pair in audited.pairs() if fine.keys() >= set(pair)]
    proven, each = 0.0, ALARM / (2 * max(1, len(pairs)))
    for one, other in pairs:
        least = chance_below(fine[one], count, each)
        if least > 0:
            proven = max(proven, math.log(least / chance_above(fine[other], count, each)))
    return Finding(True, f"outputs are not whole; fineness loses at least {proven:.3f}", proven)
