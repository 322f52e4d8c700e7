"""The worst loss over small tables, the laws found by running the mechanism on every tape.

False alarms: none. The laws are bounds in fractions; what is still open is given wholly to the
other side. Sees every fault of an outcome whose excess is larger than what is left open: down to
markers of a few times `left`. Does not see noise that is made ahead, or not from the source.
"""

import math
from collections import deque
from collections.abc import Callable, Hashable
from fractions import Fraction

from holdfast.foundation.randomness import Tape, TapeEnded, tape
from tests.plain.audit.claim import Audited, Claim, Finding, Table

ALARM = 0.0
MOST_OPEN = Fraction(1, 4)  # with more than this left open, silence says nothing
ENOUGH = Fraction(1, 10**9)
Law = dict[Hashable, Fraction]


def law_within(sampler: Callable[[Tape], Hashable], runs: int, width: int) -> tuple[Law, Fraction]:
    """Return the chances found in so many runs, likeliest tapes first, and what is left open."""
    found: Law = {}
    left = Fraction(1)
    open_tapes: deque[tuple[tuple[int, ...], Fraction]] = deque([((), left)])
    for _ in range(runs):
        if left < ENOUGH or not open_tapes:
            break
        answers, chance = open_tapes.popleft()
        try:
            outcome = sampler(tape(answers, width))
        except TapeEnded as end:
            share = chance / end.bound
            open_tapes.extend(((*answers, answer), share) for answer in range(end.bound))
        else:
            found[outcome] = found.get(outcome, Fraction(0)) + chance
            left -= chance
    return found, left


def law_of(audited: Audited, table: Table, runs: int) -> tuple[Law, Fraction]:
    """Return what is found of the law of one output."""
    return law_within(
        lambda chance: tuple(audited.make()(table, chance, 1)[0].tolist()), runs, audited.width
    )


def worst(claim: Claim, one: Law, other: Law, left: Fraction) -> tuple[bool, float]:
    """Return whether some outcome breaks the claim, and the largest loss proven."""
    broken, largest = False, Fraction(0)
    for outcome, chance in one.items():
        most = other.get(outcome, Fraction(0)) + left
        if chance <= claim.delta:
            continue
        broken = broken or chance > claim.factor * most + claim.delta
        if not most:
            return broken, math.inf
        largest = max(largest, (chance - claim.delta) / most)
    return broken, math.log(largest) if largest else -math.inf


def examine(audited: Audited, runs: int) -> Finding:
    """Return whether some pair of small tables proves a loss above the claim."""
    laws = {table: law_of(audited, table, runs) for table in audited.tables}
    broken, proven = False, 0.0
    for one, other in audited.pairs():
        found = worst(audited.claim, laws[one][0], *laws[other])
        broken, proven = broken or found[0], max(proven, found[1])
    left = max(left for _, left in laws.values())
    reason = f"loss at least {proven:.4f}, open {float(left):.1e}"
    if broken:
        return Finding(True, reason, proven)
    return Finding(None if left > MOST_OPEN else False, reason, proven)
