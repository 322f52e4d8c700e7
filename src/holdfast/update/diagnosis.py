"""What an update did: how far it moved each level, and what was wrong before.

It is worked out from the noisy answer and the updated one, which could both be published, so it
may be shown.

Checked by. tests/update/test_diagnosis.py
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import MOST_LISTED, BadRules, Fault
from holdfast.worlds.hierarchy import Hierarchy
from holdfast.worlds.invariant import Invariant
from holdfast.worlds.rules import Linear, name_of

Numbers = npt.NDArray[Any]
NEAR = 1e-6


@dataclass(frozen=True, slots=True)
class LevelDiagnosis:
    """One level: its name, its nodes, how far they were moved, how many were and are below 0.

    `shift` is the sum of all moves up less all moves down.
    """

    name: str
    nodes: int
    mean_move: float
    largest_move: float
    shift: float
    negative_before: int
    negative_after: int


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What an update did, level by level and in all.

    `largest_gap` is by how much, at most, a parent missed the sum of its children before;
    `turned_zero` is how many leaves are 0 now and were not, and `noise_dominates` whether nothing
    but zeros is left. `binding` names the inequalities that now hold with nothing to spare.
    """

    levels: tuple[LevelDiagnosis, ...]
    largest_gap: float
    lowest_before: float
    turned_zero: int
    leaves: int
    noise_dominates: bool
    binding: tuple[str, ...]

    def __str__(self) -> str:
        width = max(5, *(len(level.name) for level in self.levels))
        rows = [
            f"{level.name:{width}} {level.nodes:>10,} {level.mean_move:>12,.2f} "
            f"{level.largest_move:>13,.2f} {level.shift:>+12,.1f} "
            f"{level.negative_before:>10,} {level.negative_after:>10,}"
            for level in self.levels
        ]
        head = (
            f"{'level':{width}} {'nodes':>10} {'mean move':>12} {'largest move':>13} {'shift':>12} "
            f"{'below 0':>10} {'after':>10}"
        )
        return "\n".join([head, *rows, *self._remarks()])

    def _remarks(self) -> Iterator[str]:
        yield f"before: a parent missed the sum of its children by up to {self.largest_gap:,g}"
        yield f"{self.turned_zero:,} of {self.leaves:,} leaves became 0"
        if self.binding:
            shown = "; ".join(self.binding[:MOST_LISTED])
            more = len(self.binding) - MOST_LISTED
            yield f"nothing to spare: {shown}" + (f"; and {more} more" if more > 0 else "")
        if self.noise_dominates:
            yield "the noise dominates: nothing but zeros is left of this table"


def diagnose(invariant: Invariant, noisy: Numbers, updated: Numbers) -> Diagnosis:
    """Return what an update of a noisy vector onto an invariant did."""
    tree = tree_of(invariant)
    edges, leaves = tree.arrays.level_offsets.tolist(), tree.leaf_nodes
    below = tree.arrays.parents.astype(np.int64)[1:]
    sums = np.bincount(below, weights=noisy[1:], minlength=tree.size)
    inner = np.diff(tree.arrays.child_offsets) > 0
    levels = [
        _of_level(name, noisy[start:stop], updated[start:stop])
        for name, (start, stop) in zip(tree.level_names, pairwise(edges), strict=True)
    ]
    return Diagnosis(
        tuple(levels),
        float(np.abs(noisy - sums)[inner].max(initial=0.0)),
        float(noisy.min()),
        int(((updated[leaves] == 0) & (noisy[leaves] != 0)).sum()),
        leaves.size,
        bool((updated == 0).all() and (noisy != 0).any()),
        tuple(_binding(invariant, updated)),
    )


def _binding(invariant: Invariant, updated: Numbers) -> Iterator[str]:
    """Yield the names of rows that hold as equalities though they need not."""
    tree = tree_of(invariant)
    for rule in invariant.inequalities:
        if isinstance(rule, Linear) and abs(float(rule.row.left(updated) - rule.row.right)) <= NEAR:
            yield name_of(rule, tree)


def tree_of(invariant: Invariant) -> Hierarchy:
    """Return the tree of an invariant that holds the sums."""
    if invariant.tree is None:
        raise BadRules(Fault("diagnosis", "the sums of a tree", "none", "Write tree.sums()."))
    return invariant.tree


def _of_level(name: str, noisy: Numbers, updated: Numbers) -> LevelDiagnosis:
    """Return the diagnosis of one level."""
    moves = np.abs(updated - noisy)
    return LevelDiagnosis(
        name,
        noisy.size,
        float(moves.mean()),
        float(moves.max()),
        float((updated - noisy).sum()),
        int((noisy < 0).sum()),
        int((updated < 0).sum()),
    )
