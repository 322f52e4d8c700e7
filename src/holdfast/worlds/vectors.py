"""Vectors of counts: read exactly, or refused without showing a value.

Claim.      Whole numbers come through unchanged, or the vector is refused.
Reason.     docs/theory/numbers.md#vectors
Checked by. tests/worlds/test_vectors.py
"""

from collections.abc import Mapping, Set
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadTable, Fault

Numbers = npt.NDArray[np.int64 | np.float64]
REMEDY = "Give one finite number each, whole numbers within 64 bits."
EXACT = 2**53


def vector_of(values: Any, length: int | None, subject: str) -> Numbers:
    """Return a fresh vector of int64 or float64 of this length, or of any above 0."""
    if isinstance(values, np.ma.MaskedArray):
        raise _refusal(subject, "a masked array")
    if not isinstance(values, np.ndarray) or values.dtype.kind == "O":
        values = _from_sequence(values, subject)
    if values.ndim != 1 or (not values.size if length is None else values.size != length):
        found = f"shape {values.shape}"
        raise BadTable(Fault(subject, f"{length or 'some'} numbers", found, REMEDY))
    kind = values.dtype.kind
    if kind not in "iuf" or values.dtype.itemsize > 8:
        raise _refusal(subject, f"an array of {values.dtype.name}")
    if kind == "u" and int(values.max(initial=0)) > np.iinfo(np.int64).max:
        raise _refusal(subject, "a number outside 64 bits")
    if kind == "f" and not np.isfinite(values).all():
        raise _refusal(subject, "a number that is not finite")
    numbers: Numbers = values.astype(np.float64 if kind == "f" else np.int64)
    return numbers


def _refusal(subject: str, found: str) -> BadTable:
    """Return a refusal; `found` never holds a value."""
    return BadTable(Fault(subject, "finite numbers", found, REMEDY))


def _from_sequence(values: Any, subject: str) -> npt.NDArray[Any]:
    """Return an array of Python numbers without the silent changes of type of NumPy's own way."""
    if isinstance(values, np.ndarray) and values.ndim != 1:
        return values  # refused for its shape
    is_vector = hasattr(values, "__iter__") and not hasattr(values, "columns")
    if not is_vector or isinstance(values, Mapping | Set | str | bytes):
        raise _refusal(subject, f"a {type(values).__name__}")
    listed = list(values)
    kinds = {type(value) for value in listed}
    if all(issubclass(kind, int | np.integer) and kind is not bool for kind in kinds):
        try:
            return np.array([int(value) for value in listed], dtype=np.int64)
        except OverflowError:
            raise _refusal(subject, "a number outside 64 bits") from None
    numbers = int | float | np.integer | np.floating
    if not all(issubclass(kind, numbers) and kind is not bool for kind in kinds):
        raise _refusal(subject, "a value that is no number")
    if any(abs(int(v)) > EXACT for v in listed if not isinstance(v, float | np.floating)):
        raise _refusal(subject, "a whole number beyond 2**53 among floats")
    return np.array(listed, dtype=np.float64)


def has_room(values: Numbers) -> bool:
    """Return whether no sum of some of these numbers can leave 64 bits, or the floats."""
    with np.errstate(over="ignore"):
        rough = float(np.abs(values.astype(np.float64)).sum())
    if values.dtype.kind == "f":
        return bool(np.isfinite(rough))
    return rough < 2.0**62 or sum(abs(value) for value in values.tolist()) < 2**63


def check_room(values: Numbers, subject: str) -> None:
    """Refuse numbers whose sums could leave 64 bits, or the floats."""
    if not has_room(values):
        raise _refusal(subject, "numbers whose sums leave 64 bits")
