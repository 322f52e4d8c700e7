"""Chains as they run where nothing is asked, and what they refuse to release or to take."""

import numpy as np
import pytest

from holdfast.foundation.errors import BadParameter
from holdfast.foundation.randomness import seeded
from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.revision.chains import metropolis
from holdfast.revision.chains.gibbs import Gibbs
from holdfast.revision.chains.limits import Limits
from holdfast.revision.chains.metropolis import Metropolis
from holdfast.revision.chains.proposals import OneCell
from holdfast.revision.noisy_system import system_of
from holdfast.worlds.exact_rows import Row
from tests.plain import conditional
from tests.plain import gamma_statistic as gamma
from tests.plain.statistics import smallest_visible_fault
from tests.revision.test_metropolis import WHOLE, is_right

FEWER, DRAWS = 4_000, 8_000
FIRST_LEAF = ((1, 1),)
ALMOST_STILL = OneCell(DiscreteGaussian.with_scale("0.1"))  # nearly every move is one of 0


def no_move(chance, chains, cells):
    return np.zeros((chains, cells), dtype=np.int64)


def limited(proposal, steps=60) -> Metropolis:
    noisy, _ = WHOLE["group"]
    limits = Limits((Row(FIRST_LEAF, 0),), (2, 1, 1))
    return Metropolis(system_of(noisy), proposal, steps, limits=limits)


@pytest.mark.parametrize("proposal", [no_move, ALMOST_STILL])
def test_a_move_by_nothing_is_no_move(proposal):
    """It is always accepted. If it counted, the table plus the public start would be released."""
    with pytest.raises(BadParameter, match="never moved"):
        limited(proposal).noise(seeded(1), 5)


def test_moves_by_something_are_released():
    assert limited(None, 400).noise(seeded(1), 5).shape == (5, 3)


def whole_chain_is_right(sampler) -> bool:
    noisy, reach = WHOLE["tree"]
    law, rest = conditional.conditional_law(noisy, reach)
    return not conditional.strays(sampler.noise(seeded(6), FEWER), law, rest)


def test_chains_run_long_enough_by_themselves():
    """4,000 last states: a fault of 0.09 is seen; false alarm 1e-9 (DKW).

    If it failed, whoever asks for nothing would get noise that remembers its start.
    """
    assert conditional.smallest_visible_fault(FEWER) < 0.09
    assert whole_chain_is_right(Metropolis(system_of(WHOLE["tree"][0])))


def test_the_test_of_steps_barks(monkeypatch):
    """One step for each free cell."""
    monkeypatch.setattr(metropolis, "SWEEPS", 1)
    assert not whole_chain_is_right(Metropolis(system_of(WHOLE["tree"][0])))


def test_sweeps_are_enough_by_themselves():
    """8,000 last states: a fault of 0.059 is seen, false alarm 1e-9 (DKW); one sweep is none."""
    assert smallest_visible_fault(DRAWS) < 0.059
    system = gamma.STRUCTURES["table"]
    assert is_right(Gibbs(system).noise(seeded(1), DRAWS), system)
    assert not is_right(Gibbs(system, 1).noise(seeded(1), DRAWS), system)


@pytest.mark.parametrize("right", [-(2**53) - 1, -(2**54)])
def test_right_sides_that_floats_do_not_hold_are_refused(right):
    system = system_of(WHOLE["group"][0])
    with pytest.raises(BadParameter, match=r"right sides up to 2\*\*53"):
        Metropolis(system, limits=Limits((Row(FIRST_LEAF, right),), (2, 1, 1)))
    Metropolis(system, limits=Limits((Row(FIRST_LEAF, -(2**53)),), (2, 1, 1)))
