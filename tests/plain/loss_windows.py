"""Losses by the definition, in windows of outputs; geometric tails bound what lies beyond."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

from tests.plain.exact_loss import Pair
from tests.plain.loss_cases import over_nodes


def weight(case, noise) -> Fraction:
    found = Fraction(1)
    for path, size in noise.items():
        found *= 1 if path in case.pinned else case.ratios[len(path)] ** abs(size)
    return found


def beyond(case, reach) -> Fraction:
    """Return a bound on the weight of noise with a leaf beyond the reach: inner nodes weigh <= 1.

    Two geometric tails at one leaf, the whole geometric sum at all others.
    """
    found = Fraction(0)
    for far in case.paths:
        q = case.ratios[len(far)]
        rest = Fraction(1)
        for path in case.paths:
            r = case.ratios[len(path)]
            rest *= (1 + r) / (1 - r) if path != far else 1
        found += 2 * q ** (reach + 1) / (1 - q) * rest
    return found


def noises(case, reach):
    """Yield all noise of the leaves up to the reach that obeys sums and pins, over the nodes."""
    for leaves in product(range(-reach, reach + 1), repeat=len(case.paths)):
        nodes = over_nodes(case.paths, leaves)
        if not any(nodes[path] for path in case.pinned):
            yield leaves, nodes


def window(case, table, reach) -> Pair:
    """Return bounds on c(x) from a window and its tail."""
    kept = (
        weight(case, nodes)
        for leaves, nodes in noises(case, reach)
        if all(x + u >= 0 for x, u in zip(table, leaves, strict=True))
    )
    found = sum(kept, Fraction(0))
    return Pair(found, found + beyond(case, reach))


def neighbours(case):
    """Yield all tables x and x' from the definition: persons' rows leave x, others enter."""
    leaves = len(case.paths)
    every = [t for t in product(range(case.most + 1), repeat=leaves) if sum(t) <= case.most]
    persons = [p for p in product(range(case.rows + 1), repeat=leaves) if sum(p) <= case.rows]
    nobody = (0,) * leaves
    if case.relation == "add-remove":
        swaps = [(p, nobody) for p in persons if any(p)] + [(nobody, p) for p in persons if any(p)]
    else:
        givers = [p for p in persons if sum(p) == 1] if case.rows == 1 else persons
        swaps = list(product(givers, repeat=2))
    for table, (out, new) in product(every, swaps):
        moved = tuple(x - a + b for x, a, b in zip(table, out, new, strict=True))
        mine, yours = over_nodes(case.paths, table), over_nodes(case.paths, moved)
        is_given = all(x >= a for x, a in zip(table, out, strict=True)) and sum(moved) <= case.most
        if is_given and all(mine[path] == yours[path] for path in case.pinned):
            yield table, moved


def by_definition(case, reach) -> Pair | None:
    """Return bounds on the largest quotient over neighbours and outputs within a window."""
    low = high = None
    coherent = [leaves for leaves, _ in noises(replace(case, pinned=()), reach)]
    for table, moved in neighbours(case):
        above, below = Pair(Fraction(1), Fraction(1)), Pair(Fraction(1), Fraction(1))
        if case.street == "revise-nonnegative":
            above, below = window(case, moved, reach), window(case, table, reach)
            coherent = [z for z in coherent if min(z) >= 0]
        best = max(
            weight(case, difference(case, z, table)) / weight(case, difference(case, z, moved))
            for z in coherent
            if not any(difference(case, z, table)[path] for path in case.pinned)
        )
        low = max(low or 0, best * above.below / below.above)
        high = max(high or 0, best * above.above / below.below)
    return None if low is None else Pair(low, high)


def difference(case, one, other):
    return over_nodes(case.paths, tuple(a - b for a, b in zip(one, other, strict=True)))


def within(number, ends) -> bool:
    return ends.below <= number <= ends.above
