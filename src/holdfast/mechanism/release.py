"""One release: a value and an interval for every node, with the certificate of both.

The interval belongs to the noise that was drawn, plain or revised. After an update it is cut at
0 where no count may be below, closed on nodes whose value is public, and stretched to hold the
value.

Claim.      The interval of an updated value holds the true count wherever that of the value
            before did.
Reason.     docs/theory/release.md
Checked by. tests/mechanism/test_release.py
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadCertificate, Fault
from holdfast.foundation.randomness import Chance, check_release
from holdfast.privacy.certificate.certificate import Certificate
from holdfast.update.diagnosis import Diagnosis
from holdfast.worlds.invariant import Invariant
from holdfast.worlds.rules import Linear, Nonnegative, Total, row_of
from holdfast.worlds.vectors import Numbers

if TYPE_CHECKING:
    from holdfast.mechanism.plain import Mechanism
    from holdfast.mechanism.revised import Revised
    from holdfast.mechanism.updated import Updated


@dataclass(frozen=True, eq=False, slots=True)
class Release:
    """What is given away, node by node; all of it is public, and nothing else of the draw is."""

    value: npt.NDArray[Any]
    lower: npt.NDArray[Any]
    upper: npt.NDArray[Any]
    certificate: Certificate
    diagnosis: Diagnosis | None


def of_noise(
    source: "Mechanism | Revised", values: Any, chance: Chance, confidence: object
) -> Release:
    """Return one release of noise, plain or revised."""
    certificate = _certificate(source)
    check_release(chance)
    half = source.interval(confidence).astype(np.int64)  # whole already: floats are refused above
    value = source.draw(values, chance)
    return Release(value, value - half, value + half, certificate, None)


def of_updated(street: "Updated", values: Any, chance: Chance, confidence: object) -> Release:
    """Return one release of a noisy table moved onto the rules."""
    certificate = _certificate(street)
    check_release(chance)
    half = street.source.interval(confidence).astype(np.int64)
    noisy = street.source.draw(values, chance)
    value = street.apply(noisy)
    lower, upper = around(street.invariant, noisy, half, value)
    return Release(value, lower, upper, certificate, street.diagnose(noisy, value))


def around(
    invariant: Invariant, noisy: Numbers, half: Numbers, value: Numbers
) -> tuple[Numbers, Numbers]:
    """Return the interval of an updated value, from the noisy one and its half-width."""
    lower, upper = noisy - half, noisy + half
    if any(isinstance(rule, Nonnegative) for rule in invariant.rules):
        lower, upper = np.maximum(lower, 0), np.maximum(upper, 0)
    lower, upper = np.minimum(lower, value), np.maximum(upper, value)
    public = _public(invariant)
    lower[public], upper[public] = value[public], value[public]
    return lower, upper


def _public(invariant: Invariant) -> list[int]:
    """Return the nodes whose value is given by a rule."""
    rows = (row_of(rule) for rule in invariant.equalities if isinstance(rule, Total | Linear))
    return sorted({row.terms[0][0] for row in rows if len(row.terms) == 1})


def _certificate(source: "Mechanism | Revised | Updated") -> Certificate:
    """Return the certificate, or refuse to release without one."""
    if source.certificate is None:
        found = f"none: {source.withheld}"
        remedy = "For research use draw, which promises nothing."
        raise BadCertificate(Fault("release", "a certificate", found, remedy))
    return source.certificate
