"""Moves of one row against all of them, on all small trees.

If this failed, a certificate would be worked out for a move that is not the costliest.
"""

from itertools import permutations

import pytest

import holdfast as hf
from holdfast.privacy import moves
from holdfast.privacy.moves import arrivals, exchanges, kinds_of
from holdfast.worlds.exact_rows import Row
from tests.plain.loss_cases import trees

FEW = [paths for leaves in (2, 3) for paths in trees(leaves, 2)]
TREES = [paths for leaves in (1, 2, 3, 4) for paths in trees(leaves, 3)]


def path_nodes(tree, leaf) -> set[int]:
    """Return the nodes from a leaf, by number, up to the root."""
    path = tuple(tree.leaves[leaf])
    return {tree.find(path[:length]) for length in range(len(path) + 1)}


def touched(tree, nodes) -> tuple[int, ...]:
    return tuple(sum(tree.levels[node] == level for node in nodes) for level in range(tree.depth))


def signature(tree, leaf, facts) -> tuple[int, ...]:
    nodes = path_nodes(tree, leaf)
    return tuple(sum(value for node, value in fact.terms if node in nodes) for fact in facts)


def by_hand(tree, facts) -> set[tuple[int, ...]]:
    """Return what all exchanges touch that keep the facts."""
    return {
        touched(tree, path_nodes(tree, one) ^ path_nodes(tree, other))
        for one, other in permutations(range(len(tree.leaves)), 2)
        if signature(tree, one, facts) == signature(tree, other, facts)
    }


def fact_sets(tree):
    """Return no fact, single nodes, and rows over two nodes."""
    yield []
    yield from ([Row(((node, 1),), 3)] for node in range(tree.size))
    for one, other in permutations(range(1, min(tree.size, 6)), 2):
        yield [Row(tuple(sorted([(one, 1), (other, -2)])), 0)]
        yield [Row(((one, 1),), 3), Row(((other, 2),), 3)]


def faults(paths) -> list[str]:
    """Return where the moves listed are not what all moves are, for each set of facts."""
    tree = hf.Hierarchy.from_paths(paths)
    found = []
    for facts in fact_sets(tree):
        listed = {move.touched for move in exchanges(tree, kinds_of(tree, facts))}
        every = by_hand(tree, facts)
        if not listed <= every:
            found.append(f"{facts}: no row does {listed - every}")
        missed = [m for m in every if not any(_covers(move, m) for move in listed)]
        found += [f"{facts}: missed {m}" for m in missed]
    return found


def _covers(one, other) -> bool:
    return all(a >= b for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("paths", TREES, ids=str)
def test_moves_listed_are_moves_and_no_other_touches_more(paths):
    assert faults(paths) == []


def test_a_row_that_comes_touches_its_path():
    """The deepest leaf of which no fact speaks."""
    tree = hf.Hierarchy.from_paths([("a",), ("b", "c", "d"), ("b", "e")])
    assert [m.touched for m in arrivals(tree, kinds_of(tree, []))] == [(1, 1, 1, 1)]
    fact = Row(((tree.find(("b", "c")), 1),), 0)
    assert [m.touched for m in arrivals(tree, kinds_of(tree, [fact]))] == [(1, 1, 1, 0)]
    fact = Row(((0, 1),), 0)
    assert arrivals(tree, kinds_of(tree, [fact])) == []


def _meets_one_lower(honest):
    return lambda depth, one, other, meeting: honest(depth, one, other, meeting + 1)


def _forgets_one_side(honest):
    return lambda depth, one, other, meeting: honest(depth, one, meeting, meeting)


@pytest.mark.parametrize("sabotage", [_meets_one_lower, _forgets_one_side])
def test_the_comparison_barks(monkeypatch, sabotage):
    monkeypatch.setattr(moves, "_between", sabotage(moves._between))
    assert sum(bool(faults(paths)) for paths in FEW) > len(FEW) / 2


def test_forgotten_facts_are_seen(monkeypatch):
    monkeypatch.setattr(moves, "nearest_marked", lambda tree, marked: 0 * tree.levels)
    assert sum(bool(faults(paths)) for paths in FEW) > len(FEW) / 2
