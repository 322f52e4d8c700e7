"""The product's certificates beside exact losses, case by case."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import holdfast as hf
from holdfast.foundation.bounds import Bounds, exp_bounds
from holdfast.noise.law import Law
from holdfast.privacy.certificate.certificate import Certificate
from tests.plain.exact_loss import worst_ratio
from tests.plain.loss_cases import Case, Path

NEAR = Fraction(1, 10**8)
STREETS = ("plain", "revise", "revise-update", "plain-update", "revise-nonnegative")


@cache
def tree_of(paths: tuple[Path, ...]) -> hf.Hierarchy:
    """Return the tree; equal ones are one, so that its messages are made once."""
    return hf.Hierarchy.from_paths(paths)


@cache
def certificate_of(case: Case) -> Certificate | None:
    """Return the product's certificate of a case, or None where it is withheld or refused."""
    tree = tree_of(case.paths)
    ratios = zip(range(tree.depth), case.ratios, strict=False)
    laws: dict[int | str, Law] = {level: hf.DiscreteLaplace(ratio) for level, ratio in ratios}
    mechanism = hf.Mechanism(tree, laws, neighbours=case.relation, rows=case.rows)
    given = rules_of(case, tree)
    match case.street:
        case "plain":
            return mechanism.certificate
        case "plain-update":
            return mechanism.update(given).certificate
        case "revise":
            return mechanism.revise(given).certificate
        case "revise-update":
            return mechanism.revise(given).update(given & hf.nonnegative()).certificate
        case _:
            return mechanism.revise(given & hf.nonnegative()).certificate


def rules_of(case: Case, tree: hf.Hierarchy) -> hf.Invariant:
    """Return the sums, and the pinned nodes; they are pinned to what leaves room for rows."""
    rows, room = [], []
    for path in case.pinned:
        row = [0] * tree.size
        row[tree.find(path)] = 1
        rows.append(row)
        room.append(5 * int(tree.leaf_counts[tree.find(path)]))
    return tree.sums() & hf.equalities(rows, room) if rows else tree.sums()


@dataclass(frozen=True)
class Judged:
    """A case, its certificate, and the exact worst loss as a ratio with two ends."""

    case: Case
    certificate: Certificate | None
    below: Fraction
    above: Fraction
    claimed: Fraction | None = None  # instead of the certificate's epsilon: by a saboteur

    @property
    def is_covered(self) -> bool:
        """Whether e**epsilon is at least the worst ratio found."""
        return self._power.above >= self.below

    @property
    def is_tight(self) -> bool:
        """Whether e**epsilon is at most the ratio, but for what messages round."""
        return self._power.below <= self.above * (1 + NEAR)

    @property
    def _power(self) -> Bounds:
        """Return e**epsilon; without a certificate, 1."""
        epsilon = self.certificate.epsilon if self.certificate else None
        return exp_bounds(self.claimed or epsilon or Fraction(0))


def is_refused(case: Case) -> bool:
    """Whether a fact under add-remove is refused before anything is certified."""
    return case.relation == "add-remove" and bool(case.pinned) and case.street != "plain"


def judged(street: str, every: Iterable[Case]) -> Iterator[Judged]:
    """Yield the cases of a street that the product takes."""
    for case in every:
        if case.street != street:
            continue
        if is_refused(case):
            continue
        worst = worst_ratio(case) or (Fraction(1), Fraction(1))
        yield Judged(case, certificate_of(case), *worst)
