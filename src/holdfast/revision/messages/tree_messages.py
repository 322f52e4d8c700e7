"""Noise that obeys the sums of a tree, drawn by messages; and how far it will stray.

Claim.      A draw has the conditional law given the sums and the pinned nodes, up to the
            truncation and the rounding that the evidence states; the drawing adds no error.
Reason.     docs/theory/messages.md
Checked by. tests/revision/test_tree_messages.py
"""

from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadParameter, Fault
from holdfast.foundation.progress import Progress, silent
from holdfast.foundation.randomness import Chance, checked_count
from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.revision.evidence import WithinTotalVariation
from holdfast.revision.messages.drawing import Drawing
from holdfast.revision.messages.layout import layout
from holdfast.revision.messages.marginals import Marginals
from holdfast.revision.messages.message import Messages
from holdfast.revision.messages.parts import Parts
from holdfast.revision.messages.shapes import shapes_of
from holdfast.revision.noisy_tree import NoisyTree

Integers = npt.NDArray[np.int64]


class TreeMessages:
    """A sampler of noise on a tree: whole numbers, exact up to a proven bound."""

    def __init__(self, noisy: NoisyTree, progress: Progress = silent) -> None:
        laws = [law for law in noisy.laws if isinstance(law, DiscreteLaplace | DiscreteGaussian)]
        if len(laws) < len(noisy.laws):
            raise BadParameter(
                Fault("laws", "discrete laws", "continuous ones", "Use method 'gibbs'.")
            )
        self._size = noisy.tree.size
        shapes = shapes_of(noisy)
        parts = Parts(shapes)
        self._layout = layout(noisy.tree, shapes, parts)
        self._messages = Messages(shapes, parts, tuple(laws), self._layout.instances, progress)
        self.marginals = Marginals(noisy.tree, self._messages, progress)

    @cached_property
    def evidence(self) -> WithinTotalVariation:
        """Return the bound on a draw's distance from the conditional law."""
        return self._messages.evidence

    @property
    def total_weight(self) -> Fraction:
        """Return the weight of all noise that obeys the sums, within truncation and rounding."""
        root = self._messages.listed[self._messages.parts.root].weights
        scales = (message.scale for message in self._messages.listed)
        often = self._layout.instances.tolist()
        power: int = sum(many * scale for many, scale in zip(often, scales, strict=True))
        weight = sum(map(Fraction, root.tolist()), Fraction(0))
        return weight * (1 << power) if power >= 0 else weight / (1 << -power)

    @cached_property
    def _drawing(self) -> Drawing:
        return Drawing(self._layout, self._messages)

    def noise(self, chance: Chance, count: int) -> Integers:
        """Return so many independent noise vectors over the nodes, one a row."""
        return self._drawing.draw(self._size, chance, checked_count(chance, count))
