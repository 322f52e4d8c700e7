"""Inequalities on the noise, and the noise from which a chain may start.

For a table x that must stay non-negative, u >= -x: the limits then speak of the data, and so
does the law of the noise.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import BadParameter, Fault
from holdfast.revision.chains.free_cells import Lines, Values, lines_of, reduced
from holdfast.revision.chains.noise_space import NoiseSpace
from holdfast.worlds.exact_rows import Row

LARGEST = 2**53  # floats hold whole numbers up to it


@dataclass(frozen=True, slots=True)
class Limits:
    """Rows, each of which the noise must reach: coefficients times noise >= right side.

    `start` is public noise over all cells that keeps the rows and the limits. No noise at all
    is refused, and so is a chain with a free cell that never moved: table plus public start
    would tell the table there.
    """

    rows: tuple[Row, ...]
    start: tuple[int, ...] | tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Reached:
    """Limits as arrays, and the free cells of the start."""

    lines: Lines
    rights: Values
    free: Values

    def hold(self, noise: Values) -> npt.NDArray[np.bool_]:
        """Return for each noise vector whether it reaches every limit."""
        answer: npt.NDArray[np.bool_] = np.all(self.lines.times(noise) >= self.rights, axis=1)
        return answer


def reached(limits: Limits, space: NoiseSpace) -> Reached:
    """Return the limits as arrays; refuse a start that is outside, or no noise at all."""
    lines = [(reduced(row, {}), row.right) for row in limits.rows]
    if any(not terms and right > 0 for terms, right in lines):
        raise BadParameter(Fault("limits", "limits in reach", "one that is not", "Drop it."))
    lines = [(terms, right) for terms, right in lines if terms]
    if not {cell for terms, _ in lines for cell in terms} <= set(range(space.cells)):
        asked = f"cells from 0 to {space.cells - 1}"
        raise BadParameter(Fault("limits", asked, "another", "Number cells from 0."))
    noise = _start(limits, space)
    if any(abs(right) > LARGEST for _, right in lines):
        raise BadParameter(Fault("limits", "right sides up to 2**53", "a larger one", "Scale it."))
    rights = np.array([right for _, right in lines], dtype=noise.dtype)
    kept = lines_of([terms for terms, _ in lines], space.whole)
    answer = Reached(kept, rights, noise[:, space.free])
    _check_start(answer, noise, space)
    return answer


def _start(limits: Limits, space: NoiseSpace) -> Values:
    """Return the start as one row; refuse what is no noise over all cells."""
    start = np.array(limits.start)
    kinds = "i" if space.whole else "if"
    fits = start.shape == (space.cells,) and start.dtype.kind in kinds
    if not (fits and np.isfinite(start).all()):
        asked = f"{space.cells} {'whole ' * space.whole}numbers, one a cell"
        raise BadParameter(Fault("start", asked, "something else", "Give noise over all cells."))
    return start.astype(np.int64 if space.whole else np.float64)[None, :]


def _check_start(limits: Reached, noise: Values, space: NoiseSpace) -> None:
    """Refuse a start that breaks a row or a limit, or that is 0 everywhere."""
    asked = "noise that obeys the rows, to rounding, and reaches the limits"
    completed = space.complete(limits.free)  # where the chain stands at first
    far = np.abs(noise - completed) > 1e-9 * np.abs(noise).max()
    if far.any() or not limits.hold(completed).all():
        raise BadParameter(Fault("start", asked, "noise that does not", "Give another start."))
    if not noise.any():
        found = "no noise: a chain that stays there would release the table itself"
        raise BadParameter(Fault("start", asked, found, "Start elsewhere."))
