"""All that a report shows of one release, checked at birth; all of it is public.

Checked by. tests/publication/report/test_reported.py
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadParameter, Fault, raise_all
from holdfast.foundation.exact import between
from holdfast.privacy.certificate.certificate import Certificate
from holdfast.publication.level_error import LevelError
from holdfast.update.diagnosis import Diagnosis
from holdfast.worlds.hierarchy import Hierarchy

Numbers = npt.NDArray[Any]
REMEDY = "Report what a release hands back."


@dataclass(frozen=True, eq=False)
class Reported:
    """One release as a report shows it; `wide` tells which intervals are wide for their value."""

    name: str
    rehearsal: bool
    tree: Hierarchy
    labels: tuple[str, ...] | None
    street: str
    sampler: str
    confidence: str
    value: Numbers
    lower: Numbers
    upper: Numbers
    certificate: Certificate
    diagnosis: Diagnosis | None
    levels: tuple[LevelError, ...]
    wide: Numbers

    def __post_init__(self) -> None:
        between(self.confidence, "confidence", 0, 1)
        raise_all(BadParameter, [*self._sizes(), *self._kinds()])

    def _sizes(self) -> list[Fault]:
        """Return what has the wrong length."""
        vectors = {name: np.asarray(getattr(self, name)).size for name in self._vectors}
        wrong = [
            Fault(name, f"{self.tree.size} numbers, one a node", str(size), REMEDY)
            for name, size in vectors.items()
            if size != self.tree.size
        ]
        leaves = self.tree.leaf_nodes.size
        if self.labels is not None and len(self.labels) != leaves:
            asked = f"{leaves} labels, one a leaf"
            wrong.append(Fault("labels", asked, str(len(self.labels)), REMEDY))
        if not self.levels:
            wrong.append(Fault("levels", "the error of at least one level", "none", REMEDY))
        return wrong

    def _kinds(self) -> list[Fault]:
        """Return which vectors are not of whole numbers, or of yes and no."""
        return [
            Fault(name, "flags" if name == "wide" else "whole numbers", "others", REMEDY)
            for name in self._vectors
            if np.asarray(getattr(self, name)).dtype.kind not in ("b" if name == "wide" else "iu")
        ]

    @property
    def _vectors(self) -> tuple[str, ...]:
        return ("value", "lower", "upper", "wide")

    @cached_property
    def label_of(self) -> dict[int, str]:
        """Return the label beside each leaf, by node number."""
        if self.labels is None:
            return {}
        return dict(zip(self.tree.leaf_nodes.tolist(), self.labels, strict=True))

    def named(self, level: str) -> str:
        """Return a level's name; the root's is the name of the whole."""
        return f"{self.tree.root} (the whole)" if level == "root" else level
