"""Small trees with laws, relations and rules, and all their tables and neighbours, generated.

A person gives whole numbers of rows to the leaves. Under add-remove one data set has the person,
with 1 to `rows` rows, and the other has not. Under replace-one a person takes another's place:
with `rows` 1 both give exactly one row, otherwise both give 0 to `rows` rows. Neighbours that do
not share the totals of the pinned nodes are no neighbours.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product

Path = tuple[str, ...]
Table = tuple[int, ...]  # one number a leaf, in the order of the paths
Form = tuple["Form", ...]

STREETS = ("plain", "revise", "revise-update", "plain-update", "revise-nonnegative")
RELATIONS = (("add-remove", 1), ("add-remove", 2), ("replace-one", 1), ("replace-one", 2))
RATIOS = (
    (Fraction(1, 2),) * 4,
    (Fraction(3, 5), Fraction(1, 3), Fraction(1, 2), Fraction(2, 7)),
    (Fraction(1, 3), Fraction(2, 3), Fraction(1, 4), Fraction(1, 2)),
)


@dataclass(frozen=True)
class Case:
    """One tree, its laws, the relation, the rules and the street."""

    paths: tuple[Path, ...]  # the leaves' paths below the root
    ratios: tuple[Fraction, ...]  # per level, root first: noise k has weight ratio**|k|
    relation: str  # "add-remove" or "replace-one"
    rows: int
    pinned: tuple[Path, ...]  # () is the root
    street: str
    most: int  # the largest total of a table


@cache
def children_of(paths: tuple[Path, ...]) -> dict[Path, tuple[Path, ...]]:
    """Return all nodes, the root first and every parent before its children, with these."""
    found: dict[Path, list[Path]] = {(): []}
    for path in sorted({p[:n] for p in paths for n in range(1, len(p) + 1)}, key=len):
        found[path] = []
        found[path[:-1]].append(path)
    return {path: tuple(below) for path, below in found.items()}


def over_nodes(paths: tuple[Path, ...], leaf_values: Table) -> dict[Path, int]:
    """Return the total of every node."""
    found = dict.fromkeys(children_of(paths), 0)
    for path, value in zip(paths, leaf_values, strict=True):
        for length in range(len(path) + 1):
            found[path[:length]] += value
    return found


@cache
def counts(leaves: int, least: int, most: int) -> tuple[Table, ...]:
    """Return all whole numbers of at least 0 on the leaves with a sum from least to most."""
    return tuple(
        values for values in product(range(most + 1), repeat=leaves) if least <= sum(values) <= most
    )


def differences(case: Case) -> list[Table]:
    """Return x' - x for all pairs of neighbours x, x' within the largest total."""
    leaves = len(case.paths)
    if case.relation == "add-remove":
        persons = counts(leaves, 1, case.rows)
        found = {*persons, *(tuple(-n for n in person) for person in persons)}
    else:
        persons = counts(leaves, 1 if case.rows == 1 else 0, case.rows)
        found = {
            tuple(new - old for old, new in zip(one, other, strict=True))
            for one, other in product(persons, repeat=2)
        }
    return sorted(move for move in found if _shared(case, move) and any(pairs(case, move)))


def _shared(case: Case, move: Table) -> bool:
    nodes = over_nodes(case.paths, move)
    return not any(nodes[path] for path in case.pinned)


def pairs(case: Case, move: Table) -> Iterator[tuple[Table, Table]]:
    """Yield all tables x and x' = x + move, both of no more than the largest total."""
    for table in counts(len(case.paths), 0, case.most):
        moved = tuple(x + d for x, d in zip(table, move, strict=True))
        if min(moved) >= 0 and sum(moved) <= case.most:
            yield table, moved


@cache
def forms(leaves: int, below: int) -> tuple[Form, ...]:
    """Return all unordered forms with so many leaves and at most so many levels below the top."""
    found: list[Form] = [()] if leaves == 1 else []
    if below:
        for sizes in partitions(leaves, leaves):
            found += sorted({tuple(sorted(c)) for c in _choices(sizes, below - 1)})
    return tuple(found)


def _choices(sizes: tuple[int, ...], below: int) -> Iterator[tuple[Form, ...]]:
    same = [sizes.count(size) for size in sorted(set(sizes))]
    each = [
        combinations_with_replacement(forms(size, below), count)
        for size, count in zip(sorted(set(sizes)), same, strict=True)
    ]
    for groups in product(*each):
        yield tuple(form for group in groups for form in group)


def partitions(number: int, most: int) -> Iterator[tuple[int, ...]]:
    if number == 0:
        yield ()
    for first in range(min(number, most), 0, -1):
        for rest in partitions(number - first, first):
            yield (first, *rest)


def paths_of(form: Form, above: Path = ()) -> Iterator[Path]:
    if not form:
        yield above
    for number, child in enumerate(form):
        yield from paths_of(child, (*above, "abcd"[number]))


def trees(leaves: int, below: int) -> list[tuple[Path, ...]]:
    """Return the leaves' paths of all trees with 1 to `leaves` leaves, and their mirror images."""
    all_forms = [form for n in range(1, leaves + 1) for form in forms(n, below) if form]
    both = [(form, mirrored(form)) for form in all_forms]
    return [tuple(paths_of(form)) for pair in both for form in dict.fromkeys(pair)]


def mirrored(form: Form) -> Form:
    return tuple(mirrored(child) for child in reversed(form))


def pins(paths: tuple[Path, ...]) -> list[tuple[Path, ...]]:
    """Return no pin, the root, every other inner node, the root with each of these, a leaf."""
    inner = [path for path, below in children_of(paths).items() if below and path]
    return [(), ((),), *((path,) for path in inner), *(((), path) for path in inner), paths[:1]]


def cases(small: bool = False) -> Iterator[Case]:
    """Yield every case; a small subset has at most 3 leaves on 2 levels below the root."""
    wanted = trees(3, 2) if small else list(dict.fromkeys(trees(4, 2) + trees(3, 3)))
    for number, paths in enumerate(wanted):
        depth = max(map(len, paths))
        chosen = RATIOS[number % 3 : number % 3 + 1] if small or len(paths) > 2 else RATIOS
        room = {1: 6, 2: 5, 3: 4, 4: 5}[len(paths)]
        for ratios, (relation, rows), pinned in product(chosen, RELATIONS, pins(paths)):
            for street in STREETS:
                yield Case(paths, ratios[: depth + 1], relation, rows, pinned, street, room)
