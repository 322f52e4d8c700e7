"""How a Metropolis chain tries to move its free cells: by noise as likely as its negative.

Every law of the house is symmetric, so a proposal by a law is symmetric by construction. That
a function of the caller's own gives moves as likely as their negatives is the caller's promise.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadParameter, Fault, shown
from holdfast.foundation.randomness import Chance
from holdfast.noise.law import Law, is_discrete, is_law

Moves = Callable[[Chance, int, int], npt.NDArray[Any]]


@dataclass(frozen=True, slots=True)
class OneCell:
    """One free cell, each equally likely, moves by a draw of a law."""

    law: Law


@dataclass(frozen=True, slots=True)
class AllCells:
    """All free cells move, each by its own draw of a law."""

    law: Law


Proposal = OneCell | AllCells | Moves  # moves(chance, chains, free cells): one chain a row


def check_proposal(proposal: object, whole: bool) -> None:
    """Refuse what is no proposal, and a law whose draws are not numbers of the noise's kind."""
    if isinstance(proposal, OneCell | AllCells):
        if not is_law(proposal.law):
            asked, found = "a law of noise", shown(proposal.law)
            raise BadParameter(Fault("proposal", asked, found, "Use e.g. hf.Gaussian."))
        if is_discrete(proposal.law) != whole:
            kinds = ("continuous", "discrete")
            asked, found = f"a {kinds[whole]} law, as the noise has", f"a {kinds[not whole]} one"
            raise BadParameter(Fault("proposal", asked, found, "Match the noise."))
    elif not callable(proposal):
        asked = "OneCell(law), AllCells(law), or a function giving symmetric moves"
        raise BadParameter(Fault("proposal", asked, shown(proposal), "Give one of these."))


def moves_of(
    proposal: AllCells | Moves, chance: Chance, free: npt.NDArray[Any]
) -> npt.NDArray[Any]:
    """Return a move of every free cell of every chain; refuse other shapes and other numbers."""
    chains, cells = free.shape
    if isinstance(proposal, AllCells):
        return proposal.law.draw(chance, (chains, cells))
    moves = proposal(chance, chains, cells)
    if not isinstance(moves, np.ndarray) or (moves.shape, moves.dtype) != (free.shape, free.dtype):
        asked = f"an array of shape {free.shape} of {free.dtype.name}"
        raise BadParameter(Fault("moves", asked, "another", "Return one move a free cell."))
    return moves
