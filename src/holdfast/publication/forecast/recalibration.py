"""A calibrated mechanism spending another amount: all else, the split included, stays the same.

Claim.      With its own amount a mechanism is made anew exactly as it was.
Reason.     docs/theory/sensitivity.md#calibration
Checked by. tests/publication/forecast/test_needed_budget.py
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from holdfast.foundation.errors import BadParameter, Fault
from holdfast.mechanism.plain import Mechanism
from holdfast.noise.budget import Concentrated, Pure
from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.law import Law
from holdfast.noise.sensitivity import sensitivity
from holdfast.worlds.hierarchy import Hierarchy


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A mechanism, the amount that it spends, and the share of each level."""

    mechanism: Mechanism
    amount: Fraction
    shares: tuple[Fraction, ...]
    word: Literal["epsilon", "rho"]

    @property
    def tree(self) -> Hierarchy:
        """Return the tree."""
        return self.mechanism.tree

    @property
    def power(self) -> int:
        """Return how the amount goes with the noise: epsilon as 1 / scale, rho as its square."""
        return 1 if self.word == "epsilon" else 2

    def spending(self, amount: Fraction) -> Mechanism:
        """Return the mechanism that spends so much."""
        old = self.mechanism
        split: dict[int | str, object] = dict(enumerate(self.shares))
        relation, rows = str(old.neighbours), old.rows
        if self.word == "epsilon":
            family = "discrete-laplace"
            return Mechanism.calibrate(old.tree, family, relation, split, rows, epsilon=amount)
        family = "discrete-gaussian"
        return Mechanism.calibrate(old.tree, family, relation, split, rows, rho=amount)


def calibrated(mechanism: Mechanism) -> Calibrated:
    """Return what a mechanism was calibrated for; discrete laws only."""
    distances = sensitivity(mechanism.tree.depth, mechanism.neighbours, mechanism.rows)
    match mechanism.budget:
        case Pure(amount):
            shares = [
                _laplace_share(law, far, amount)
                for law, far in zip(mechanism.laws, distances.l1, strict=True)
            ]
            word: Literal["epsilon", "rho"] = "epsilon"
        case Concentrated(amount):
            shares = [
                _gaussian_share(law, far, amount)
                for law, far in zip(mechanism.laws, distances.squared_l2, strict=True)
            ]
            word = "rho"
        case _:
            raise _refused()
    if not distances.costs(0):
        shares = _with_a_root(_root_share(mechanism, amount), shares[1:])
    return Calibrated(mechanism, amount, tuple(shares), word)


def _root_share(mechanism: Mechanism, amount: Fraction) -> Fraction:
    """Return the share that the root's law has at the distance of the others."""
    distances = sensitivity(mechanism.tree.depth, mechanism.neighbours, mechanism.rows)
    law = mechanism.laws[0]
    if isinstance(law, DiscreteGaussian):
        return _gaussian_share(law, distances.squared_l2[-1], amount)
    return _laplace_share(law, distances.l1[-1], amount)


def _with_a_root(root: Fraction, others: list[Fraction]) -> list[Fraction]:
    """Return shares that give a root that costs nothing its law; the others' add up to 1.

    Without a share it takes the smallest of the others'; what it is given they share.
    """
    if root == min(others):
        return [Fraction(0), *others]
    return [root, *(share * (1 - root) for share in others)]


def _laplace_share(law: Law, far: int, epsilon: Fraction) -> Fraction:
    """Return the share of epsilon at a level."""
    if not isinstance(law, DiscreteLaplace) or law.scale is None:
        raise _refused()
    return far / (law.scale * epsilon)


def _gaussian_share(law: Law, far: int, rho: Fraction) -> Fraction:
    """Return the share of rho at a level."""
    if not isinstance(law, DiscreteGaussian):
        raise _refused()
    return far / (2 * law.variance_parameter * rho)


def _refused() -> BadParameter:
    asked = "a mechanism calibrated with discrete laws for epsilon or rho"
    remedy = "Make it with Mechanism.calibrate."
    return BadParameter(Fault("mechanism", asked, "another", remedy))
