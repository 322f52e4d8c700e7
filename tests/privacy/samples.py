"""Certificates of chosen costs, made as the product makes them."""

from fractions import Fraction

from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.sensitivity import neighbours_of
from holdfast.privacy.certificate.certificate import Certificate, Promise
from holdfast.privacy.certificate.noise_reasons import Calibration
from holdfast.privacy.certificate.step_reasons import Conversion, InexactDraw, Update
from holdfast.worlds.rules import Kind, Statement

SUMS = Statement("sums", Kind.STRUCTURAL)
TOTAL = Statement("total = 3", Kind.FACT)


def of_reason(reason, neighbours="add-remove", unit="row", rules=()) -> Certificate:
    promise = Promise(neighbours_of(neighbours), 1, unit)
    return Certificate(promise, tuple(rules), "independent draws: Exact()", reason)


def pure_noise(epsilon) -> Calibration:
    return Calibration((DiscreteLaplace(scale=1 / Fraction(epsilon)),), (1,), 1)


def gaussian_noise(rho) -> Calibration:
    return Calibration((DiscreteGaussian(1 / (2 * Fraction(rho))),), (1,), 1)


def pure(epsilon, **words) -> Certificate:
    """Return a certificate of this epsilon, for rules that an update names."""
    law = DiscreteLaplace(scale=1 / Fraction(epsilon))
    noise = Calibration((law, law), (0, 1), 1)
    if words.get("neighbours", "add-remove") == "add-remove":
        noise = pure_noise(epsilon)
    rules = tuple(rule.name for rule in words.get("rules", ()))
    return of_reason(Update(noise, rules) if rules else noise, **words)


def gaussian(rho, **words) -> Certificate:
    return of_reason(gaussian_noise(rho), **words)


def modelled(rho, delta, **words) -> Certificate:
    return of_reason(Conversion(gaussian_noise(rho), Fraction(delta)), **words)


def inexact(epsilon, truncation, **words) -> Certificate:
    return of_reason(InexactDraw(pure_noise(epsilon), Fraction(truncation), Fraction(0)), **words)
