"""How likely the noise on a path of a tree is above 0, node by node: what a row's cost hangs on.

A row more moves every node of its path by 1. A node whose noise is at most 0 then has noise
farther from 0, a node with noise above 0 nearer; so of the whole law only these signs matter.

Claim.      Each chance is within a factor e**(+-rounding) of that under a law which is within
            `truncation` of the conditional law, in total variation.
Reason.     docs/theory/loss.md#the-profile-of-conditioned-noise
Checked by. tests/revision/test_path_signs.py
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, product

import numpy as np
import numpy.typing as npt

from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.law import DiscreteLaw
from holdfast.revision.messages.layout import layout
from holdfast.revision.messages.message import ROUNDING, TRUNCATION, Messages
from holdfast.revision.messages.node_weights import node_weights
from holdfast.revision.messages.parts import Parts
from holdfast.revision.messages.reach import beyond, reach
from holdfast.revision.messages.shapes import Shape, shapes_of
from holdfast.revision.noisy_tree import NoisyTree

Floats = npt.NDArray[np.float64]
Signs = tuple[int, ...]  # of the nodes that move, the lowest first: 1 above 0 (or farther), else -1
Path = tuple[int, ...]  # the shapes on a path, the leaf's first
UNDERFLOW = Fraction(1, 2**200)  # of weights that fall below the smallest float, relative


@dataclass(frozen=True, slots=True)
class SignLaw:
    """The chance of each pattern of signs, and how it may be off; the levels of the nodes."""

    levels: tuple[int, ...]
    chances: dict[Signs, float]
    rounding: Fraction
    truncation: Fraction


class PathSigns:
    """The laws of signs on the paths of a tree; paths that look alike are worked out once."""

    def __init__(self, noisy: NoisyTree) -> None:
        laws = [law for law in noisy.laws if isinstance(law, DiscreteLaplace | DiscreteGaussian)]
        shapes = shapes_of(noisy)
        parts = Parts(shapes)
        instances = layout(noisy.tree, shapes, parts).instances
        self._laws, self._shapes = laws, shapes.listed
        self._chance = TRUNCATION / int(instances.sum())
        self._messages = Messages(shapes, parts, tuple(laws), instances)
        self._slack = Slack(0, Fraction(0))

    def work(self, arrivals: bool, most: int) -> int:
        """Return how many patterns all kinds have, counted no farther than beyond `most`."""
        last = len(self._shapes) - 1
        found = 0
        if arrivals:
            moved = (len(path) for path in kinds_of_paths(self._shapes, last))
        else:
            pairs = kinds_of_pairs(self._shapes, last)
            moved = (len(path) + len(other) for path, other, _ in pairs)
        for nodes in moved:
            found += 1 << min(nodes, 64)
            if found > most:
                break
        return found

    def of_arrivals(self) -> Iterator[SignLaw]:
        """Yield the law of signs on each kind of path, for a row that comes to its leaf."""
        for path in kinds_of_paths(self._shapes, len(self._shapes) - 1):
            self._slack = Slack(0, Fraction(0))
            found = {signs: float(w.sum()) for signs, w in self._climb(path).items()}
            yield self._law(path, found)

    def of_exchanges(self) -> Iterator[SignLaw]:
        """Yield it for each kind of two paths, for a row that goes from one leaf to the other.

        The signs of the first path come first, each from its leaf to below the node above both.
        """
        for path, other, stem in kinds_of_pairs(self._shapes, len(self._shapes) - 1):
            if not any(self._shapes[number].pinned for number in (*path, *other)):
                self._slack = Slack(0, Fraction(0))
                yield self._law((*path, *other), self._meet(path, other, stem))

    def _law(self, moved: Path, found: dict[Signs, float]) -> SignLaw:
        """Return the chances, with all roundings and cuts so far."""
        whole = sum(found.values())
        levels = tuple(self._shapes[number].level for number in moved)
        evidence = self._messages.evidence
        rounding = evidence.rounding + 2 * self._slack.roundings * ROUNDING
        truncation = evidence.truncation + self._slack.cut + UNDERFLOW
        chances = {signs: weight / whole for signs, weight in found.items()}
        return SignLaw(levels, chances, rounding, truncation)

    def _climb(self, path: Path) -> dict[Signs, Floats]:
        """Return for each pattern of signs the weights of the total of the path's last node."""
        found = _split((), self._own(path[0]))
        for child, parent in pairwise(path):
            rest, own = self._rest(parent, child), self._own(parent)
            risen = {signs: self._times(self._beside(w, rest), own) for signs, w in found.items()}
            found = {
                k: w for signs, weights in risen.items() for k, w in _split(signs, weights).items()
            }
        return found

    def _meet(self, path: Path, other: Path, stem: Path) -> dict[Signs, float]:
        """Return the weight of each pattern on two paths that meet below the stem's first node."""
        outside = self._outside(stem)
        around = self._beside(outside, self._rest(stem[0], path[-1], other[-1]))
        one, two = self._climb(path), self._climb(other)
        return {
            (*signs, *others): _dot(self._beside(left, right[::-1]), around)
            for signs, left in one.items()
            for others, right in two.items()
        }

    def _outside(self, stem: Path) -> Floats:
        """Return the weight of all but the children of the stem's first node, by their total."""
        outside = self._own(stem[-1])
        for parent, child in pairwise(stem[::-1]):
            outside = self._times(
                self._beside(outside, self._rest(parent, child)), self._own(child)
            )
        return _scaled(outside)

    def _own(self, number: int) -> Floats:
        """Return the weights of a node's own noise."""
        shape = self._shapes[number]
        if shape.pinned:
            return np.ones(1)
        law = self._laws[shape.level]
        weights = node_weights(law, reach(law, 1, self._chance))
        self._slack.add(roundings=2 * math.ceil(weights.error / ROUNDING))
        return weights.weights

    def _rest(self, parent: int, *gone: int) -> Floats:
        """Return the message of a node's children together, but for those gone."""
        shape = self._shapes[parent]
        law = self._laws[shape.level + 1]
        children = sum(many for _, many in shape.below)
        radius = reach(law, children, self._chance)
        rest = np.ones(1)
        for number, many in shape.below:
            block = self._messages.listed[self._messages.parts.of_shape[number]].weights
            left = many - gone.count(number)
            while left:
                if left & 1:
                    rest = _scaled(self._cut(self._beside(rest, block), radius, law, children))
                left >>= 1
                if left:
                    block = _scaled(self._cut(self._beside(block, block), radius, law, children))
        return rest

    def _beside(self, one: Floats, other: Floats) -> Floats:
        """Return the weights of sums."""
        self._slack.add(roundings=2 * min(one.size, other.size) + 1)
        sums: Floats = np.convolve(one, other)
        return sums

    def _times(self, one: Floats, other: Floats) -> Floats:
        """Return the products, as far as both reach."""
        radius = min(one.size, other.size) // 2
        self._slack.add(roundings=1)
        return _middle(one, radius) * _middle(other, radius)

    def _cut(self, weights: Floats, radius: int, law: DiscreteLaw, siblings: int) -> Floats:
        """Return the weights up to a radius, and take note of the chance beyond."""
        if weights.size // 2 <= radius:
            return weights
        self._slack.add(cut=beyond(law, siblings, radius))
        return _middle(weights, radius)


