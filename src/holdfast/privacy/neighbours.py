"""Pairs of data sets that a promise is made for, once facts are public.

A promise holds for pairs that both obey every fact. Facts can leave fewer pairs, or none.

Claim.      For every such pair the sum over nodes of rate times change is at most
            `rows` times the cost of one of the moves, and, with squares, `rows` squared times.
Reason.     docs/theory/neighbours.md
Checked by. tests/privacy/test_neighbours.py
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

from holdfast.noise.sensitivity import Neighbours
from holdfast.privacy.moves import Move, Signature, arrivals, exchanges, kinds_of
from holdfast.worlds.exact_rows import Row
from holdfast.worlds.hierarchy import Hierarchy

MOST_KINDS = 400  # of leaves, among which swaps are looked for


@dataclass(frozen=True, slots=True)
class Pairs:
    """What is left of a relation: one of these moves for each row of a person; how it is called."""

    relation: Neighbours
    rows: int
    moves: tuple[Move, ...]
    called: str

    def worst(self, rates: Sequence[Fraction]) -> Move:
        """Return the move that costs most at these rates, one for each level."""
        return max(self.moves, key=lambda move: (move.cost(rates), move.touched))


def pairs_left(
    tree: Hierarchy, relation: Neighbours, rows: int, facts: Sequence[Row]
) -> Pairs | None:
    """Return the pairs that share the facts, given as equalities; None where none are known.

    Under add-remove no fact is shared: a row more or less changes it.
    """
    kinds, freely = kinds_of(tree, facts), kinds_of(tree, ())
    if relation is Neighbours.ADD_REMOVE:
        moves = arrivals(tree, freely)
        return None if facts else Pairs(relation, rows, tuple(moves), _added(rows))
    moves = exchanges(tree, kinds)
    if rows > 1 and any(len(fact.terms) > 1 for fact in facts):
        # two rows here may weigh as much as one there, so any exchange may be part of a pair
        some = moves or _some_swap(kinds.signatures)
        moves = exchanges(tree, freely) + arrivals(tree, freely) if some else []
    elif rows > 1:
        moves += arrivals(tree, kinds)  # a person of many rows may be exchanged for one of fewer
    return Pairs(relation, rows, tuple(moves), _exchanged(rows, bool(facts))) if moves else None


def _added(rows: int) -> str:
    """Return the pairs of add-remove in words."""
    return f"one person of at most {rows} rows more or less" if rows > 1 else "one row more or less"


def _exchanged(rows: int, some_facts: bool) -> str:
    """Return the pairs of replace-one in words."""
    who = f"one person of at most {rows} rows exchanged" if rows > 1 else "one row exchanged"
    return f"{who}, the facts unchanged" if some_facts else who


def _some_swap(signatures: Sequence[Signature]) -> bool:
    """Return whether two differences of signatures agree: one move then undoes another's change.

    Among very many kinds of leaves it is not looked for.
    """
    if len(signatures) > MOST_KINDS:
        return False
    seen: set[frozenset[tuple[int, int]]] = set()
    for one, other in permutations(map(dict, signatures), 2):
        gap = {fact: one.get(fact, 0) - other.get(fact, 0) for fact in (*one, *other)}
        difference = frozenset(pair for pair in gap.items() if pair[1])
        if difference in seen:
            return True
        seen.add(difference)
    return False
