"""The closed family of laws, and the names people call them by."""

from typing import Literal, TypeGuard, get_args

from holdfast.foundation.errors import BadParameter, Fault, shown
from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.gaussian import Gaussian
from holdfast.noise.laplace import Laplace

Law = Laplace | Gaussian | DiscreteLaplace | DiscreteGaussian
DiscreteLaw = DiscreteLaplace | DiscreteGaussian
Family = Literal["laplace", "gaussian", "discrete-laplace", "discrete-gaussian"]


def family_of(name: object) -> Family:
    """Return the name of a family, or refuse it."""
    for family in get_args(Family):
        if name == family:
            return family  # type: ignore[no-any-return]
    asked = "one of " + ", ".join(get_args(Family))
    raise BadParameter(Fault("family of noise", asked, shown(name), "Use one of these names."))


def is_law(value: object) -> TypeGuard[Law]:
    """Return whether a value is a law of noise."""
    return isinstance(value, Law)


def is_discrete(law: Law) -> bool:
    """Return whether the law's noise is whole numbers."""
    return isinstance(law, DiscreteLaw)
