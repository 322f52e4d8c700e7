"""Facts that leave no room: nobody at a node, halves, sums of parts above the whole.

If this failed, a certificate would promise something about pairs that do not exist.
"""

from itertools import product

import pytest

import holdfast as hf
from holdfast.privacy import room
from holdfast.privacy.room import emptied
from holdfast.worlds.exact_rows import Row
from tests.plain.loss_cases import trees

TREES = [paths for leaves in (1, 2, 3) for paths in trees(leaves, 2)]
MOST = 3


def tables(tree):
    return [tree.aggregate(leaves) for leaves in product(range(MOST + 1), repeat=len(tree.leaves))]


def wrong(paths) -> list:
    """Return the facts at one or two nodes for which leaves are said to be empty and are not."""
    tree = hf.Hierarchy.from_paths(paths)
    found = []
    nodes = [(a, b) for a in range(tree.size) for b in range(a, tree.size)]
    for (a, b), values in product(nodes, product(range(3), repeat=2)):
        facts = [Row(((a, 1),), values[0])]
        facts += [Row(((b, 1),), values[1])] if b != a else []
        obey = [t for t in tables(tree) if all(t[f.terms[0][0]] == f.right for f in facts)]
        mask = emptied(tree, facts)
        if mask is None:
            found += [facts] if obey else []
            continue
        for node in tree.leaf_nodes[mask[tree.leaf_nodes]].tolist():
            found += [facts] if any(table[node] for table in obey) else []
        alive = tree.leaf_nodes[~mask[tree.leaf_nodes]].tolist()
        found += [facts] if obey and any(not any(t[n] for t in obey) for n in alive) else []
    return found


@pytest.mark.parametrize("paths", TREES, ids=str)
def test_leaves_are_empty_exactly_where_no_table_has_a_row(paths):
    assert wrong(paths) == []


def test_halves_and_less_than_nobody_have_no_table():
    tree = hf.Hierarchy.from_paths([("a",), ("b",)])
    assert emptied(tree, [Row(((0, 2),), 11)]) is None
    assert emptied(tree, [Row(((1, 2), (2, 4)), 3)]) is None
    assert emptied(tree, [Row(((0, 1),), -1)]) is None
    assert emptied(tree, [Row(((0, 1),), 1), Row(((1, 1),), 2)]) is None
    assert emptied(tree, [Row(((1, -1),), -2)]) is not None


def test_the_comparison_barks(monkeypatch):
    """A twin that forgets lower nodes."""
    monkeypatch.setattr(room, "_left", lambda spine, node, fixed: fixed[node])
    assert sum(bool(wrong(paths)) for paths in TREES) > len(TREES) / 2
