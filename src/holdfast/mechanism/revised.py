"""M( . | C): a mechanism whose noise is conditioned on an invariant.

Equalities: the noise is drawn without seeing the table. Inequalities: the noise depends on the
table, in a range and a number of steps that do not.

Claim.      A draw has the law of the noisy table given that it obeys the invariant, as far as
            the evidence says.
Reason.     docs/theory/revision.md#what-is-conditioned-on
Checked by. tests/mechanism/test_revised.py
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Never, assert_never

import numpy.typing as npt

from holdfast.foundation.errors import BadParameter, BadTable, Fault
from holdfast.foundation.exact import whole
from holdfast.foundation.progress import Progress
from holdfast.foundation.randomness import Chance, check_chance, check_simulation
from holdfast.mechanism.certification import (
    Verdict,
    certificate_of,
    certify_revised,
    withheld_of,
)
from holdfast.mechanism.condition import Condition
from holdfast.mechanism.expectation import Expectation, errors_given
from holdfast.mechanism.way import Blind, Sighted, Way
from holdfast.privacy.certificate.certificate import Certificate
from holdfast.revision.closed_forms.conditional_density import ConditionalDensity
from holdfast.revision.evidence import Evidence
from holdfast.worlds.invariant import Invariant
from holdfast.worlds.vectors import Numbers

if TYPE_CHECKING:
    from holdfast.mechanism.plain import Mechanism
    from holdfast.mechanism.release import Release
    from holdfast.mechanism.updated import Updated


@dataclass(frozen=True, repr=False)
class Revised:
    """A mechanism given an invariant; made by `Mechanism.revise`."""

    mechanism: "Mechanism"
    condition: Condition
    way: Way
    progress: Progress

    @property
    def method(self) -> str:
        """Return the word for how the noise is drawn."""
        return self.way.method

    @property
    def why(self) -> str:
        """Return why the noise is drawn so."""
        return self.way.why

    @property
    def evidence(self) -> Evidence:
        """Return what is proven of the draws."""
        return self.way.sampler.evidence

    @property
    def invariant(self) -> Invariant:
        """Return what is conditioned on."""
        return self.condition.invariant

    def certified(self, moved: Invariant | None = None) -> Verdict:
        """Return the certificate, of draws moved onto an invariant where one is given."""
        return certify_revised(self, moved)

    @property
    def certificate(self) -> Certificate | None:
        """Return what is proven of a draw, or None: then `withheld` says why."""
        return certificate_of(self._verdict)

    @property
    def withheld(self) -> str | None:
        """Return why there is no certificate, or None where there is one."""
        return withheld_of(self._verdict)

    @cached_property
    def _verdict(self) -> Verdict:
        return self.certified()

    def delta_at(self, epsilon: object) -> Fraction:
        """Return the delta with which a draw keeps a smaller epsilon: the noise's own profile.

        For discrete Laplace noise given equalities, where a person has one row.
        """
        from holdfast.mechanism.profile import delta_of

        return delta_of(self, epsilon)

    @property
    def is_revised(self) -> bool:
        """Return whether the noise is conditioned on an invariant."""
        return True

    def draw(self, values: Any, chance: Chance) -> Numbers:
        """Return one noisy vector over all nodes that obeys the invariant."""
        table = self._checked(values)
        check_chance(chance)
        noisy: Numbers = table + self._noise(table, chance, 1)[0]
        return noisy

    def draws(self, values: Any, count: int, chance: Chance) -> Numbers:
        """Return many noisy vectors, one a row: a simulation, so it refuses system chance."""
        table, many = self._checked(values), whole(count, "count", least=0)
        check_simulation(chance)
        noisy = self._noise(table, chance, many)
        noisy += table
        return noisy

    def release(self, values: Any, chance: Chance, confidence: object = "0.95") -> "Release":
        """Return value, lower and upper for every node, with the certificate: one release."""
        from holdfast.mechanism.release import of_noise

        return of_noise(self, values, chance, confidence)

    def _noise(self, table: Numbers, chance: Chance, count: int) -> npt.NDArray[Any]:
        """Return noise, one vector a row; a blind way is not handed the table."""
        match self.way:
            case Blind(sampler):
                return sampler.noise(chance, count)
            case Sighted(sampler):
                return sampler.noise_for(table, chance, count)
            case _:
                assert_never(self.way)

    def variance(self, by: str = "node") -> Any:
        """Return the variance of the noise by "node", or its sum by "level" or in "total"."""
        return self._expected.variance(by)

    def expected_error(self, norm: str = "l1", by: str = "node") -> Any:
        """Return how large the noise is on average, before any data is read.

        "l1" is the mean absolute error, by "node", or its sum by "level" or in "total"; "l2" is
        the root of the mean squared error of the node, the level, or the whole table.
        """
        return self._expected.error(norm, by)

    def interval(self, confidence: object = "0.95") -> Numbers:
        """Return each node's half-width: value +- it misses the true count no more often."""
        return self._expected.interval(confidence)

    def update(
        self, invariant: Invariant, norm: str = "l2", integers: bool | None = None
    ) -> "Updated":
        """Return the street: noise given the equalities, then moved onto all the rules."""
        from holdfast.mechanism.update_rules import updated

        return updated(self, self.mechanism, invariant, norm, integers)

    def revise(self, *_: Any, **__: Any) -> Never:
        """Refuse: one conditioning takes all the rules."""
        found, remedy = "a second revision", "Give all rules to one revise."
        raise BadParameter(Fault("revise", "one revision", found, remedy))

    @cached_property
    def density(self) -> ConditionalDensity:
        """Return the density of Laplace noise given the equalities, in fractions.

        For small systems; refused by name for other laws, larger ones, and inequalities.
        """
        if isinstance(self.way, Sighted):
            found = "inequalities, under which it depends on the table"
            remedy = "Revise on the equalities alone."
            raise BadParameter(Fault("density", "equalities", found, remedy))
        return ConditionalDensity(self.condition.system)

    @cached_property
    def _expected(self) -> Expectation:
        tree, condition = self.mechanism.tree, self.condition
        return Expectation(tree, lambda: errors_given(condition, self.progress))

    def _checked(self, values: Any) -> Numbers:
        """Return a coherent table that obeys the invariant."""
        table = self.mechanism.checked(values)
        if not self.condition.holds_of_checked(table):
            raise BadTable(
                Fault(
                    "table",
                    "a table that obeys every rule",
                    "one that does not agree with a rule",
                    "Correct the rule: a public fact must be true of the data.",
                )
            )
        return table

    def __repr__(self) -> str:
        kind = type(self.evidence).__name__
        why = f"; {self.why}" if self.why else ""
        return f"<{self.mechanism!r} given {self.invariant!r}: {self.method}, {kind}{why}>"
