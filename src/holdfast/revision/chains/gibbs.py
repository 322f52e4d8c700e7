"""Continuous Laplace noise on any sparse equalities, by scale mixtures: research mode.

A Laplace variable is a normal one whose variance is itself drawn. A sweep draws all cells given
their variances, which is a projection, and all variances given the cells, which no equality
touches. Floats; nothing is proven of how far the last state is from the conditional law.

Claim.      A sweep leaves the conditional law of the noise given the rows as it is.
Reason.     docs/theory/chains.md#gibbs-by-scale-mixtures
Checked by. tests/revision/test_gibbs.py
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadParameter, Fault
from holdfast.foundation.randomness import Chance
from holdfast.noise.laplace import Laplace
from holdfast.noise.uniform import open_uniforms
from holdfast.revision.chains.states import Runs
from holdfast.revision.evidence import NotProven
from holdfast.revision.noisy_system import NoisySystem
from holdfast.solvers.gram import Gram

Floats = npt.NDArray[np.float64]
WARM_UP = 64  # sweeps; a size forgets its past in about two (docs/theory/chains.md)


class Gibbs:
    """A sampler of continuous Laplace noise given rows; each chain gives one state."""

    evidence = NotProven("a Gibbs chain in floats: no bound on its distance after so many sweeps")

    def __init__(
        self, system: NoisySystem, warm_up: int = WARM_UP, chains: int = 4, thin: int = 1
    ) -> None:
        self._runs = Runs(warm_up, chains, thin)
        self._sweep = _Sweep(_scales(system), Gram(system.rows, len(system.laws)))

    def noise(self, chance: Chance, count: int) -> Floats:
        """Return so many independent noise vectors: the last states of as many chains."""
        return self._runs.last(self._sweep, chance, count)

    def states(self, chance: Chance, count: int) -> Floats:
        """Return so many states of each of `chains` chains, `thin` sweeps apart.

        By (chain, draw, cell). The states of one chain depend on each other.
        """
        return self._runs.states(self._sweep, chance, count)


@dataclass(frozen=True, slots=True)
class _State:
    """The variances in units of squared scales, the normal draws for them, and the noise."""

    variances: Floats
    noise: Floats
    spare: Floats  # normal draws that the last step made and did not use


@dataclass(frozen=True, slots=True, eq=False)
class _Sweep:
    """One sweep of each chain."""

    scales: Floats
    gram: Gram

    @property
    def cells(self) -> int:
        """Return the number of cells."""
        return self.scales.size

    def start(self, chance: Chance, count: int) -> _State:
        """Return states drawn without the rows, projected onto them: no data, no zeros."""
        uniforms = open_uniforms(chance, count * self.cells).reshape(count, self.cells)
        return self._projected(-2 * np.log(uniforms), chance)

    def step(self, state: _State, chance: Chance) -> _State:
        """Return the states after one sweep."""
        sizes = np.abs(state.noise) / self.scales
        return self._projected(_variances(sizes, state.spare, chance), chance)

    def noise_of(self, state: _State) -> Floats:
        """Return the noise vectors."""
        return state.noise

    def _projected(self, variances: Floats, chance: Chance) -> _State:
        """Return the cells given their variances and the rows."""
        normal, spare = _normals(chance, variances.shape)
        drawn = self.scales * np.sqrt(variances) * normal
        return _State(variances, self.gram.projection(variances * self.scales**2, drawn), spare)


def _variances(sizes: Floats, normal: Floats, chance: Chance) -> Floats:
    """Return draws of density t**(-1/2) e**(-(t + size**2 / t) / 2), up to a constant.

    1/t is inverse Gaussian with mean 1/size and shape 1. Michael, Schucany and Haas 1976: a
    squared normal is (t - size)**2 / t for two t, whose product is size**2. The larger one is
    computed, by a sum without cancellation, so that sizes near 0, and 0, do no harm.
    """
    square = normal**2
    larger = sizes + square / 2 + np.sqrt(square * (sizes + square / 4))
    uniforms = open_uniforms(chance, sizes.size).reshape(sizes.shape)
    takes_larger = uniforms * (larger + sizes) <= larger
    drawn: Floats = np.where(takes_larger, larger, sizes * (sizes / larger))
    return drawn


def _normals(chance: Chance, shape: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Return two arrays of standard normal draws, by Box and Muller's method."""
    uniforms = open_uniforms(chance, 2 * math.prod(shape)).reshape(2, *shape)
    radius, angle = np.sqrt(-2 * np.log(uniforms[0])), 2 * math.pi * uniforms[1]
    return radius * np.cos(angle), radius * np.sin(angle)


def _scales(system: NoisySystem) -> Floats:
    """Return the scale of each cell; refuse any law but Laplace."""
    others = {type(law).__name__ for law in system.laws if not isinstance(law, Laplace)}
    if others:
        found = " and ".join(sorted(others))
        raise BadParameter(Fault("laws", "Laplace on every cell", found, "Use 'metropolis'."))
    return np.array([float(law.scale) for law in system.laws if isinstance(law, Laplace)])