@dataclass(slots=True)
class Slack:
    """How many roundings a weight may have passed, and the chance of what was cut off."""

    roundings: int
    cut: Fraction

    def add(self, roundings: int = 0, cut: Fraction = Fraction(0)) -> None:
        """Take note of more."""
        self.roundings += roundings
        self.cut += cut


def _scaled(weights: Floats) -> Floats:
    """Return the weights over a power of two, which rounds nothing; the largest is then near 1."""
    scaled: Floats = np.ldexp(weights, -int(np.frexp(weights.max())[1]))
    return scaled


def _split(signs: Signs, weights: Floats) -> dict[Signs, Floats]:
    """Return the weights of totals of at most 0, which move away from 0, and of the others."""
    centre = weights.size // 2
    farther, nearer = weights.copy(), weights.copy()
    farther[centre + 1 :] = 0.0
    nearer[: centre + 1] = 0.0
    return {(*signs, 1): farther, (*signs, -1): nearer}


def _middle(weights: Floats, radius: int) -> Floats:
    """Return the weights up to a radius."""
    centre = weights.size // 2
    return weights[centre - radius : centre + radius + 1]


def _dot(one: Floats, other: Floats) -> float:
    """Return the sum over totals of products; both are symmetric about their middle place."""
    radius = min(one.size, other.size) // 2
    return float(_middle(one, radius) @ _middle(other, radius))


def kinds_of_paths(shapes: tuple[Shape, ...], number: int, above: Path = ()) -> Iterator[Path]:
    """Yield each kind of path from a leaf up to a node, and what is above it."""
    if not shapes[number].below:
        yield (number, *above)
    for child, _ in shapes[number].below:
        yield from kinds_of_paths(shapes, child, (number, *above))


def kinds_of_pairs(
    shapes: tuple[Shape, ...], number: int, above: Path = ()
) -> Iterator[tuple[Path, Path, Path]]:
    """Yield two kinds of paths below different children of a node, and it with those above."""
    below, stem = shapes[number].below, (number, *above)
    for (one, many), (other, _) in combinations_with_replacement(below, 2):
        if one != other or many > 1:
            for path, second in product(kinds_of_paths(shapes, one), kinds_of_paths(shapes, other)):
                yield path, second, stem
    for child, _ in below:
        yield from kinds_of_pairs(shapes, child, stem)
