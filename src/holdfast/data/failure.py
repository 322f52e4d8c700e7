"""What an engine hands back, and the two fixed texts where it fails."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadDeclaration, Fault, NotCounted


class Groups(NamedTuple):
    """Places of leaves, and a count beside each."""

    leaves: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]


def groups(leaves: Any, counts: Any) -> Groups:
    """Return plain arrays of whole numbers."""
    return Groups(np.asarray(leaves, dtype=np.int64), np.asarray(counts, dtype=np.int64))


def not_counted() -> NotCounted:
    """Return the one error of counting; it says nothing of the rows."""
    return NotCounted(
        Fault(
            "counting",
            "a count for every leaf",
            "a failure of the engine, whose own text may hold rows and is not kept",
            "Check that the data can be read whole, and the room in memory and on the disk.",
        )
    )


def unreadable(subject: str, found: str = "one that is damaged or in use") -> BadDeclaration:
    """Return the error of data that do not open."""
    return BadDeclaration(
        Fault(subject, "data that can be opened", found, "Open the data with its own engine first.")
    )
