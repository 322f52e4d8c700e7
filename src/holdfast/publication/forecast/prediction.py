"""What to expect of each street at each level, before any data is read.

Figures are exact where theory knows them and simulated elsewhere; each says which.

Claim.      Nothing here opens data: a mechanism, rules and public counts are all it is given.
Reason.     docs/theory/prediction.md
Checked by. tests/publication/forecast/test_prediction.py
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.foundation.exact import between
from holdfast.foundation.progress import Progress, silent
from holdfast.mechanism.expectation import known_before_data
from holdfast.mechanism.plain import Mechanism
from holdfast.mechanism.revised import Revised
from holdfast.mechanism.updated import Updated
from holdfast.noise.gaussian import Gaussian
from holdfast.privacy.certificate.certificate import Certificate
from holdfast.publication.forecast.invented_table import PublicTable, public_table
from holdfast.publication.forecast.simulation import (
    Simulated,
    simulated,
    simulated_beside,
)
from holdfast.publication.forecast.streets import PLAIN, Street, Way, streets
from holdfast.publication.level_error import (
    NO_INTERVAL,
    LevelError,
    by_level,
    level_errors,
    widest,
)
from holdfast.revision.inequalities.nonnegative_messages import NonnegativeMessages
from holdfast.update.trees.tree_least_squares import TreeLeastSquares
from holdfast.worlds.hierarchy import Hierarchy
from holdfast.worlds.invariant import Invariant

Floats = npt.NDArray[np.float64]
QUICK = 1 << 28  # products of long floats: about a second
NOT_RULED = "does not add up; shown for comparison"
AROUND = "the interval is that of the value before the update, stretched to hold the updated one"


@dataclass(frozen=True, slots=True)
class StreetForecast:
    """One street: its levels, its certificate or why there is none, and what to know of it.

    No levels: the street is closed, or too slow to simulate, and the note says why.
    """

    street: str
    levels: tuple[LevelError, ...]
    certificate: Certificate | None
    withheld: str | None
    note: str
    recommended: bool


def forecast(
    mechanism: Mechanism,
    rules: Invariant,
    confidence: object = "0.95",
    table: Any = None,
    progress: Progress = silent,
) -> tuple[StreetForecast, ...]:
    """Return what to expect of every street; `table` are public leaf counts to simulate on."""
    between(confidence, "confidence", 0, 1)
    public = public_table(mechanism, rules, table)
    listed = streets(mechanism, rules, progress)
    return tuple(_Prediction(each, confidence, public, progress).told for each in listed)


@dataclass(frozen=True, slots=True)
class _Prediction:
    """One street and what it is looked at with."""

    street: Street
    confidence: object
    public: PublicTable
    progress: Progress

    @property
    def told(self) -> StreetForecast:
        """Return the forecast."""
        way, name, best = self.street.way, self.street.name, self.street.recommended
        if way is None:
            return StreetForecast(name, (), None, self.street.why_not, "not available", best)
        levels, note = self._levels(way)
        if name == PLAIN:
            note = f"{note}; {NOT_RULED}"
        return StreetForecast(name, levels, way.certificate, way.withheld, note, best)

    def _levels(self, way: Way) -> tuple[tuple[LevelError, ...], str]:
        """Return the levels, and how they were found."""
        source = way.source if isinstance(way, Updated) else way
        known = _is_known(source)
        if isinstance(way, Updated):
            return self._of_update(way, known)
        if known:
            return level_errors(_tree(way), *_means(way), self._widths(way), True), "exact"
        if isinstance(way, Revised) and (why := _too_slow(way)):
            return (), why
        found = simulated(way, self.public, self.progress, "simulated noise")
        return self._of_simulation(_tree(way), found, _nothing(_tree(way)))

    def _of_update(self, way: Updated, known: bool) -> tuple[tuple[LevelError, ...], str]:
        """Return the levels of an updated street."""
        widths = self._widths(way.source) if known else _nothing(way.tree)
        if _is_normal(way):
            variances = way.variance()
            sizes = np.sqrt(2 / np.pi * variances)
            means = by_level(way.tree, sizes), by_level(way.tree, variances)
            return level_errors(way.tree, *means, widths, True), f"exact; {AROUND}"
        if known:
            found = simulated_beside(way, _means(way.source), self.public, self.progress)
        else:
            found = simulated(way, self.public, self.progress, "simulated update")
        if _is_linear(way):
            found = replace(found, variances=by_level(way.tree, way.variance()))
        levels, note = self._of_simulation(way.tree, found, widths)
        return levels, f"{note}; {AROUND}" if known else note

    def _of_simulation(
        self, tree: Hierarchy, found: Simulated, widths: Floats
    ) -> tuple[tuple[LevelError, ...], str]:
        levels = level_errors(tree, found.sizes, found.variances, widths, False)
        above = found.sizes > 0
        stray = float((found.strays[above] / found.sizes[above]).max(initial=0.0))
        said = f"simulated: {found.draws:,} draws on {self.public.called}"
        return levels, f"{said}; standard error of a mean error at most {100 * stray:.1f} %"

    def _widths(self, source: Mechanism | Revised) -> Floats:
        return widest(_tree(source), source.interval(self.confidence))


def _tree(way: Way) -> Hierarchy:
    return way.mechanism.tree if isinstance(way, Revised) else way.tree


def _is_known(source: Mechanism | Revised) -> bool:
    """Return whether theory knows the errors of noise at every node."""
    return isinstance(source, Mechanism) or known_before_data(source.condition)


def _is_linear(way: Updated) -> bool:
    """Return whether the update is a projection of plain noise in floats."""
    plain = isinstance(way.source, Mechanism) and not way.source.is_discrete
    return plain and isinstance(way.ways.real, TreeLeastSquares)


def _is_normal(way: Updated) -> bool:
    """Return whether the update is a projection of plain normal noise: normal again."""
    laws = way.source.laws if isinstance(way.source, Mechanism) else ()
    return _is_linear(way) and all(isinstance(law, Gaussian) for law in laws)


def _means(source: Mechanism | Revised) -> tuple[Floats, Floats]:
    """Return the mean size and the mean variance of the noise, by level."""
    tree = _tree(source)
    return by_level(tree, source.expected_error()), by_level(tree, source.variance())


def _nothing(tree: Hierarchy) -> Floats:
    return np.full(tree.depth, NO_INTERVAL)


def _too_slow(revised: Revised) -> str:
    """Return why draws of messages for one table would take long, or nothing."""
    sampler = revised.way.sampler
    if not isinstance(sampler, NonnegativeMessages):
        return ""
    products = 2 * revised.mechanism.tree.size * (2 * sampler.radius + 1) ** 2
    if products <= QUICK:
        return ""
    return f"not simulated: {products:.0e} products a table; revise on the sums and update instead"
