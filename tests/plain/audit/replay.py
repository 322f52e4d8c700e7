"""The same chance on both neighbours, with every call to the noise recorded.

The calls must be the same, in number and in law; each output must have noise of its own; output
less noise is the true value, which must not depend on chance; and the distance of the true
values, each weighed by its noise's rate, must be within epsilon, in fractions.

False alarms: none, for a mechanism that adds noise without looking at the table. Sees any excess
of distance over scale, however small. The laws themselves it takes on trust, and it sees nothing
that happens on a seed it does not try.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any
from unittest import mock

import numpy as np

from holdfast.foundation.randomness import seeded
from holdfast.mechanism.revised import Revised
from holdfast.mechanism.updated import Updated
from holdfast.noise.discrete_laplace import DiscreteLaplace
from tests.plain.audit.claim import Audited, Claim, Finding, Table

ALARM = 0.0
Rates = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """What one run put out, with the noise it asked for: each call's rates, and its numbers."""

    output: tuple[Fraction, ...]
    calls: tuple[Rates, ...]
    noise: tuple[int, ...]

    @property
    def rates(self) -> Rates:
        """Return the rate of each number drawn."""
        return tuple(rate for call in self.calls for rate in call)

    @property
    def covered(self) -> bool:
        """Return whether there is one number of noise for each output."""
        return len(self.noise) == len(self.output)

    @property
    def truth(self) -> tuple[Fraction, ...]:
        """Return output less noise."""
        return tuple(value - noise for value, noise in zip(self.output, self.noise, strict=True))


def rate(law: Any) -> Fraction:
    """Return what a distance of 1 costs, rounded up."""
    above: Fraction = law.rate.above
    return above


class Recorder:
    """The outermost calls to noise, in order."""

    def __init__(self) -> None:
        self.calls: list[Rates] = []
        self.noise: list[int] = []
        self.deep = 0

    def call(self, rates: Rates, work: Any) -> Any:
        """Return what the call returns; calls within it are its own affair."""
        self.deep += 1
        try:
            drawn = work()
        finally:
            self.deep -= 1
        if not self.deep:
            self.calls.append(rates * (np.size(drawn) // len(rates)))
            self.noise += np.ravel(drawn).tolist()
        return drawn


@contextmanager
def recording() -> Iterator[Recorder]:
    """Record draws of discrete Laplace noise and of revised noise; leave updates out."""
    recorder = Recorder()
    draw, noise = DiscreteLaplace.draw, Revised._noise

    def recorded_draw(law: Any, *given: Any, **named: Any) -> Any:
        return recorder.call((rate(law),), lambda: draw(law, *given, **named))

    def recorded_noise(revised: Any, *given: Any) -> Any:
        tree = revised.mechanism.tree
        rates = tuple(rate(revised.mechanism.laws[level]) for level in tree.levels.tolist())
        return recorder.call(rates, lambda: noise(revised, *given))

    with (
        mock.patch.object(DiscreteLaplace, "draw", recorded_draw),
        mock.patch.object(Revised, "_noise", recorded_noise),
        mock.patch.object(Updated, "_moved", lambda updated, vector: vector),
    ):
        yield recorder


def run(audited: Audited, table: Table, seed: int) -> Run:
    """Return one run of a fresh mechanism."""
    with recording() as recorder:
        output = audited.make()(table, seeded(seed), 1)[0].tolist()
    # copied: a mechanism may write into what it has drawn
    return Run(tuple(map(Fraction, output)), tuple(recorder.calls), tuple(recorder.noise))


def fault(claim: Claim, one: Run, other: Run, steady: Run) -> str | None:
    """Return what is wrong with two runs on neighbours; `steady` is the first on another seed."""
    if one.calls != other.calls:
        return "calls differ between neighbours"
    if len(one.noise) < len(one.output):
        return "fewer numbers of noise than outputs"
    if not (one.covered and steady.covered):
        return None
    if one.truth != steady.truth:
        return "an output is not a true value plus its noise"
    far = [abs(a - b) for a, b in zip(one.truth, other.truth, strict=True)]
    cost = sum((each * rate for each, rate in zip(far, one.rates, strict=True)), Fraction(0))
    return f"distance costs {float(cost):.4f}" if cost > claim.epsilon else None


def examine(audited: Audited, replays: int, first: int = 0) -> Finding:
    """Return what is wrong on the first seed that shows something."""
    judged = True
    steady = {table: run(audited, table, first) for table in audited.tables}
    for seed in range(first, first + replays):
        runs = {table: run(audited, table, seed) for table in audited.tables}
        judged = judged and all(each.covered for each in runs.values())
        for one, other in audited.pairs():
            wrong = fault(audited.claim, runs[one], runs[other], steady[one])
            if wrong is not None:
                return Finding(True, f"{wrong}, seed {seed}")
    return Finding(False if judged else None, f"{replays} seeds replayed")
