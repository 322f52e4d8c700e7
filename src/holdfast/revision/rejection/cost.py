"""How many draws recursive rejection is expected to need, computed before anything is drawn.

A node accepts its children's sum with chance p; so a draw of it needs (the draws of its
children) / p. The chances come from the laws of the totals on a grid, by Fourier transforms in
floats: a prediction, from which nothing is drawn and nothing is certified.

Checked by. tests/revision/test_tree_rejection.py
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.gaussian import Gaussian
from holdfast.noise.laplace import Laplace
from holdfast.noise.law import Law
from holdfast.revision.messages.shapes import Shape, Shapes

Floats = npt.NDArray[np.float64]
Closed = Callable[[Shape], bool]
FINE, COARSE = 8, 16  # steps of the grid in the smallest scale: continuous, and long discrete laws
LONGEST_GRID = 1 << 21
TAIL, DEVIATIONS = 40, 10


@dataclass(frozen=True, slots=True)
class Cost:
    """For each shape the chance that a try is accepted, and the draws expected for one draw."""

    likely: tuple[float, ...]
    draws: tuple[float, ...]


def cost(shapes: Shapes, laws: Sequence[Law], is_closed: Closed) -> Cost:
    """Return the cost of each shape; coarse grids are extrapolated to fine ones.

    Where laws are long or real, the grid's error falls with the square of its step.
    """
    step, whole = _step(laws)
    likely = _chances(shapes, laws, step)
    if not whole:
        finer = _chances(shapes, laws, step / 2)
        likely = [(4 * p - q) / 3 for p, q in zip(finer, likely, strict=True)]
    draws: list[float] = []
    for number, shape in enumerate(shapes.listed):
        if not shape.below or is_closed(shape):
            draws.append(0.0 if shape.pinned and not shape.below else 1.0)
            likely[number] = 1.0
            continue
        below = sum(many * draws[child] for child, many in shape.below)
        if shape.pinned and isinstance(laws[0], Laplace):
            below -= 1  # the last child is what the others leave
        draws.append(max(below, 1.0) / likely[number])
    return Cost(tuple(likely), tuple(draws))


def last_child(shape: Shape, shapes: Shapes, laws: Sequence[Law]) -> int | None:
    """Return the shape of the child that is set to minus the sum of the others, if any can be.

    Of free leaves and groups of free leaves, the one with the widest law.
    """
    fit = [
        (_scale(laws[below.level]) if not below.below else math.inf, below.below, number)
        for number, _ in shape.below
        for below in (shapes.listed[number],)
        if not below.pinned and (not below.below or is_group(below, shapes))
    ]
    return max(fit)[2] if fit else None


def is_group(shape: Shape, shapes: Shapes) -> bool:
    """Return whether all children are free leaves."""
    if len(shape.below) != 1:
        return False
    child = shapes.listed[shape.below[0][0]]
    return not child.below and not child.pinned


def _step(laws: Sequence[Law]) -> tuple[float, bool]:
    """Return the step of the grid, and whether it is that of the whole numbers."""
    least = min(_scale(law) for law in laws)
    if any(isinstance(law, Laplace | Gaussian) for law in laws):
        return least / FINE, False
    return (least / COARSE, False) if least > 4 * COARSE else (1.0, True)


def _scale(law: Law) -> float:
    """Return a length over which a law falls."""
    match law:
        case DiscreteLaplace():
            return max(1 / float(law.rate), 0.05)
        case Laplace():
            return float(law.scale)
        case DiscreteGaussian():
            return max(math.sqrt(law.variance_parameter), 0.05)
        case Gaussian():
            return law.sigma


def _mass(law: Law) -> float:
    """Return a law's whole weight, that of 0 being 1."""
    match law:
        case DiscreteLaplace():
            return 1 / math.tanh(float(law.rate) / 2)
        case Laplace():
            return 2 * float(law.scale)
        case DiscreteGaussian(square):
            sizes = range(1, 8 + math.ceil(8 * math.sqrt(square)))
            return 1 + 2 * math.fsum(math.exp(-k * k / (2 * float(square))) for k in sizes)
        case Gaussian():
            return math.sqrt(2 * math.pi) * law.sigma


def _weights(law: Law, distance: Floats, step: float) -> Floats:
    """Return a law's weights of distances from 0, that of 0 being 1; or their mean in a step.

    A law shorter than a step weighs in the step around 0 alone, but not on the whole numbers,
    where its weights are those of the law itself.
    """
    scale = _scale(law)
    discrete = isinstance(law, DiscreteLaplace | DiscreteGaussian)
    if scale < step / 2 and not (discrete and step == 1.0):
        short: Floats = (distance == 0) * (_mass(law) / step)
        return short
    gaussian = isinstance(law, DiscreteGaussian | Gaussian)
    if isinstance(law, DiscreteLaplace):
        return np.exp(-distance * float(law.rate))
    weights: Floats = np.exp(-((distance / scale) ** 2) / 2 if gaussian else -distance / scale)
    return weights


def _chances(shapes: Shapes, laws: Sequence[Law], step: float) -> list[float]:
    """Return for each shape the chance that its node accepts the sum of its children."""
    step, size = _grid(shapes, laws, step)
    places = np.arange(size)
    distance = np.minimum(places, size - places) * step
    weights = [_weights(law, distance, step) for law in laws]
    spectra: list[Floats] = []
    answer: list[float] = []
    for shape in shapes.listed:
        chance, spectrum = _one(shape, spectra, weights[shape.level])
        if shape.pinned and shape.below:
            chance /= _share_at_zero(shape, shapes, laws, spectra, step)
        spectra.append(spectrum)
        answer.append(chance)
    return answer


def _grid(shapes: Shapes, laws: Sequence[Law], step: float) -> tuple[float, int]:
    """Return a step, longer where it must be, and the number of places that hold every total."""
    scales = [_scale(law) for law in laws]
    widest = max(
        math.sqrt(2 * sum(many for _, many in shape.below)) * scales[shape.level + 1]
        for shape in shapes.listed
        if shape.below
    )
    reach = TAIL * max(scales) + DEVIATIONS * widest
    size = 1 << math.ceil(math.log2(2 * reach / step))
    return (step, size) if size <= LONGEST_GRID else (2 * reach / LONGEST_GRID, LONGEST_GRID)


def _share_at_zero(
    shape: Shape, shapes: Shapes, laws: Sequence[Law], spectra: list[Floats], step: float
) -> float:
    """Return what the chance of a total in the step around 0 is to be divided by.

    The whole numbers in a step; for real noise, the chance of the last child there.
    """
    if not isinstance(laws[0], Laplace):
        return max(step, 1.0)
    last = last_child(shape, shapes, laws)
    return 1.0 if last is None else float(np.fft.irfft(spectra[last])[0])


def _one(shape: Shape, spectra: list[Floats], weights: Floats) -> tuple[float, Floats]:
    """Return the chance of acceptance of a shape, and the spectrum of its total."""
    size = weights.size
    if not shape.below:
        total = weights / weights.sum()
        if shape.pinned:
            total = (np.arange(size) == 0) * 1.0
        return 1.0, np.fft.rfft(total).real
    product = np.ones(size // 2 + 1)
    for child, many in shape.below:
        product *= spectra[child] ** many
    total = np.maximum(np.fft.irfft(product, size), 0.0)
    if shape.pinned:
        return float(total[0]), np.ones(size // 2 + 1)
    total *= weights
    chance = float(total.sum())
    return chance, np.fft.rfft(total / chance).real
