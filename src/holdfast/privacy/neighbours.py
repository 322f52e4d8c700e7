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
from holdfast.privacy.room import emptied
from holdfast.worlds.exact_rows import Row
from holdfast.worlds.hierarchy import Hierarchy
from holdfast.worlds.invariant import Invariant
from holdfast.worlds.rules import Kind, Linear, Total, kind_of, row_of

MOST_KINDS = 400  # of leaves, among which swaps are looked for


@dataclass(frozen=True, slots=True)
class Pairs:
    """What is left of a relation: one of these moves for each row of a person."""

    relation: Neighbours
    rows: int
    moves: tuple[Move, ...]

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
    empty = emptied(tree, facts)
    if empty is None:
        return None
    kinds = kinds.without(empty[tree.leaf_nodes])
    if relation is Neighbours.ADD_REMOVE:
        moves = arrivals(tree, freely)
        return None if facts else Pairs(relation, rows, tuple(moves))
    moves = exchanges(tree, kinds)
    if rows > 1 and any(len(fact.terms) > 1 for fact in facts):
        # two rows here may weigh as much as one there, so any exchange may be part of a pair
        some = moves or _some_swap(kinds.signatures)
        moves = exchanges(tree, freely) + arrivals(tree, freely) if some else []
    elif rows > 1:
        moves += arrivals(tree, kinds)  # a person of many rows may be exchanged for one of fewer
    return Pairs(relation, rows, tuple(moves)) if moves else None


def pairs_in_words(relation: Neighbours, rows: int, some_facts: bool) -> str:
    """Return for which pairs of data sets a promise is made."""
    who = f"one person of at most {rows} rows" if rows > 1 else "one row"
    if relation is Neighbours.ADD_REMOVE:
        return f"{who} more or less"
    return f"{who} exchanged, the facts unchanged" if some_facts else f"{who} exchanged"


def facts_of(invariant: Invariant) -> list[Row]:
    """Return the equalities that hold for the data at hand only, and two limits that make one."""
    equal = [rule for rule in invariant.equalities if isinstance(rule, Total | Linear)]
    rows = [row_of(rule) for rule in equal if kind_of(rule, invariant.tree) is Kind.FACT]
    limits = {rule.row for rule in invariant.inequalities if isinstance(rule, Linear)}
    return rows + [row for row in sorted(limits, key=repr) if _turned(row) in limits]


def _turned(row: Row) -> Row:
    """Return left <= right written as left >= right."""
    return Row(tuple((node, -value) for node, value in row.terms), -row.right)


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
