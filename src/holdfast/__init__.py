"""Holdfast publishes differentially private tables that add up, and certifies what that costs.

The names here are the front door; each room is imported when one of its names is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdfast.foundation.confidential import Confidential
    from holdfast.foundation.errors import Contradiction, HoldfastError
    from holdfast.foundation.randomness import seeded, system_chance, tape
    from holdfast.mechanism.plain import Mechanism
    from holdfast.noise.discrete_gaussian import DiscreteGaussian
    from holdfast.noise.discrete_laplace import DiscreteLaplace
    from holdfast.noise.gaussian import Gaussian
    from holdfast.noise.laplace import Laplace
    from holdfast.privacy.certificate.certificate import Certificate
    from holdfast.privacy.composition import compose, disjoint_union, mixture
    from holdfast.privacy.ledger.ledger import Ledger
    from holdfast.publication.checking.verify import verify
    from holdfast.publication.preview import preview
    from holdfast.publication.publish import publish
    from holdfast.worlds.belief import Belief
    from holdfast.worlds.hierarchy import Hierarchy
    from holdfast.worlds.invariant import (
        Invariant,
        equalities,
        inequalities,
        nonnegative,
        total,
    )

__version__ = "0.1.0"

ROOMS = {
    "Belief": "worlds.belief",
    "Certificate": "privacy.certificate.certificate",
    "Confidential": "foundation.confidential",
    "Contradiction": "foundation.errors",
    "DiscreteGaussian": "noise.discrete_gaussian",
    "DiscreteLaplace": "noise.discrete_laplace",
    "Gaussian": "noise.gaussian",
    "Hierarchy": "worlds.hierarchy",
    "HoldfastError": "foundation.errors",
    "Invariant": "worlds.invariant",
    "Laplace": "noise.laplace",
    "Ledger": "privacy.ledger.ledger",
    "Mechanism": "mechanism.plain",
    "compose": "privacy.composition",
    "disjoint_union": "privacy.composition",
    "equalities": "worlds.invariant",
    "inequalities": "worlds.invariant",
    "mixture": "privacy.composition",
    "nonnegative": "worlds.invariant",
    "preview": "publication.preview",
    "publish": "publication.publish",
    "seeded": "foundation.randomness",
    "system_chance": "foundation.randomness",
    "tape": "foundation.randomness",
    "total": "worlds.invariant",
    "verify": "publication.checking.verify",
}

__all__ = [
    "Belief",
    "Certificate",
    "Confidential",
    "Contradiction",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "Gaussian",
    "Hierarchy",
    "HoldfastError",
    "Invariant",
    "Laplace",
    "Ledger",
    "Mechanism",
    "compose",
    "disjoint_union",
    "equalities",
    "inequalities",
    "mixture",
    "nonnegative",
    "preview",
    "publish",
    "seeded",
    "system_chance",
    "tape",
    "total",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Return a name of the front door from its room (PEP 562)."""
    room = ROOMS.get(name)
    if room is None:
        raise AttributeError(f"module 'holdfast' has no attribute {name!r}")
    return getattr(import_module(f"holdfast.{room}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
