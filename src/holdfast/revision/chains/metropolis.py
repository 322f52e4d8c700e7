"""The paper's M_MH in noise space: propose free cells, solve the others, accept or stay.

On a tree the free cells are the leaves and parents are sums of their leaves; any rows of whole
numbers are solved alike. The chain moves in noise, from a start that is independent of data,
and `noise` gives one state of each chain. Floats decide; nothing is proven of how far that
state is from the conditional law.

Claim.      A step leaves the law of the noise given the rows and the limits as it is.
Reason.     docs/theory/chains.md#what-m_mh-leaves-as-it-is
Checked by. tests/revision/test_metropolis.py
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadParameter, Fault
from holdfast.foundation.randomness import Chance
from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.gaussian import Gaussian
from holdfast.noise.uniform import open_uniforms
from holdfast.revision.chains.free_cells import Values
from holdfast.revision.chains.limits import Limits, Reached, reached
from holdfast.revision.chains.noise_space import Floats, NoiseSpace, energies, smallest_scale
from holdfast.revision.chains.proposals import (
    AllCells,
    Moves,
    OneCell,
    Proposal,
    check_proposal,
    moves_of,
)
from holdfast.revision.chains.states import Runs
from holdfast.revision.evidence import NotProven
from holdfast.revision.noisy_system import NoisySystem

Booleans = npt.NDArray[np.bool_]
SWEEPS = 400  # steps for each free cell before a state is kept, where nothing else is asked
STEP = Fraction(3, 2)  # of the smallest scale: about half of single moves are accepted
LEAST_SQUARE = Fraction(1, 4)  # below it a discrete proposal would hardly ever move


class Metropolis:
    """A sampler of noise given rows and limits; each chain gives one state."""

    evidence = NotProven("a Metropolis chain: no bound on its distance after so many steps")

    def __init__(
        self,
        system: NoisySystem,
        proposal: Proposal | None = None,
        warm_up: int | None = None,
        chains: int = 4,
        thin: int = 1,
        limits: Limits | None = None,
    ) -> None:
        space = NoiseSpace(system)
        tried = tuned(space) if proposal is None else proposal
        check_proposal(tried, space.whole)
        self._runs = Runs(SWEEPS * space.free.size if warm_up is None else warm_up, chains, thin)
        within = None if limits is None else reached(limits, space)
        self._steps = (
            _OneCellSteps(space, within, tried)
            if isinstance(tried, OneCell)
            else _AllCellsSteps(space, within, tried)
        )

    def noise(self, chance: Chance, count: int) -> Values:
        """Return so many independent noise vectors: the last states of as many chains."""
        return self._runs.last(self._steps, chance, count)

    def states(self, chance: Chance, count: int) -> Values:
        """Return so many states of each of `chains` chains, `thin` steps apart.

        By (chain, draw, cell). The states of one chain depend on each other.
        """
        return self._runs.states(self._steps, chance, count)


def tuned(space: NoiseSpace) -> OneCell:
    """Return moves of one free cell by 3/2 of the smallest scale."""
    square = (STEP * smallest_scale(space)) ** 2
    return OneCell(DiscreteGaussian(max(square, LEAST_SQUARE)) if space.whole else Gaussian(square))


@dataclass(frozen=True, slots=True)
class _State:
    """The free cells and the noise of each chain, what it costs, and which cells ever moved."""

    free: Values
    noise: Values  # with one more cell, of no law, which pads the paths
    energy: Floats
    moved: Booleans


@dataclass(frozen=True, slots=True, eq=False)
class _Steps:
    """What both kinds of steps share: where chains start, and what is kept of a state."""

    space: NoiseSpace
    limits: Reached | None

    @property
    def cells(self) -> int:
        """Return the number of cells."""
        return self.space.cells

    def start(self, chance: Chance, count: int) -> _State:
        """Return free noise by its laws, or the public start; never data, never no noise."""
        if self.limits is None:
            free = self.space.draw(chance, count)
        else:
            free = np.repeat(self.limits.free, count, axis=0)
        noise = np.pad(self.space.complete(free), ((0, 0), (0, 1)))
        moved = np.zeros(free.shape, dtype=np.bool_)
        return _State(free, noise, self.space.energy(noise[:, :-1]), moved)

    def noise_of(self, state: _State) -> Values:
        """Return the noise, the others solved anew; refuse a cell that is where it started."""
        if self.limits is not None and not state.moved.all():
            found = "a chain with a cell that never moved from the public start"
            remedy = "Take shorter steps, or more of them."
            raise BadParameter(Fault("proposal", "moves that are accepted", found, remedy))
        return self.space.complete(state.free)

    def accepted(self, chance: Chance, rise: Floats) -> Booleans:
        """Return for each chain whether it moves, given what the move costs more."""
        answer: Booleans = np.log(open_uniforms(chance, rise.size)) < -rise
        return answer


@dataclass(frozen=True, slots=True, eq=False)
class _AllCellsSteps(_Steps):
    """All free cells of each chain are proposed at once."""

    proposal: AllCells | Moves

    def step(self, state: _State, chance: Chance) -> _State:
        """Return the next states."""
        moves = moves_of(self.proposal, chance, state.free)
        free = state.free + moves
        noise = np.pad(self.space.complete(free), ((0, 0), (0, 1)))
        energy = self.space.energy(noise[:, :-1])
        goes = self.accepted(chance, energy - state.energy)
        if self.limits is not None:
            goes &= self.limits.hold(noise[:, :-1])
        one = goes[:, None]
        return _State(
            np.where(one, free, state.free),
            np.where(one, noise, state.noise),
            np.where(goes, energy, state.energy),
            state.moved | (one & (moves != 0)),
        )


@dataclass(frozen=True, slots=True, eq=False)
class _OneCellSteps(_Steps):
    """One free cell of each chain is proposed; only the cells that move with it are touched."""

    proposal: OneCell

    def step(self, state: _State, chance: Chance) -> _State:
        """Return the same states, moved in place."""
        chains = np.arange(len(state.moved))
        uniforms = open_uniforms(chance, chains.size)
        which = (uniforms * self.space.free.size).astype(np.int64)
        moves = self.proposal.law.draw(chance, chains.size)
        path, columns = self.space.columns.cells[which], self.space.columns
        old = state.noise[chains[:, None], path]
        new = old + columns.speeds[which] * moves[:, None]
        rates = self.space.rates[path]
        rise = (energies(new, rates) - energies(old, rates)).sum(axis=1)
        goes = self.accepted(chance, rise)
        if self.limits is not None:
            tried = state.noise.copy()
            tried[chains[:, None], path] = new
            goes &= self.limits.hold(tried[:, :-1])
        state.noise[chains[:, None], path] = np.where(goes[:, None], new, old)
        state.free[chains, which] += moves * goes
        state.moved[chains, which] |= goes & (moves != 0)
        return state
