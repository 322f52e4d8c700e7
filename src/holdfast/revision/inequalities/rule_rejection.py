"""Noise given any inequalities that the table obeys, by trial: research mode.

The number of tries is fixed before any table is seen, from the least chance that a try is
accepted; all tries are made, and the first accepted one is taken.

Claim.      Whatever the table, a try is accepted with at least the chance that the noise alone
            obeys the rules with 0 on the right.
Reason.     docs/theory/inequalities.md#other-inequalities
Checked by. tests/revision/test_rule_rejection.py
"""

import math
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadChance, BadParameter, Fault
from holdfast.foundation.randomness import Chance, checked_count, seeded
from holdfast.revision.evidence import NotProven, Sampler

Array = npt.NDArray[Any]
Holds = Callable[[Array], bool]
CELLS = 1 << 20  # numbers kept at a time
SAMPLE = 4_000  # draws that estimate the least acceptance
LEAST = 0.025  # acceptance; an estimate of so much is four times too high with chance 10**-27
SEED = 0


class RuleRejection:
    """Draws noise for one table at a time from a sampler of the equalities.

    `hold` says whether a table obeys the inequalities, `free_hold` whether noise obeys them with
    0 on the right.
    """

    def __init__(self, sampler: Sampler, hold: Holds, free_hold: Holds) -> None:
        self._sampler = sampler
        self._hold = hold
        chance = seeded(SEED)
        tried = (noise for block in self._blocks(chance, SAMPLE) for noise in block)
        self.acceptance = sum(map(free_hold, tried)) / SAMPLE
        self.tries = _tries(self.acceptance)

    @property
    def evidence(self) -> NotProven:
        """Return that the least acceptance is an estimate."""
        return NotProven(
            f"trial: at least about {self.acceptance:.3g} of the tries is accepted, an estimate"
        )

    def noise_for(self, table: Array, chance: Chance, count: int) -> Array:
        """Return so many noise vectors with which the table obeys the rules."""
        many = checked_count(chance, count)
        answer = [self._one(table, chance) for _ in range(many)]
        return np.stack(answer) if answer else self._sampler.noise(chance, 0)

    def _one(self, table: Array, chance: Chance) -> Array:
        """Return the first noise vector that is accepted; every try is made."""
        found: Array | None = None
        for block in self._blocks(chance, self.tries):
            for noise in block:
                kept = self._hold(table + noise)
                found = noise.copy() if kept and found is None else found
        if found is None:
            raise _none_accepted(self.tries)
        return found

    def _blocks(self, chance: Chance, count: int) -> Iterator[Array]:
        """Yield so many noise vectors, a few at a time."""
        while count:
            block = self._sampler.noise(chance, min(count, self._step))
            count -= len(block)
            yield block

    @cached_property
    def _step(self) -> int:
        """Return how many vectors are kept at a time."""
        return max(1, CELLS // self._sampler.noise(seeded(SEED), 1).size)


def _tries(accepted: float) -> int:
    """Return how many tries leave none accepted with chance 2**-64.

    The true acceptance is above a quarter of the estimate, but for a chance of 10**-27: where
    m/4 accepted tries are the mean, m or more come with chance at most (e**3 / 4**4)**(m/4)
    (Chernoff), and m is at least SAMPLE * LEAST = 100.
    """
    if accepted < LEAST:
        raise BadParameter(
            Fault(
                "revise on inequalities",
                f"rules that noise obeys by itself at least once in {1 / LEAST:.0f} draws",
                "rules that it obeys less often",
                "Revise on the equalities and update onto the inequalities.",
            )
        )
    return math.ceil(64 * math.log(2) / -math.log1p(-accepted / 4))


def _none_accepted(tries: int) -> BadChance:
    return BadChance(
        Fault("revise", "a try that obeys the rules", f"none in {tries}", "Draw again.")
    )
