"""A certificate as an event of dp_accounting, where that is sound; refused where it is not.

Claim.      The event's cost bounds the release's under the relation returned beside it.
Reason.     docs/theory/certificates.md#other-accountants
Checked by. tests/privacy/test_accounting.py
"""

from importlib import import_module
from typing import Any

from holdfast.foundation.bounds import exp_bounds, float_above, float_below
from holdfast.foundation.errors import BadCertificate, Fault
from holdfast.noise.sensitivity import Neighbours
from holdfast.privacy.certificate.certificate import Certificate
from holdfast.privacy.certificate.cost import EpsilonCost
from holdfast.privacy.certificate.joint_reasons import Composition
from holdfast.privacy.certificate.reasons import Reason
from holdfast.privacy.loss import rho_of

LIBRARY = "dp_accounting"


def to_event(certificate: Certificate) -> tuple[Any, Any]:
    """Return an event and the neighbouring relation to account it under.

    Pure epsilon becomes rho = epsilon**2 / 2, or under replace-one a randomised response with
    this epsilon, which no pure mechanism exceeds. A Laplace event would not be sound: noise
    given equalities has a larger profile. A composition becomes one of its parts' events.
    """
    if not isinstance(certificate, Certificate):
        found = f"a {type(certificate).__name__}"
        raise BadCertificate(Fault("to_event", "a certificate", found, "`withheld` says why."))
    if certificate.facts:
        asked, found = "a promise for all neighbours", "one for pairs that share facts"
        remedy = "The accountant cannot say so: keep to certificates and the ledger."
        raise BadCertificate(Fault("to_event", asked, found, remedy))
    library = _library()
    added = certificate.neighbours is Neighbours.ADD_REMOVE
    relations = library.NeighboringRelation
    relation = relations.ADD_OR_REMOVE_ONE if added else relations.REPLACE_ONE
    return _event(library, certificate.reason, certificate.neighbours), relation


def _event(library: Any, reason: Reason, neighbours: Neighbours) -> Any:
    """Return the event of a reason."""
    if isinstance(reason, Composition):
        return library.ComposedDpEvent([_event(library, part, neighbours) for part in reason.of])
    cost = reason.cost
    if cost.delta:
        found = "a delta, or a distance from rho-zCDP, for which the library has no event"
        remedy = "Take a sampler without error, such as method 'exact', or keep to certificates."
        raise BadCertificate(Fault("to_event", "a cost without delta", found, remedy))
    if not isinstance(cost, EpsilonCost):
        return library.ZCDpEvent(float_above(cost.rho))
    if neighbours is Neighbours.ADD_REMOVE:
        return library.ZCDpEvent(float_above(rho_of(cost.epsilon)))
    lied = 2 / (1 + exp_bounds(cost.epsilon).above)  # the odds of the truth are e**epsilon
    return library.RandomizedResponseDpEvent(float_below(lied), 2)


def _library() -> Any:
    """Return dp_accounting, or say how to install it."""
    try:
        return import_module(LIBRARY)
    except ImportError:
        found = "no such package"
    remedy = "Install it: pip install 'holdfast[accounting]'."
    raise BadCertificate(Fault("to_event", LIBRARY, found, remedy))
