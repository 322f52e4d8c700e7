"""Read an invariant for a mechanism, choose how its noise is drawn, and keep within the budget.

Messages cost twice their rounding, some 10**-8 of epsilon on large trees. Where a mechanism was
calibrated, its noise is widened by about as much, so that no more is certified than was asked.

Claim.      The epsilon certified for a revision on equalities is at most the budget's, unless
            rounding takes more than a thousandth of it.
Reason.     docs/theory/certificates.md#an-inexact-draw
Checked by. tests/mechanism/test_revising.py
"""

from fractions import Fraction

from holdfast.foundation.errors import BadParameter, Fault, shown
from holdfast.foundation.progress import Progress
from holdfast.mechanism.condition import Condition, check_facts
from holdfast.mechanism.plain import Mechanism
from holdfast.mechanism.revised import Revised
from holdfast.mechanism.way import Blind, Way, way_for
from holdfast.noise.budget import Pure
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.law import Law
from holdfast.revision.evidence import WithinTotalVariation
from holdfast.worlds.invariant import Invariant

MOST = Fraction(1, 1024)  # by how much laws are widened at most


def revised(mechanism: Mechanism, invariant: Invariant, method: str, progress: Progress) -> Revised:
    """Return a mechanism given an invariant."""
    if not callable(progress):
        asked, remedy = "what is called as progress(stage, done, total)", "Leave it out."
        raise BadParameter(Fault("progress", asked, shown(progress), remedy))
    condition = Condition(mechanism.tree, mechanism.laws, invariant)
    check_facts(invariant, mechanism.neighbours)
    way = way_for(condition, method, progress)
    wider = _widened(mechanism, way)
    if wider is None:
        return Revised(mechanism, condition, way, progress)
    laws: dict[int | str, Law] = dict(enumerate(wider))
    source = Mechanism(mechanism.tree, laws, mechanism.neighbours, mechanism.rows)
    condition = Condition(mechanism.tree, wider, invariant)
    return Revised(source, condition, way_for(condition, way.method, progress), progress)


def _widened(mechanism: Mechanism, way: Way) -> tuple[DiscreteLaplace, ...] | None:
    """Return wider laws that leave room for a sampler's rounding; None where none is needed.

    Twice the rounding is wanted, and the rounding of the wider laws is a little larger: four
    times it, up to the next power of two, is more than enough.
    """
    evidence, budget = way.sampler.evidence, mechanism.budget
    if not (isinstance(way, Blind) and isinstance(evidence, WithinTotalVariation)):
        return None
    if not isinstance(budget, Pure) or not evidence.rounding:
        return None
    wanted = 4 * evidence.rounding / budget.epsilon
    share = MOST
    while share / 2 >= wanted:
        share /= 2
    if wanted > share:
        return None
    return tuple(_wider(law, share) for law in mechanism.laws if isinstance(law, DiscreteLaplace))


def _wider(law: DiscreteLaplace, share: Fraction) -> DiscreteLaplace:
    """Return a law whose scale is larger by a share; a calibrated law is given by its scale."""
    return DiscreteLaplace(scale=(law.scale or 1 / law.rate.below) * (1 + share))
