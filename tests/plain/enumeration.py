"""The exact law of a sampler: run it on every tape."""

from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction

from holdfast.foundation.bounds import Bounds
from holdfast.foundation.randomness import Tape, TapeEnded, tape

Sampler = Callable[[Tape], Hashable]
Law = dict[Hashable, Fraction]


def law(sampler: Sampler, depth: int, width: int) -> tuple[Law, Fraction]:
    """Return the chance of each outcome found within `depth` answers, and what is left open."""
    found: Law = {}
    left = Fraction(0)
    open_tapes: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    while open_tapes:
        answers, chance = open_tapes.pop()
        try:
            outcome = sampler(tape(answers, width))
        except TapeEnded as end:
            if len(answers) >= depth:
                left += chance
            else:
                share = chance / end.bound
                open_tapes += [((*answers, answer), share) for answer in range(end.bound)]
        else:
            found[outcome] = found.get(outcome, Fraction(0)) + chance
    return found, left


def agrees(
    sampler: Sampler, masses: Mapping[Hashable, Bounds], depth: int, width: int
) -> tuple[bool, Fraction]:
    """Return whether the law can be the one with these masses, and what is left open."""
    found, left = law(sampler, depth, width)
    within = all(
        found.get(k, Fraction(0)) <= mass.above and mass.below <= found.get(k, Fraction(0)) + left
        for k, mass in masses.items()
    )
    strange = sum((c for k, c in found.items() if k not in masses), Fraction(0))
    return within and strange <= 1 - sum(mass.below for mass in masses.values()), left
