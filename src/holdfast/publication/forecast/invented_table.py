"""A table for simulations that holds no data: public counts, or invented ones.

The invented table is sparse and heavy-tailed: about a quarter of the groups of leaves are empty,
and half of the leaves of the others; the rest hold 1 to 100,000, of which a share of 10 / (k + 9)
holds at least k.

Checked by. tests/publication/forecast/test_invented_table.py
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.mechanism.plain import Mechanism
from holdfast.worlds.hierarchy import Hierarchy
from holdfast.worlds.invariant import Invariant
from holdfast.worlds.vectors import Numbers

Integers = npt.NDArray[np.int64]
RING = 1 << 32
STEP = 2654435769  # the ring divided by the golden ratio, odd: multiples spread evenly
HALF = RING // 2
SMALL, LARGEST = 10, 100_000


@dataclass(frozen=True, eq=False, slots=True)
class PublicTable:
    """A table over all nodes that obeys the rules, and in words where it comes from."""

    values: Numbers
    called: str


def public_table(mechanism: Mechanism, rules: Invariant, counts: Any) -> PublicTable:
    """Return leaf counts, or invented ones for None, moved to the nearest table under the rules."""
    tree = mechanism.tree
    called = "an invented table" if counts is None else "the public table given"
    values = mechanism.checked(tree.aggregate(invented(tree) if counts is None else counts))
    if not rules.holds(values):
        values = mechanism.update(rules).apply(values)
        called += ", moved onto the rules"
    return PublicTable(values, called)


def invented(tree: Hierarchy) -> Integers:
    """Return a count for every leaf: always the same ones for the same tree.

    >>> pair = Hierarchy.from_paths([(letter,) for letter in "abcdef"])
    >>> invented(pair).tolist()
    [4, 0, 25, 0, 0, 8]
    """
    leaves = tree.leaf_nodes
    places = _place(np.arange(1, leaves.size + 1))
    counts = np.minimum(SMALL * HALF // (RING - places) - SMALL + 1, LARGEST)
    parents = tree.arrays.parents[leaves].astype(np.int64)
    is_empty = (places < HALF) | ((_place(parents) < RING // 4) & (parents > 0))
    answer: Integers = np.where(is_empty, 0, counts)
    return answer


def _place(numbers: Integers) -> Integers:
    """Return for each number a place on the ring; whole numbers, so that every machine agrees."""
    places: Integers = (numbers * STEP) % RING
    return places
