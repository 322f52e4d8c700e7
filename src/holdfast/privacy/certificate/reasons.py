"""The closed family of reasons, and the derivation that they make.

Reason.     docs/theory/certificates.md
Checked by. tests/privacy/certificate/test_reasons.py
"""

from collections.abc import Iterator

from holdfast.privacy.certificate.joint_reasons import Composition, DisjointUnion, Mixture
from holdfast.privacy.certificate.noise_reasons import (
    Calibration,
    Doubling,
    EqualityConditioning,
    InequalityConditioning,
)
from holdfast.privacy.certificate.step_reasons import (
    Conversion,
    InexactDraw,
    PostProcessing,
    Update,
)

Reason = (
    Calibration
    | EqualityConditioning
    | InequalityConditioning
    | Doubling
    | InexactDraw
    | Update
    | PostProcessing
    | Composition
    | Mixture
    | DisjointUnion
    | Conversion
)


def parts_of(reason: Reason) -> tuple[Reason, ...]:
    """Return the reasons that one rests on: none, one or several."""
    match reason:
        case Calibration():
            return ()
        case Composition(of=parts) | Mixture(of=parts) | DisjointUnion(of=parts):
            return parts
        case _:
            return (reason.of,)


def walked(reason: Reason) -> Iterator[Reason]:
    """Yield a reason and all it rests on, the causes first."""
    for part in parts_of(reason):
        yield from walked(part)
    yield reason


def depth_of(reason: Reason, most: int) -> int:
    """Return how many steps lie above each other, looked at no deeper than is asked."""
    if most < 0:
        return 1
    return 1 + max((depth_of(part, most - 1) for part in parts_of(reason)), default=0)
