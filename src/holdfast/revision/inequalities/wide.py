"""Weights over a wider range than floats have: the machine's long floats, where it has any.

A long float has exponents of 15 bits on x86-64 and on 64-bit ARM under Linux. Where it is no
longer than a float (Windows, Apple silicon) fewer trees fit, and the others are refused.

Claim.      Each weight is within the stated relative error of the law's.
Reason.     docs/theory/inequalities.md#what-floats-carry
Checked by. tests/revision/test_wide_weights.py
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.revision.messages.node_weights import fixed_weights

Wide = npt.NDArray[Any]  # of float64 or longdouble
KINDS: tuple[type[np.floating[Any]], ...] = (np.float64, np.longdouble)
ROOM = 18  # powers of e kept clear of the smallest normal number
EXTRA_BITS = 128
ERROR_BITS = 80


@dataclass(frozen=True, eq=False, slots=True)
class WideWeights:
    """r**|s| for |s| up to a radius."""

    weights: Wide
    error: Fraction  # relative


def steepest(kind: type[np.floating[Any]]) -> int:
    """Return how many powers of e may lie between 1 and a number of this kind.

    >>> steepest(np.float64)
    690
    """
    return math.floor(-int(np.finfo(kind).minexp) * math.log(2)) - ROOM


def wide_weights(law: DiscreteLaplace, radius: int, kind: type[np.floating[Any]]) -> WideWeights:
    """Return the weights as numbers of a kind that can carry them."""
    precision = math.ceil(radius * float(law.rate.above) / math.log(2)) + EXTRA_BITS
    listed = fixed_weights(law, radius, precision)
    bits = int(np.finfo(kind).nmant) + 1
    shifts = [max(0, weight.below.bit_length() - bits) for weight in listed]
    tops = [weight.below >> shift for weight, shift in zip(listed, shifts, strict=True)]
    upper = np.array([top >> 32 for top in tops]).astype(kind)
    lower = np.array([top & 0xFFFFFFFF for top in tops]).astype(kind)
    exponents = np.array(shifts) - precision
    half = np.ldexp(np.ldexp(upper, 32) + lower, exponents)
    error = max(
        -(-((weight.above - (top << shift)) << ERROR_BITS) // weight.below)
        for weight, top, shift in zip(listed, tops, shifts, strict=True)
    )
    whole = np.concatenate([half[:0:-1], half])
    return WideWeights(whole, Fraction(error, 1 << ERROR_BITS))


def fractions_of(weights: Wide) -> list[Fraction]:
    """Return each number exactly."""
    return [Fraction(*weight.as_integer_ratio()) for weight in weights]


def smallest(kind: type[np.floating[Any]]) -> Fraction:
    """Return the smallest number of a kind that is above 0."""
    return Fraction(*np.finfo(kind).smallest_subnormal.as_integer_ratio())
