"""M: a tree, a law of noise for each level, and the neighbour relation.

The mechanism adds independent noise to every node of a coherent table. `revise` conditions that
noise on what must be true; `update` moves the noisy table onto it.

Claim.      The chance of a noisy vector is the product of the laws' chances of its noise.
Reason.     docs/theory/noise.md#the-mechanism
Checked by. tests/mechanism/test_plain.py
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import numpy.typing as npt

from holdfast.foundation.confidential import Confidential
from holdfast.foundation.errors import BadParameter, BadTable, Fault, raise_all, shown
from holdfast.foundation.exact import whole
from holdfast.foundation.progress import Progress, silent
from holdfast.foundation.randomness import Chance, check_chance, check_simulation
from holdfast.mechanism.certification import (
    Verdict,
    certificate_of,
    certify_plain,
    withheld_of,
)
from holdfast.noise.budget import Budget, BudgetWords, budget_of
from holdfast.noise.calibration import calibrate, equal_shares, given_shares
from holdfast.noise.law import Law, family_of, is_discrete, is_law
from holdfast.noise.sensitivity import MOST_ROWS, Neighbours, neighbours_of, sensitivity
from holdfast.privacy.certificate.certificate import Certificate
from holdfast.worlds.hierarchy import Hierarchy
from holdfast.worlds.invariant import Invariant
from holdfast.worlds.vectors import Numbers, vector_of

if TYPE_CHECKING:
    from holdfast.mechanism.expectation import Expectation
    from holdfast.mechanism.release import Release
    from holdfast.mechanism.revised import Revised
    from holdfast.mechanism.updated import Updated

LARGEST_COUNT = 2**62  # noise beyond as much again has a chance below e**(-2**20)


@dataclass(frozen=True, init=False, repr=False, slots=True)
class Mechanism:
    """M: the table of a tree with noise on every node, the law given level by level."""

    tree: Hierarchy
    laws: tuple[Law, ...]
    neighbours: Neighbours
    rows: int
    budget: Budget | None

    def __init__(
        self,
        tree: Hierarchy,
        law: Law | Mapping[int | str, Law],
        neighbours: str = "add-remove",
        rows: int = 1,
    ) -> None:
        _check_tree(tree)
        object.__setattr__(self, "tree", tree)
        object.__setattr__(self, "laws", _by_level(tree, law))
        object.__setattr__(self, "neighbours", neighbours_of(neighbours))
        object.__setattr__(self, "rows", whole(rows, "rows of one person", least=1, most=MOST_ROWS))
        object.__setattr__(self, "budget", None)

    def __repr__(self) -> str:
        laws = zip(self.tree.level_names, self.laws, strict=True)
        listed = ", ".join(f"{name} {law!r}" for name, law in laws)
        return f"<mechanism on {self.tree!r}: {self.neighbours}, rows {self.rows}; {listed}>"

    @staticmethod
    def calibrate(
        tree: Hierarchy,
        family: str,
        neighbours: str = "add-remove",
        split: Mapping[int | str, object] | None = None,
        rows: int = 1,
        **budget: Unpack[BudgetWords],
    ) -> "Mechanism":
        """Return the mechanism that spends a budget: never more, and in these shares a level.

        The family says in which words the budget is given:

            "discrete-laplace", "laplace"   epsilon=
            "discrete-gaussian"             rho=
            "gaussian"                      epsilon= and delta=

        `neighbours` is "add-remove" or "replace-one". `split` gives each level, by number or
        name ("root" for the root), its exact share; the default is equal. `rows` is the most
        rows that one person has; 1 means exactly one row each.
        """
        _check_tree(tree)
        relation = neighbours_of(neighbours)
        distances = sensitivity(tree.depth, relation, rows)
        shares = equal_shares(distances)
        if split is not None:
            numbered = _numbered(tree, split, "split")
            shares = given_shares(numbered, tree.level_names, distances)
        asked = budget_of(budget)
        laws = calibrate(family_of(family), asked, distances, shares)
        return Mechanism(tree, dict(enumerate(laws)), relation, rows)._for(asked)

    def _for(self, budget: Budget | None) -> "Mechanism":
        """Return this mechanism, made and known to be made for a budget."""
        object.__setattr__(self, "budget", budget)
        return self

    @property
    def is_discrete(self) -> bool:
        """Return whether whole numbers go in and come out."""
        return all(is_discrete(law) for law in self.laws)

    @property
    def is_revised(self) -> bool:
        """Return whether the noise is conditioned on an invariant."""
        return False

    def certified(self, moved: Invariant | None = None) -> Verdict:
        """Return the certificate, of draws moved onto an invariant where one is given."""
        return certify_plain(self, moved)

    @property
    def certificate(self) -> Certificate | None:
        """Return what is proven of a draw, or None: then `withheld` says why."""
        return certificate_of(self.certified())

    @property
    def withheld(self) -> str | None:
        """Return why there is no certificate, or None where there is one."""
        return withheld_of(self.certified())

    def draw(self, values: Any, chance: Chance) -> Numbers:
        """Return the noisy vector over all nodes of a coherent table.

        Whole numbers are checked to add up; floats are not, since their sums are rounded.
        """
        noisy: Numbers = self.checked(values) + self._noise(chance, 1)[0]
        return noisy

    def draws(self, values: Any, count: int, chance: Chance) -> Numbers:
        """Return many noisy vectors, one a row: a simulation, so it refuses system chance."""
        check_simulation(chance)
        noisy: Numbers = self.checked(values) + self._noise(chance, whole(count, "count", least=0))
        return noisy

    def variance(self, by: str = "node") -> Any:
        """Return the variance of the noise by "node", or its sum by "level" or in "total"."""
        return self._expected.variance(by)

    def expected_error(self, norm: str = "l1", by: str = "node") -> Any:
        """Return how large the noise is on average; the words are those of a revised mechanism."""
        return self._expected.error(norm, by)

    def interval(self, confidence: object = "0.95") -> Numbers:
        """Return each node's half-width: value +- it misses the true count no more often."""
        return self._expected.interval(confidence)

    def release(self, values: Any, chance: Chance, confidence: object = "0.95") -> "Release":
        """Return value, lower and upper for every node, with the certificate: one release."""
        from holdfast.mechanism.release import of_noise

        return of_noise(self, values, chance, confidence)

    @property
    def _expected(self) -> "Expectation":
        from holdfast.mechanism.expectation import Expectation
        from holdfast.mechanism.plain_errors import PlainErrors

        return Expectation(self.tree, lambda: PlainErrors(self.tree, self.laws))

    def revise(
        self, invariant: Invariant, method: str = "auto", progress: Progress = silent
    ) -> "Revised":
        """Return the mechanism given the invariant: M( . | C), its noise conditioned on C.

        `method` is one of these words; "auto" takes the first that fits, and says why.

            "closed-form"   one group and its total; Gaussian noise on any equalities
            "exact"         whole numbers on a tree, by trial: no error at all
            "rejection"     the same for Laplace noise, in floats: research
            "messages"      whole numbers on a tree of any size: a proven bound
            "gibbs"         Laplace noise on any equalities: research
            "metropolis"    the paper's M_MH: research
        """
        from holdfast.mechanism.revising import revised  # samplers load when they are asked for

        return revised(self, invariant, method, progress)

    def update(
        self, invariant: Invariant, norm: str = "l2", integers: bool | None = None
    ) -> "Updated":
        """Return M_C: the mechanism, its noisy table moved to the nearest one that obeys C.

        Whole numbers become the nearest whole numbers, floats floats; `integers` overrides.
        Nearest in squares weighted by inverse variances, or, by norm "l1", in sizes so weighted.
        """
        from holdfast.mechanism.update_rules import updated

        return updated(self, self, invariant, norm, integers)

    def _noise(self, chance: Chance, count: int) -> npt.NDArray[Any]:
        """Return independent noise for every node, one vector a row."""
        check_chance(chance)
        edges = self.tree.arrays.level_offsets.tolist()
        noise = np.empty((count, self.tree.size), dtype=np.int64 if self.is_discrete else float)
        for law, start, stop in zip(self.laws, edges, edges[1:], strict=False):
            noise[:, start:stop] = law.draw(chance, (count, stop - start))
        return noise

    def checked(self, values: Any) -> Numbers:
        """Return a coherent table; whole numbers where the laws are discrete.

        A sealed vector over the leaves is opened here, and added up.
        """
        if isinstance(values, Confidential):
            values = self.tree.aggregate(values.open_inside_a_mechanism())
        vector = vector_of(values, self.tree.size, "table")
        if self.is_discrete and vector.dtype.kind != "i":
            raise BadTable(
                Fault(
                    "table",
                    "whole numbers",
                    "floats",
                    'Discrete noise is for whole numbers: counts.astype("int64"), if they are.',
                )
            )
        largest = max(int(vector.max()), -int(vector.min())) if vector.dtype.kind == "i" else 0
        if largest >= LARGEST_COUNT:  # in Python's numbers: the size of -2**63 wraps in NumPy's
            raise BadTable(
                Fault("table", "counts below 2**62", "a larger one", "Count in a larger unit.")
            )
        if vector.dtype.kind == "i" and not self.tree.sums().holds(vector):
            raise BadTable(
                Fault(
                    "table",
                    "a table in which every parent is the sum of its children",
                    "one that does not add up",
                    "Make it with tree.aggregate from the leaves.",
                )
            )
        return vector


