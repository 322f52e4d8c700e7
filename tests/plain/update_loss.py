"""Revise, then update onto non-negativity: chances of outputs, from a window of revised tables.

The chance outside the window is exact, since the revised law's normaliser is; every chance of an
output lies between what the window gives and that plus what is left.
"""

from fractions import Fraction
from itertools import product

from tests.plain.exact_loss import Pair, convolved
from tests.plain.loss_cases import Case, Path, Table, children_of, counts, over_nodes
from tests.plain.series import Series, geometric, point


def updated_law(case: Case, table: Table, reach: int) -> tuple[dict[Table, Fraction], Fraction]:
    """Return the chance of each output that the window gives, and what is left."""
    found: dict[Table, Fraction] = {}
    far = sum(table) + reach * len(table)
    targets = _targets(case, table, far)
    for noise, chance in revised_noise(case, reach).items():
        asked = tuple(x + u for x, u in zip(table, noise, strict=True))
        image = asked if min(asked) >= 0 else nearest(case, asked, targets)
        found[image] = found.get(image, Fraction(0)) + chance
    return found, 1 - sum(found.values())


def revised_noise(case: Case, reach: int) -> dict[Table, Fraction]:
    """Return the chance of all noise on the leaves, of sizes up to `reach`, given the rules."""
    found = {}
    for noise in product(range(-reach, reach + 1), repeat=len(case.paths)):
        sizes = over_nodes(case.paths, noise)
        if not any(sizes[path] for path in case.pinned):
            weight = Fraction(1)
            for path, size in sizes.items():
                weight *= case.ratios[len(path)] ** abs(size)
            found[noise] = weight / revised_weight(case)
    return found


def revised_weight(case: Case) -> Fraction:
    """Return the weight of all noise that obeys the sums and the pinned totals."""
    children = children_of(case.paths)

    def message(path: Path) -> Series:
        own = case.ratios[len(path)]
        if not children[path]:
            return point() if path in case.pinned else geometric(own)
        below = convolved([message(child) for child in children[path]])
        return point(below.at(0)) if path in case.pinned else below.scaled(own)

    return message(()).total()


def _targets(case: Case, table: Table, most: int) -> list[tuple[Table, dict[Path, int]]]:
    """Return all tables of at least 0 that share the pinned totals, with their node vectors."""
    own = over_nodes(case.paths, table)
    room = own[()] if () in case.pinned else most
    every = ((leaves, over_nodes(case.paths, leaves)) for leaves in counts(len(table), 0, room))
    return [(z, nodes) for z, nodes in every if all(nodes[p] == own[p] for p in case.pinned)]


def nearest(case: Case, asked: Table, targets: list[tuple[Table, dict[Path, int]]]) -> Table:
    """Return the table with the least squares over inverse variances; then least total, leaves."""
    wanted = over_nodes(case.paths, asked)
    weights = {path: (1 - q) ** 2 / q for path in wanted for q in [case.ratios[len(path)]]}

    def far(target: tuple[Table, dict[Path, int]]) -> tuple:
        leaves, nodes = target
        square = sum(weights[path] * (nodes[path] - wanted[path]) ** 2 for path in wanted)
        return square, nodes[()], tuple(-leaf for leaf in leaves)

    return min(targets, key=far)[0]


def updated_loss(case: Case, one: Table, other: Table, reach: int) -> Pair:
    """Return bounds on the worst loss of the pair over the outputs in a small box.

    Every output with all leaves up to the tables' total is looked at, so the lower end bounds the
    worst loss of all outputs from below; the upper end holds for the outputs of the box, which
    are all there are where the total is pinned.
    """
    (first, left), (second, rest) = (updated_law(case, table, reach) for table in (one, other))
    box = [z for z in first if sum(z) <= max(sum(one), sum(other))]
    low = max(first[z] / (second.get(z, Fraction(0)) + rest) for z in box)
    high = max((first[z] + left) / second[z] for z in box)
    return Pair(low, high)
