"""Mechanisms with finitely many outputs, in fractions: their loss, delta, and ways to join them.

A mechanism gives, for each data set, the chance of each output. Any two of its data sets are
neighbours. Chances may be given up to one factor where only a conditioned mechanism is asked for.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import permutations

Output = Hashable
Law = Mapping[Output, Fraction]
Mechanism = Mapping[Hashable, Law]


def loss(mechanism: Mechanism) -> Fraction | float:
    """Return the largest quotient of the chances of one output; infinite where one is 0."""
    worst: Fraction | float = Fraction(1)
    for one, other in permutations(mechanism.values(), 2):
        for output, chance in one.items():
            if chance:
                under = other.get(output, Fraction(0))
                worst = max(worst, chance / under if under else math.inf)
    return worst


def delta(mechanism: Mechanism, factor: Fraction) -> Fraction:
    """Return the smallest delta at epsilon = ln(factor)."""
    return max(
        sum((max(Fraction(0), p - factor * other.get(z, 0)) for z, p in one.items()), Fraction(0))
        for one, other in permutations(mechanism.values(), 2)
    )


def conditioned(mechanism: Mechanism, event: Iterable[Output]) -> Mechanism:
    """Return the mechanism given that the output lies in an event that no data set excludes."""
    kept = set(event)
    found = {}
    for name, law in mechanism.items():
        whole = sum((p for z, p in law.items() if z in kept), Fraction(0))
        found[name] = {z: p / whole for z, p in law.items() if z in kept and p}
    return found


def mapped(mechanism: Mechanism, image: Callable[[Output], Output]) -> Mechanism:
    """Return the mechanism whose output is a function of this one's."""
    found: dict[Hashable, dict[Output, Fraction]] = {}
    for name, law in mechanism.items():
        found[name] = {}
        for output, chance in law.items():
            found[name][image(output)] = found[name].get(image(output), Fraction(0)) + chance
    return found


def joint(first: Mechanism, second: Callable[[Output], Mechanism]) -> Mechanism:
    """Return both outputs; the second mechanism may depend on the first one's output."""
    return {
        name: {
            (one, other): p * r for one, p in law.items() for other, r in second(one)[name].items()
        }
        for name, law in first.items()
    }


def mixture(weights: Sequence[Fraction], mechanisms: Sequence[Mechanism]) -> Mechanism:
    """Return the index of a mechanism, drawn without the data, and its output."""
    return {
        name: {
            (index, output): weight * chance
            for index, (weight, one) in enumerate(zip(weights, mechanisms, strict=True))
            for output, chance in one[name].items()
        }
        for name in mechanisms[0]
    }
