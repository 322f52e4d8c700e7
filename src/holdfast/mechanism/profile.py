"""The delta that goes with an epsilon smaller than the certified one: the law's own profile.

For noise given equalities it is the profile of the conditioned law, which lies above that of
independent noise (docs/theory/revision.md#what-conditioning-costs).

Claim.      For every pair of neighbours the release is (epsilon, delta) differentially private
            with the delta returned.
Reason.     docs/theory/loss.md#the-profile-of-conditioned-noise
Checked by. tests/mechanism/test_profile.py
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING

from holdfast.foundation.bounds import exp_bounds, short_above
from holdfast.foundation.errors import BadParameter, Fault, shown
from holdfast.foundation.exact import exact
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.sensitivity import Neighbours
from holdfast.privacy.loss import delta_of_signs
from holdfast.revision.evidence import Exact, NotProven, WithinTotalVariation
from holdfast.revision.messages.path_signs import PathSigns, SignLaw

if TYPE_CHECKING:
    from holdfast.mechanism.revised import Revised

MOST_KINDS = 1000  # of paths; each takes some convolutions


def delta_of(revised: "Revised", epsilon: object) -> Fraction:
    """Return the delta for an epsilon of at least 0, rounded up."""
    spent = exact(epsilon, "epsilon")
    if spent < 0:
        raise BadParameter(Fault("epsilon", "a number of at least 0", shown(spent), "Use 0."))
    laws = _checked(revised)
    worst = Fraction(0)
    for signs in _kinds(revised):
        rates = [laws[level].rate.above for level in signs.levels]
        found = delta_of_signs(signs.chances, rates, spent)
        worst = max(worst, found * exp_bounds(signs.rounding).above + signs.truncation)
    return short_above(min(worst, Fraction(1)) + _inexact(revised, spent))


def _checked(revised: "Revised") -> list[DiscreteLaplace]:
    """Return the laws; refuse what this profile is not worked out for."""
    laws = [law for law in revised.mechanism.laws if isinstance(law, DiscreteLaplace)]
    proven = not isinstance(revised.evidence, NotProven)
    single = revised.mechanism.rows == 1 and not revised.invariant.inequalities
    if len(laws) < len(revised.mechanism.laws) or not single or not proven:
        asked = "discrete Laplace noise given equalities on a tree, and one row a person"
        remedy = "Of discrete Gaussian noise take certificate.in_epsilon(delta)."
        raise BadParameter(Fault("delta_at", asked, "something else", remedy))
    return laws


def _kinds(revised: "Revised") -> Iterator[SignLaw]:
    """Yield the law of signs for each kind of pair of neighbours."""
    paths = PathSigns(revised.condition.noisy_tree)
    added = revised.mechanism.neighbours is Neighbours.ADD_REMOVE
    found = paths.of_arrivals() if added else paths.of_exchanges()
    yield from islice(found, MOST_KINDS)
    if next(found, None) is not None:
        asked = f"a tree with at most {MOST_KINDS} kinds of pairs"
        raise BadParameter(Fault("delta_at", asked, "more", "Use the certificate's epsilon."))


def _inexact(revised: "Revised", spent: Fraction) -> Fraction:
    """Return what the sampler adds: (1 + e**epsilon) times its distance."""
    match revised.evidence:
        case Exact() | NotProven():
            return Fraction(0)
        case WithinTotalVariation() as evidence:
            return (1 + exp_bounds(spent).above) * evidence.bound
