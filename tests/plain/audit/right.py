"""A hundred right mechanisms: the product's own, by kind, relation, epsilon and tree."""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

import holdfast as hf
from holdfast.foundation.randomness import Chance
from tests.plain.audit.claim import Audited, Claim, Draws, Outputs, Table
from tests.plain.audit.mutants import with_noise

RELATIONS = ("add-remove", "replace-one")
EPSILONS = (Fraction(1), Fraction(4))
PATHS: tuple[tuple[tuple[Any, ...], ...], ...] = (
    (("a",), ("b",)),
    (("a",), ("b",), ("c",)),
    (("A", 1), ("A", 2), ("B", 3)),
    (("A", 1), ("B", 2)),
    (("A", 1), ("A", 2), ("B", 3), ("B", 4)),
)
KINDS = ("law", "plain", "exact", "messages", "updated")
UPDATE_COSTS = 1000  # plain draws that one update takes


def near(table: Table, relation: str) -> tuple[Table, ...]:
    """Return a table and some neighbours of it."""
    moved = [list(table) for _ in range(2)]
    moved[0][0] += 1
    moved[1][0], moved[1][-1] = table[0] + 1, table[-1] - 1
    more, exchanged = map(tuple, moved)
    return (table, more) if relation == "add-remove" else (table, exchanged)


@lru_cache(maxsize=256)
def mechanism(kind: str, relation: str, epsilon: Fraction, paths: int) -> Any:
    """Return the product's mechanism."""
    tree = hf.Hierarchy.from_paths(list(PATHS[paths]), root="whole")
    plain = hf.Mechanism.calibrate(tree, "discrete-laplace", neighbours=relation, epsilon=epsilon)
    if kind == "plain":
        return plain
    if kind != "updated":
        return plain.revise(tree.sums(), method=kind)
    method = ("exact", "messages")[paths % 2]
    return plain.revise(tree.sums(), method=method).update(tree.sums() & hf.nonnegative())


def on_a_tree(given: Any) -> Draws:
    """Return the mechanism as a function of leaf counts."""
    tree = (given if hasattr(given, "tree") else given.mechanism).tree

    def draw(table: Table, chance: Chance, count: int) -> Outputs:
        values = tree.aggregate(list(table))
        if chance.purpose == "release":
            return np.array([given.draw(values, chance) for _ in range(count)])
        answers: Outputs = given.draws(values, count, chance) if count > 1 else one(values, chance)
        return answers

    def one(values: Any, chance: Chance) -> Outputs:
        answer: Outputs = given.draws(values, 1, chance)
        return answer

    return draw


def delta(given: Any, epsilon: Fraction) -> Fraction:
    """Return what the evidence leaves: (1 + e**epsilon) times the distance in total variation."""
    evidence = getattr(getattr(given, "source", given), "evidence", None)
    bound: Fraction = getattr(evidence, "bound", Fraction(0))
    return (1 + Claim(epsilon).factor) * bound


def right(kind: str, relation: str, epsilon: Fraction, paths: int) -> Audited:
    """Return one right mechanism with its claim."""
    name = f"{kind}, {relation}, epsilon {epsilon}, {paths}"
    leaves = len(PATHS[paths])
    tables = near((4, 0, 7, 1)[: leaves - 1] + (paths + 1,), relation)
    if kind == "law":
        distance = 1 if relation == "add-remove" else 2
        tables = tables if relation == "replace-one" else tuple((t[0],) for t in tables)
        law = hf.DiscreteLaplace.with_scale(distance / epsilon)
        return Audited(name, Claim(epsilon, relation), lambda: with_noise(law), tables)
    given = mechanism(kind, relation, epsilon, paths)
    claim = Claim(epsilon, relation, delta=delta(given, epsilon))
    slow = UPDATE_COSTS if kind == "updated" else 1
    return Audited(name, claim, lambda: on_a_tree(given), tables, kind == "plain", slow=slow)


def all_right() -> Iterator[Audited]:
    """Yield the hundred."""
    for setting in product(KINDS, RELATIONS, EPSILONS, range(len(PATHS))):
        yield right(*setting)
