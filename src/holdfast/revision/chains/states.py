"""Markov chains of noise, many side by side; a release takes one state of one chain.

A chain never sees data: it starts from noise drawn for it and moves in noise. What is returned
is a state or the states, never their mean, which tends to no noise at all.

Reason.     docs/theory/chains.md#one-state-of-one-chain
Checked by. tests/revision/test_gibbs.py, tests/revision/test_metropolis.py
"""

from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from holdfast.foundation.exact import whole
from holdfast.foundation.randomness import Chance, check_chance, checked_count

State = TypeVar("State")
CELLS = 1 << 20  # numbers that are moved at a time when many chains run side by side


class Kernel(Protocol[State]):
    """Chains side by side: a start that is independent of all data, and one step of each."""

    @property
    def cells(self) -> int:
        """Return the number of cells of a noise vector."""

    def start(self, chance: Chance, count: int) -> State:
        """Return the first states of so many chains."""

    def step(self, state: State, chance: Chance) -> State:
        """Return the next states."""

    def noise_of(self, state: State) -> npt.NDArray[Any]:
        """Return the noise vectors of the states, one a row."""


@dataclass(frozen=True, slots=True)
class Runs:
    """How long chains run before a state is kept, how many, and at which distance."""

    warm_up: int
    chains: int
    thin: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "warm_up", whole(self.warm_up, "warm-up", least=1))
        object.__setattr__(self, "chains", whole(self.chains, "chains", least=1))
        object.__setattr__(self, "thin", whole(self.thin, "thin", least=1))

    def last(self, kernel: Kernel[State], chance: Chance, count: int) -> npt.NDArray[Any]:
        """Return the last states of so many chains, each independent of the others."""
        left = checked_count(chance, count)
        most = max(1, CELLS // kernel.cells)
        parts: list[npt.NDArray[Any]] = []
        while left or not parts:
            state = self._warm(kernel, chance, min(left, most))
            parts.append(kernel.noise_of(state))
            left -= min(left, most)
        return np.concatenate(parts)

    def states(self, kernel: Kernel[State], chance: Chance, count: int) -> npt.NDArray[Any]:
        """Return so many states of each chain, by (chain, draw, cell): for diagnosis alone."""
        check_chance(chance)
        kept: list[npt.NDArray[Any]] = []
        draws = whole(count, "count", least=1)
        state = self._warm(kernel, chance, self.chains)
        for _ in range(draws):
            kept.append(kernel.noise_of(state))
            for _ in range(self.thin):
                state = kernel.step(state, chance)
        return np.stack(kept, axis=1)

    def _warm(self, kernel: Kernel[State], chance: Chance, count: int) -> State:
        """Return the states of so many chains after the warm-up."""
        state = kernel.start(chance, count)
        for _ in range(self.warm_up):
            state = kernel.step(state, chance)
        return state
