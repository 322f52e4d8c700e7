"""The laws that spend a budget on the levels of a tree, never more than asked.

Claim.      The privacy loss of the returned laws, added up over the levels, is at most the
            budget, and equal to it (for the Gaussian, up to the last bit of a float).
Reason.     docs/theory/sensitivity.md#calibration
Checked by. tests/noise/test_calibration.py
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from holdfast.foundation.errors import BadParameter, Fault, raise_all, shown
from holdfast.foundation.exact import exact
from holdfast.noise.budget import Approximate, Budget, Concentrated, Pure
from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.gaussian import Gaussian
from holdfast.noise.gaussian_scale import largest_shift
from holdfast.noise.laplace import Laplace
from holdfast.noise.law import Family, Law
from holdfast.noise.sensitivity import Sensitivity

BUDGETS: dict[Family, type[Budget]] = {
    "laplace": Pure,
    "discrete-laplace": Pure,
    "gaussian": Approximate,
    "discrete-gaussian": Concentrated,
}
Shares = tuple[Fraction, ...]


def equal_shares(distances: Sensitivity) -> Shares:
    """Return equal shares for the levels that cost something, and 0 for the others."""
    paying = [distances.costs(level) for level in range(len(distances.l1))]
    return tuple(Fraction(pays, sum(paying)) for pays in paying)


def given_shares(
    split: Mapping[int, object], names: Sequence[str], distances: Sensitivity
) -> Shares:
    """Return the shares of a split: one for each level that costs, adding up to 1 exactly.

    A level that costs nothing may go without.
    """
    faults = [
        Fault(f"split, {name}", "a share", "none", "Give every level a share.")
        for level, name in enumerate(names)
        if level not in split and distances.costs(level)
    ]
    raise_all(BadParameter, faults)
    shares = tuple(exact(split.get(n, 0), f"split, {name}") for n, name in enumerate(names))
    faults = [
        Fault(f"split, {name}", "a share above 0", shown(share), "Give it some share.")
        for level, (name, share) in enumerate(zip(names, shares, strict=True))
        if share < 0 or (not share and distances.costs(level))
    ]
    if sum(shares) != 1:
        total = shown(sum(shares))
        remedy = 'Write exact shares, as decimal strings: "0.2", not 0.2.'
        faults.append(Fault("split", "shares that add up to exactly 1", total, remedy))
    raise_all(BadParameter, faults)
    return shares


def calibrate(
    family: Family, budget: Budget, distances: Sensitivity, shares: Shares
) -> tuple[Law, ...]:
    """Return one law for each level.

    A level that costs nothing takes the law it would have at the distance of the others, with
    its own share, or with the smallest one where it has none; the others share what it is given.
    """
    if type(budget) is not BUDGETS[family]:
        raise _wrong_budget(family, budget)
    least = min(share for share in shares if share > 0)
    l1 = [far or distances.l1[-1] for far in distances.l1]
    squared = [far or distances.squared_l2[-1] for far in distances.squared_l2]
    used = sum(share for level, share in enumerate(shares) if distances.costs(level))
    paid = [
        share / used if distances.costs(level) else share or least
        for level, share in enumerate(shares)
    ]
    try:
        return _laws(family, budget, (l1, squared), paid)
    except BadParameter as error:
        reason = str(error)
    raise BadParameter(
        Fault(
            "budget",
            "one whose noise this law can carry at every level",
            f"noise that it cannot ({reason})",
            "Spend more or less, or split it otherwise.",
        )
    )


def _laws(
    family: Family, budget: Budget, far: tuple[list[int], list[int]], shares: list[Fraction]
) -> tuple[Law, ...]:
    """Return one law for each level, at these L1 and squared L2 distances."""
    l1 = list(zip(far[0], shares, strict=True))
    squared = list(zip(far[1], shares, strict=True))
    match family, budget:
        case "laplace", Pure(epsilon):
            return tuple(Laplace(distance / (share * epsilon)) for distance, share in l1)
        case "discrete-laplace", Pure(epsilon):
            return tuple(
                DiscreteLaplace(scale=distance / (share * epsilon)) for distance, share in l1
            )
        case "discrete-gaussian", Concentrated(rho):
            return tuple(
                DiscreteGaussian(distance / (2 * share * rho)) for distance, share in squared
            )
        case "gaussian", Approximate(epsilon, delta):
            shift = largest_shift(epsilon, delta) ** 2
            return tuple(Gaussian(distance / (share * shift)) for distance, share in squared)
        case _:
            raise AssertionError  # pragma: no cover


def _wrong_budget(family: Family, budget: Budget) -> BadParameter:
    """Return the refusal of a budget that the family does not take."""
    wants = {"gaussian": "epsilon and delta", "discrete-gaussian": "rho"}.get(family, "epsilon")
    found = ", ".join(budget.__slots__)
    return BadParameter(
        Fault(f"budget for {family} noise", wants, found, f"Give {wants}, nothing else.")
    )
