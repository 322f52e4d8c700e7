"""For each part of a tree, the weight of each total that its noise may have.

A leaf's message is its law's weights; the message of two parts side by side is the convolution
of theirs; a node's message is that of its children together times the weights of its own law.
Messages do not depend on any data.

Claim.      What is drawn by these messages is the conditional law given that no part is beyond
            its radius, an event of chance at least 1 - `truncation`; each chance is wrong by at
            most a factor e**(+-rounding).
Reason.     docs/theory/messages.md
Checked by. tests/revision/test_messages.py
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadParameter, Fault
from holdfast.foundation.progress import Progress, silent
from holdfast.kernels.convolution import convolve
from holdfast.noise.law import DiscreteLaw
from holdfast.revision.evidence import WithinTotalVariation
from holdfast.revision.messages.node_weights import node_weights
from holdfast.revision.messages.parts import NONE, Part, Parts
from holdfast.revision.messages.reach import beyond, reach
from holdfast.revision.messages.shapes import Shapes

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
UNIT = Fraction(1, 2**53)
ROUNDING = UNIT + UNIT**2  # -ln(1 - UNIT) and ln(1 + UNIT) are not larger
TRUNCATION = Fraction(1, 2**64)  # of a whole tree
MOST_WORK = 1 << 39
LONGEST = 1 << 19  # totals up to here take seconds and some hundred mebibytes a law
REMEDY = "Use method 'exact', smaller scales, or count in a larger unit."
FAINT = 2.0**-500  # of the largest weight: weights below it are cut off


@dataclass(frozen=True, eq=False, slots=True)
class Message:
    """Weights of the totals -radius, ..., radius, and how its making may be off.

    The weights were divided by 2**scale, so that the largest is at most 1. `own` are the roundings
    of this step alone, as a bound on the error of a weight's logarithm; `cut` bounds the chance
    that the part is beyond its radius.
    """

    weights: Floats
    scale: int
    own: Fraction
    cut: Fraction

    @property
    def radius(self) -> int:
        """Return the largest size that is followed."""
        return self.weights.size // 2


class Messages:
    """The messages of all parts of a tree, for a law on each level."""

    __slots__ = ("_chance", "_instances", "_laws", "_radii", "listed", "parts", "shapes")

    def __init__(
        self,
        shapes: Shapes,
        parts: Parts,
        laws: tuple[DiscreteLaw, ...],
        instances: Integers,
        progress: Progress = silent,
    ) -> None:
        self.parts = parts
        self.shapes = shapes
        self._laws = laws
        self._instances = instances
        self._chance = TRUNCATION / int(instances.sum())  # of each part to be beyond its radius
        self._radii: list[int] = []
        self._radii.extend(map(self._radius, parts.listed))  # each one takes up those before it
        self._check_work()
        self.listed: list[Message] = []
        for number, (part, radius) in enumerate(zip(parts.listed, self._radii, strict=True)):
            message = self._of_node(part, radius) if part.is_node else self._of_two(part, radius)
            self.listed.append(message)
            progress("messages", number + 1, len(parts.listed))

    @property
    def evidence(self) -> WithinTotalVariation:
        """Return what is proven of draws from the tree."""
        often = self._instances.tolist()
        return WithinTotalVariation(
            truncation=_total(n * m.cut for n, m in zip(often, self.listed, strict=True)),
            rounding=2 * _total(n * m.own for n, m in zip(often, self.listed, strict=True)),
        )

    def own_weights(self, part: Part, radius: int) -> Floats:
        """Return the weights of a node's own law, up to the radius or somewhat less."""
        if self._is_pinned(part):
            return np.ones(1)
        law = self._laws[part.level]
        return node_weights(law, min(radius, reach(law, 1, self._chance))).weights

    def _is_pinned(self, part: Part) -> bool:
        return self.shapes.listed[part.shape].pinned

    def _radius(self, part: Part) -> int:
        """Return how far a part's total is followed."""
        if part.is_node and self._is_pinned(part):
            return 0
        most = reach(self._laws[part.level], part.children, self._chance)
        if not part.is_node:
            return min(most, self._radii[part.left] + self._radii[part.right])
        return most if part.family == NONE else min(most, self._radii[part.family])

    def _check_work(self) -> None:
        """Refuse a tree whose convolutions, or the weights of whose nodes, would take long."""
        radii = self._radii
        work = sum(
            (2 * min(radii[part.left], radii[part.right]) + 1) * (radii[number] + 1)
            for number, part in enumerate(self.parts.listed)
            if not part.is_node
        )
        if work > MOST_WORK:
            asked = f"at most {MOST_WORK:.0e} products, some minutes"
            raise BadParameter(Fault("messages", asked, f"about {work:.1e}", REMEDY))
        if max(radii) > LONGEST:
            asked = f"totals of noise up to {LONGEST:,}"
            raise BadParameter(Fault("messages", asked, f"up to {max(radii):,}", REMEDY))

    def _of_node(self, part: Part, radius: int) -> Message:
        """Return the weights of the node's law times those of its children together."""
        below = np.ones(1) if part.family == NONE else self.listed[part.family].weights
        if self._is_pinned(part):
            return Message(below[below.size // 2, None], 0, Fraction(0), Fraction(0))
        law = self._laws[part.level]
        if part.family == NONE:
            own = node_weights(law, radius)
            return _message(own.weights, 2 * own.error, beyond(law, 1, radius))
        cut = beyond(law, 1, radius) if radius < below.size // 2 else Fraction(0)
        radius = min(radius, below.size // 2)
        own = node_weights(law, radius)
        middle = below[below.size // 2 - radius : below.size // 2 + radius + 1]
        return _message(middle * own.weights, 2 * own.error + ROUNDING, cut)

    def _of_two(self, part: Part, radius: int) -> Message:
        """Return the convolution of two parts' weights."""
        left, right = self.listed[part.left], self.listed[part.right]
        short, whole = min(left.radius, right.radius), left.radius + right.radius
        radius = min(radius, whole)
        law = self._laws[part.level]
        cut = beyond(law, part.children, radius) if radius < whole else Fraction(0)
        weights = convolve(left.weights, right.weights, radius)
        return _message(weights, (2 * short + 1) * ROUNDING, cut)


def _message(weights: Floats, own: Fraction, cut: Fraction) -> Message:
    """Return a message of the weights that are not FAINT, divided by a power of 2.

    Of what is left all products are far above the smallest float, so nothing underflows.
    """
    centre = weights.size // 2
    faint = int(np.count_nonzero(weights[:centre] < FAINT * weights[centre]))
    exponent = int(np.frexp(weights[centre])[1])
    kept = np.ldexp(weights[faint : weights.size - faint], -exponent)
    return Message(kept, exponent, own, cut + 2 * faint * 2 * Fraction(FAINT))


def _total(numbers: Iterable[Fraction]) -> Fraction:
    """Return a sum of many fractions, rounded up to a common unit, which keeps it short."""
    unit = 1 << 200
    return Fraction(sum(-((-n.numerator * unit) // n.denominator) for n in numbers), unit)
