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
from typing import TYPE_CHECKING, assert_never

from holdfast.foundation.bounds import exp_bounds, short_above
from holdfast.foundation.errors import BadParameter, Fault, shown
from holdfast.foundation.exact import exact
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.sensitivity import Neighbours
from holdfast.privacy.loss import delta_of_signs
from holdfast.revision.evidence import Evidence, Exact, NotProven, WithinTotalVariation
from holdfast.revision.messages.path_signs import PathSigns, SignLaw

if TYPE_CHECKING:
    from holdfast.mechanism.revised import Revised

MOST_WORK = 1 << 13  # patterns of signs, each of which takes some convolutions
MOST_EPSILON = 1000


def delta_of(revised: "Revised", epsilon: object) -> Fraction:
    """Return the delta for an epsilon of at least 0, rounded up.

    A sampler within truncation t and rounding k of a mechanism with profile d has, by the proof
    for inexact draws, the profile e**k (d(epsilon - 2 k) + (1 + e**epsilon) t), at most 1.
    """
    spent = exact(epsilon, "epsilon")
    if spent < 0:
        raise BadParameter(Fault("epsilon", "a number of at least 0", shown(spent), "Use 0."))
    laws = _checked(revised)
    truncation, rounding = _inexact(revised.evidence)
    within = max(spent - 2 * rounding, Fraction(0))
    worst = max(_of_kind(signs, laws, within) for signs in _kinds(revised))
    grown = exp_bounds(2 * rounding).above
    off = (1 + exp_bounds(min(spent, Fraction(MOST_EPSILON))).above) * truncation
    if spent < 2 * rounding:  # there the distances of both laws from the right ones are a bound
        return short_above(min(worst + 2 * truncation + grown - 1, Fraction(1)))
    return short_above(min((worst + off) * grown, Fraction(1)))


def _of_kind(signs: SignLaw, laws: list[DiscreteLaplace], epsilon: Fraction) -> Fraction:
    """Return the delta of one kind of pair."""
    rates = [laws[level].rate for level in signs.levels]
    found = delta_of_signs(signs.chances, rates, epsilon)
    return found * exp_bounds(signs.rounding).above + signs.truncation


def _checked(revised: "Revised") -> list[DiscreteLaplace]:
    """Return the laws; refuse what this profile is not worked out for."""
    laws = [law for law in revised.mechanism.laws if isinstance(law, DiscreteLaplace)]
    proven = revised.certificate is not None
    single = revised.mechanism.rows == 1 and not revised.invariant.inequalities
    if len(laws) < len(revised.mechanism.laws) or not single or not proven:
        asked = "discrete Laplace noise given equalities on a tree, and one row a person"
        remedy = "Of discrete Gaussian noise take certificate.in_epsilon(delta)."
        raise BadParameter(Fault("delta_at", asked, "something else", remedy))
    return laws


def _kinds(revised: "Revised") -> Iterator[SignLaw]:
    """Yield the law of signs for each kind of pair of neighbours, where that is not too much."""
    paths = PathSigns(revised.condition.noisy_tree)
    added = revised.mechanism.neighbours is Neighbours.ADD_REMOVE
    work = paths.work(added, MOST_WORK)
    if work > MOST_WORK:
        asked = f"kinds of pairs with at most {MOST_WORK:,} patterns of signs in all"
        raise BadParameter(Fault("delta_at", asked, "more", "Use the certificate's epsilon."))
    return paths.of_arrivals() if added else paths.of_exchanges()


def _inexact(evidence: Evidence) -> tuple[Fraction, Fraction]:
    """Return a sampler's truncation and rounding."""
    match evidence:
        case Exact() | NotProven():
            return Fraction(0), Fraction(0)
        case WithinTotalVariation(truncation, rounding):
            return truncation, rounding
        case _:
            assert_never(evidence)