def _check_tree(tree: object) -> None:
    """Refuse what is no tree."""
    if not isinstance(tree, Hierarchy):
        found = f"a {type(tree).__name__}"
        raise BadParameter(Fault("tree", "a Hierarchy", found, "Make one with Hierarchy.from_..."))


def _numbered(tree: Hierarchy, by_name: Mapping[Any, Any], subject: str) -> dict[int, Any]:
    """Return a mapping by level number; a level named twice is refused."""
    if not isinstance(by_name, Mapping):
        found = f"a {type(by_name).__name__}"
        raise BadParameter(
            Fault(subject, "a mapping from level", found, 'Write {"root": ..., 1: ...}.')
        )
    numbered = {tree.level_number(name): value for name, value in by_name.items()}
    if len(numbered) < len(by_name):
        raise BadParameter(
            Fault(subject, "each level once", "a level by number and by name", "Name it once.")
        )
    return numbered


def _by_level(tree: Hierarchy, law: Law | Mapping[int | str, Law]) -> tuple[Law, ...]:
    """Return one law for each level."""
    if is_law(law):
        return (law,) * tree.depth
    if not isinstance(law, Mapping):
        found = f"a {type(law).__name__}"
        raise BadParameter(Fault("law", "a law, or one for each level", found, "Give a law."))
    numbered = _numbered(tree, law, "laws")
    faults = [
        Fault(f"laws, {name}", "a law of noise", shown(numbered.get(level)), "Give it a law.")
        for level, name in enumerate(tree.level_names)
        if not is_law(numbered.get(level))
    ]
    raise_all(BadParameter, faults)
    laws = tuple(numbered[level] for level in range(tree.depth))
    if len({is_discrete(each) for each in laws}) > 1:
        raise BadParameter(
            Fault("laws", "discrete or continuous laws", "both kinds", "Use one kind.")
        )
    return laws
