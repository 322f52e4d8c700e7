"""The worst pair of neighbours that share facts, against all pairs of persons.

If this failed, an epsilon would be certified for some pairs and believed of all.
"""

from fractions import Fraction
from itertools import product

import pytest

import holdfast as hf
from holdfast.noise.sensitivity import Neighbours
from holdfast.privacy import neighbours
from holdfast.privacy.neighbours import pairs_in_words, pairs_left
from holdfast.worlds.exact_rows import Row
from tests.plain.loss_cases import counts, trees
from tests.privacy.test_moves import path_nodes, signature

RATES = (Fraction(1, 3), Fraction(2), Fraction(3, 4), Fraction(1, 7))
TREES = [paths for leaves in (1, 2, 3) for paths in trees(leaves, 2)]


def pairs(leaves, relation, rows):
    """Yield what neighbouring persons give to each leaf, one less the other."""
    if relation is Neighbours.ADD_REMOVE:
        yield from counts(leaves, 1, rows)
        return
    persons = counts(leaves, 1 if rows == 1 else 0, rows)
    for one, other in product(persons, repeat=2):
        if one != other:
            yield tuple(b - a for a, b in zip(one, other, strict=True))


def worst(tree, relation, rows, facts) -> tuple[Fraction, Fraction] | None:
    """Return the largest sums of rates times changes, and times their squares."""
    leaves = range(len(tree.leaves))
    below = [path_nodes(tree, leaf) for leaf in leaves]
    says = [signature(tree, leaf, facts) for leaf in leaves]
    found = []
    for move in pairs(len(leaves), relation, rows):
        if any(sum(n * s[k] for n, s in zip(move, says, strict=True)) for k in range(len(facts))):
            continue
        changes = {
            node: sum(n for n, nodes in zip(move, below, strict=True) if node in nodes)
            for node in range(tree.size)
        }
        rates = [RATES[tree.levels[node]] for node in changes]
        once = sum(r * abs(c) for r, c in zip(rates, changes.values(), strict=True))
        squares = sum(r * c**2 for r, c in zip(rates, changes.values(), strict=True))
        found.append((once, squares))
    return (max(o for o, _ in found), max(s for _, s in found)) if found else None


def certified(tree, relation, rows, facts) -> tuple[Fraction, Fraction] | None:
    """Return the same by the moves."""
    left = pairs_left(tree, relation, rows, facts)
    if left is None:
        return None
    cost = left.worst(RATES[: tree.depth]).cost(RATES[: tree.depth])
    return rows * cost, rows**2 * cost


def pin(tree, node) -> Row:
    """Return a fact at one node that leaves room for rows at each leaf below."""
    return Row(((node, 1),), 5 * int(tree.leaf_counts[node]))


def single_facts(tree):
    yield []
    yield from ([pin(tree, node)] for node in range(tree.size))
    yield [pin(tree, node) for node in range(1, tree.size, 2)]


RELATIONS = [(Neighbours.ADD_REMOVE, 1), (Neighbours.ADD_REMOVE, 2)]
RELATIONS += [(Neighbours.REPLACE_ONE, rows) for rows in (1, 2, 3)]


@pytest.mark.parametrize("paths", TREES, ids=str)
@pytest.mark.parametrize(("relation", "rows"), RELATIONS)
def test_the_worst_pair_is_attained(paths, relation, rows):
    tree = hf.Hierarchy.from_paths(paths)
    for facts in single_facts(tree) if relation is Neighbours.REPLACE_ONE else [[]]:
        assert certified(tree, relation, rows, facts) == worst(tree, relation, rows, facts), facts


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_rows_over_several_nodes_are_bounded(rows):
    """And exact where a person has one row. No pair is claimed where there is none."""
    tree = hf.Hierarchy.from_paths([("a",), ("b",), ("c",), ("d",)])
    shares = []
    for coefficients in product((0, 1, 2), repeat=4):
        terms = tuple((node, c) for node, c in enumerate(coefficients, 1) if c)
        if not terms:
            continue
        facts = [Row(terms, 4)]
        found, true = (f(tree, Neighbours.REPLACE_ONE, rows, facts) for f in (certified, worst))
        assert rows > 1 or found == true
        if found is not None:
            assert true is not None
            assert all(a >= b for a, b in zip(found, true, strict=True))
        shares.append(found is not None)
    assert sum(shares) > len(shares) / 2


def test_a_fact_under_add_remove_leaves_no_pair():
    tree = hf.Hierarchy.from_paths([("a",), ("b",)])
    assert pairs_left(tree, Neighbours.ADD_REMOVE, 1, [Row(((0, 1),), 3)]) is None


MARGINS = [Row(((node, 1),), 3) for node in (1, 2)]  # with room at every leaf
MARGINS += [Row(((3, 1), (5, 1)), 2), Row(((4, 1), (6, 1)), 4)]


def test_the_margins_of_a_table_leave_exchanges_of_two_rows():
    """A 2 x 2 table with both margins public: theory 2.2."""
    tree = hf.Hierarchy.from_paths([("A", 1), ("A", 2), ("B", 1), ("B", 2)])
    assert pairs_left(tree, Neighbours.REPLACE_ONE, 1, MARGINS) is None
    both = pairs_left(tree, Neighbours.REPLACE_ONE, 2, MARGINS)
    assert both is not None
    assert pairs_in_words(Neighbours.REPLACE_ONE, 2, True).endswith("the facts unchanged")
    every_leaf = [Row(((node, 1),), 3) for node in range(3, 7)]
    assert pairs_left(tree, Neighbours.REPLACE_ONE, 2, every_leaf) is None


def test_very_many_kinds_are_not_searched(monkeypatch):
    """Then no pair is claimed, which is the safe side."""
    tree = hf.Hierarchy.from_paths([("A", 1), ("A", 2), ("B", 1), ("B", 2)])
    monkeypatch.setattr(neighbours, "MOST_KINDS", 3)
    assert pairs_left(tree, Neighbours.REPLACE_ONE, 2, MARGINS) is None


def test_the_comparison_barks(monkeypatch):
    """Persons of several rows without those who come and go; facts that are forgotten."""
    tree = hf.Hierarchy.from_paths([("a", "b")])
    monkeypatch.setattr(neighbours, "arrivals", lambda *_: [])
    assert certified(tree, Neighbours.REPLACE_ONE, 2, []) != worst(
        tree, Neighbours.REPLACE_ONE, 2, []
    )
    monkeypatch.undo()
    honest = neighbours.kinds_of
    monkeypatch.setattr(neighbours, "kinds_of", lambda tree, facts: honest(tree, ()))
    fact = [Row(((1, 1),), 3)]
    tree = hf.Hierarchy.from_paths([("a", "b"), ("a", "d"), ("c",)])
    assert certified(tree, Neighbours.REPLACE_ONE, 1, fact) != worst(
        tree, Neighbours.REPLACE_ONE, 1, fact
    )
