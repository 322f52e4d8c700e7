"""The price of a move is what it adds to the distance; the cheapest is the cheapest of all."""

import numpy as np
import pytest

from holdfast.update.whole.search import Asked, Search
from holdfast.update.whole.unit_moves import UnitMoves
from tests.update.cases import cases, whole_weights


def searches(count=150):
    """Yield searches that stand at an arbitrary table, with what they were asked for."""
    random = np.random.default_rng(7)
    for rules, asked in cases(count, seed=8):
        if rules.pinned:
            continue
        table = rules.tree.aggregate(random.integers(0, 4, rules.tree.leaf_nodes.size))
        yield Search(rules, table, Asked(asked)), rules, asked


def far(rules, table, asked) -> int:
    moves = zip(whole_weights(rules), table.tolist(), asked.tolist(), strict=True)
    return sum(w * (z - y) ** 2 for w, z, y in moves)


def priced(rules, table, asked, step):
    """Return for each leaf what its move adds to the distance, or None where it may not move."""
    now, found = far(rules, table, asked), []
    for leaf in range(rules.tree.leaf_nodes.size):
        unit = np.zeros(rules.tree.leaf_nodes.size, dtype=np.int64)
        unit[leaf] = step
        moved = table + rules.tree.aggregate(unit)
        blocked = rules.nonnegative and (moved < 0).any()
        found.append(None if blocked else far(rules, moved, asked) - now)
    return found


def faults(change) -> int:
    """Count searches whose cheapest move of the whole is not that of brute force."""
    wrong = 0
    for search, rules, asked in searches():
        change(search)
        for moves, step in ((search._into, 1), (search._out_of, -1)):
            prices = priced(rules, search.table, asked, step)
            open_ones = [(p, step * k) for k, p in enumerate(prices) if p is not None]
            if not open_ones:
                wrong += int(moves.cost[0]) < 2**50
                continue
            wrong += (int(moves.cost[0]), int(moves.order[0])) != min(open_ones)
    return wrong


def test_the_cheapest_move_is_that_of_brute_force():
    assert faults(lambda search: None) == 0


def test_it_still_is_after_a_unit_has_moved():
    """Only the nodes above the leaves that moved are looked at anew."""

    def one_step(search):
        nodes = np.zeros(1, dtype=np.int64)
        search._look_again(search._carry(search._into, nodes, 1))

    assert faults(one_step) == 0


def forgets_to_look(search):
    search._carry(search._into, np.zeros(1, dtype=np.int64), 1)


def looks_at_leaves_alone(search):
    leaves = search._carry(search._into, np.zeros(1, dtype=np.int64), 1)
    search._into.cost[leaves] = search._price(1, leaves)


def mixes_up_the_order(search):
    order = -search._into.order
    search._into = UnitMoves(search._rules.tree.arrays, order, lambda n: search._price(1, n), 2**60)


@pytest.mark.parametrize("sabotage", [forgets_to_look, looks_at_leaves_alone, mixes_up_the_order])
def test_the_test_of_moves_barks(sabotage):
    assert faults(sabotage) > 0
