"""The nearest table of whole numbers: by brute force on all small trees, by moves on large ones."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast.update.trees.tree_rules import TreeRules
from holdfast.update.whole import whole_optimum as room
from holdfast.update.whole.search import Search
from holdfast.update.whole.whole_optimum import WholeOptimum
from tests.plain.nearest import distance, nearest_whole
from tests.plain.trees import tree_of
from tests.update.cases import FORMS, cases, node_weights, whole_weights
from tests.update.test_tree_nonnegative import large_tree

RANGE = range(-7, 8)


def faults(way=WholeOptimum, count=1500, most_leaves=3) -> int:
    """Count tables other than the one that brute force finds."""
    wrong = 0
    for rules, asked in cases(count, seed=5, most_leaves=most_leaves):
        values = range(8) if rules.nonnegative else RANGE
        best = nearest_whole(rules.tree, whole_weights(rules), rules.pinned, asked.tolist(), values)
        wrong += way(rules).apply(asked).tolist() != best
    return wrong


def test_small_trees_have_the_table_that_brute_force_finds():
    assert faults() == 0


def test_trees_of_four_to_six_leaves_too():
    """Values 0 to 5: whole numbers without negative ones, and a total of 6 at the most."""
    wrong = 0
    for rules, asked in cases(1500, seed=6, low=-2, high=4):
        if not rules.nonnegative or rules.tree.leaf_nodes.size < 4 or rules.pinned:
            continue
        weights = whole_weights(rules)
        best = nearest_whole(rules.tree, weights, {}, asked.tolist(), range(5))
        wrong += WholeOptimum(rules).apply(asked).tolist() != best
    assert wrong == 0


class OnlyRounds(WholeOptimum):
    """Publishes the start: the real optimum rounded so that it adds up."""

    def apply(self, values):
        return self._start(values)[0]


def bounded_cases(count, seed):
    """Yield rules with bounds on up to three nodes, and asked values near them or far away."""
    random = np.random.default_rng(seed)
    for rules, asked in cases(count, seed, most_leaves=4):
        least, most = {}, {}
        for node in random.integers(0, rules.tree.size, 3).tolist():
            least[node] = int(random.integers(-2, 5))
            most[node] = least[node] + int(random.integers(0, 4))
        tree, weights = rules.tree, rules.weights
        given = TreeRules(tree, weights, rules.pinned, rules.nonnegative, least=least, most=most)
        yield given, asked * int(random.choice([1, 1, 3]))


def bounded_faults(way) -> tuple[int, int]:
    """Count tables other than the nearest one, and how many were looked at."""
    wrong = seen = 0
    for rules, asked in bounded_cases(300, seed=12):
        values = range(8) if rules.nonnegative else RANGE
        weights, bounds = whole_weights(rules), (rules.least, rules.most)
        best = nearest_whole(rules.tree, weights, rules.pinned, asked.tolist(), values, *bounds)
        if best is None or any(abs(best[leaf]) == 7 for leaf in rules.tree.leaf_nodes):
            continue  # no table, or the nearest may lie outside of the range
        wrong += way(rules).apply(asked).tolist() != best
        seen += 1
    return wrong, seen


def test_bounds_on_single_nodes_hold_and_no_table_is_nearer():
    wrong, seen = bounded_faults(WholeOptimum)
    assert wrong == 0
    assert seen > 100


class ForgetsUpperEnds(WholeOptimum):
    def apply(self, values):
        rules = self.rules
        loose = TreeRules(
            rules.tree, rules.weights, rules.pinned, rules.nonnegative, least=rules.least
        )
        return WholeOptimum(loose).apply(values)


class LongStepsOnly(WholeOptimum):
    """Ends where steps of two do not help any more."""

    def apply(self, values):
        search = Search(self.rules, self._start(values)[0], room.asked_for(values), 2)
        while search.goes_through():
            pass
        return search.table


@pytest.mark.parametrize("sabotage", [ForgetsUpperEnds, LongStepsOnly, OnlyRounds])
def test_the_test_of_bounds_barks(sabotage):
    assert bounded_faults(sabotage)[0] > 10


class ForgetsTheOrder(WholeOptimum):
    """Ends at any of several nearest tables."""

    def apply(self, values):
        mirrored = WholeOptimum(self.rules).apply(values)
        search = Search(self.rules, mirrored, room.asked_for(values))
        if search._out_of.cost[0] > 0 and search._into.cost[0] == 0:
            search._look_again(search._carry(search._into, np.zeros(1, dtype=np.int64), 1))
        return search.table


class EqualWeights(WholeOptimum):
    def apply(self, values):
        rules = self.rules
        return WholeOptimum(
            TreeRules(rules.tree, [Fraction(1)] * rules.tree.depth, rules.pinned, rules.nonnegative)
        ).apply(values)


class RoundsEachAlone(WholeOptimum):
    """The road of other tools: every number by itself, and the sums are off."""

    def apply(self, values):
        near = values - self.rules.tree.aggregate(values[self.rules.tree.leaf_nodes])
        found = self._nearest(near.astype(float), values - near)
        return values - near + np.rint(found.nodes).astype(np.int64)


@pytest.mark.parametrize("sabotage", [OnlyRounds, EqualWeights, RoundsEachAlone])
def test_the_test_of_whole_tables_barks(sabotage):
    assert faults(sabotage, count=200) > 5


def test_the_test_of_equal_tables_barks():
    """A tree in which 1 and 0 are equally near: the smaller total is published."""
    tree = hf.Hierarchy.from_paths([("a",)])
    rules = TreeRules(tree, [Fraction(1)] * 2)
    assert WholeOptimum(rules).apply(np.array([1, 0])).tolist() == [0, 0]
    assert ForgetsTheOrder(rules).apply(np.array([1, 0])).tolist() == [1, 1]


def test_the_image_is_that_of_the_definition():
    """`Belief.update` of all noisy tables of a small tree, by nearest tables."""
    tree = hf.Hierarchy.from_paths([("a",), ("b",)])
    rules = TreeRules(tree, [Fraction(1), Fraction(2)], None, nonnegative=True)
    noisy = [(t, a, b) for t in range(-2, 4) for a in range(-2, 4) for b in range(-2, 3)]
    event = {(a + b, a, b) for a in range(9) for b in range(9)}
    weights = whole_weights(rules)
    nearest = {y: tuple(nearest_whole(tree, weights, {}, y, range(9))) for y in noisy}
    belief = hf.Belief({y: Fraction(1, len(noisy)) for y in noisy})
    image = belief.update(event, nearest)
    mine = belief.map(lambda y: tuple(WholeOptimum(rules).apply(np.array(y)).tolist()))
    assert dict(image) == dict(mine)


@settings(max_examples=10_000, deadline=None)
@given(
    st.integers(0, len(FORMS) - 1),
    st.lists(st.integers(-(2**40), 2**40), min_size=12, max_size=12),
    st.lists(st.fractions(Fraction(1, 50), 50, max_denominator=60), min_size=6, max_size=6),
    st.booleans(),
    st.booleans(),
)
def test_what_is_published_always_obeys_the_rules(form, values, weights, small, nonnegative):
    tree = tree_of(FORMS[form])
    asked = np.array(
        [values[k % 12] % 7 - 3 if small else values[k % 12] for k in range(tree.size)]
    )
    answer = WholeOptimum(TreeRules(tree, weights[: tree.depth], None, nonnegative)).apply(asked)
    rules = tree.sums() & hf.nonnegative() if nonnegative else tree.sums()
    assert rules.holds(answer)


@pytest.mark.parametrize("weights", [(1, 1, 1, 1), (3, 1, 4, 2)])
def test_no_exchange_improves_a_large_table(weights):
    """Ten thousand random moves between leaves, into and out of them, tried one by one."""
    random = np.random.default_rng(11)
    tree = large_tree(3)
    leaves = np.where(random.random(10_000) < 0.5, 0, random.poisson(20, 10_000))
    asked = tree.aggregate(leaves) + np.rint(random.laplace(0, 5, tree.size)).astype(np.int64)
    rules = TreeRules(tree, [Fraction(w) for w in weights], None, nonnegative=True)
    table = WholeOptimum(rules).apply(asked)
    assert all(change > 0 for change in changes(rules, asked, table, random))
    table[_path(tree, int(tree.leaf_nodes[0]))] += 1
    assert min(changes(rules, asked, table, random)) < 0  # a unit too much is seen


def test_a_bound_far_from_the_asked_values_is_reached_in_long_steps():
    """A node that was asked to hold half a million more than it may: twenty halvings."""
    random = np.random.default_rng(13)
    tree = large_tree(5)
    asked = tree.aggregate(random.poisson(500, 10_000))
    weights = [Fraction(w) for w in (3, 1, 4, 2)]
    node = int(np.argmax(asked[1:41])) + 1
    bound = int(asked[node]) // 10
    rules = TreeRules(tree, weights, None, True, least={2: int(asked[2]) * 3}, most={node: bound})
    table = WholeOptimum(rules).apply(asked)
    assert tree.sums().holds(table)
    assert table.min() >= 0
    assert table[node] == bound
    assert table[2] == int(asked[2]) * 3
    assert all(change > 0 for change in changes(rules, asked, table, random))


def changes(rules, asked, table, random):
    """Yield what random moves add to the distance; a tie counts by the order of the leaves."""
    weights = np.array(rules.whole_weights)[rules.tree.levels]
    leaves = rules.tree.leaf_nodes
    pairs = random.integers(-1, leaves.size, (10_000, 2)).tolist() + [[-1, 0], [0, -1]]
    for enter, leave in pairs:
        if enter == leave:
            continue
        up = set(_path(rules.tree, int(leaves[enter]))) if enter >= 0 else set()
        down = set(_path(rules.tree, int(leaves[leave]))) if leave >= 0 else set()
        step = [(node, 1) for node in up - down] + [(node, -1) for node in down - up]
        if any(not rules.lowest[n] <= table[n] + s <= rules.highest[n] for n, s in step):
            continue
        change = sum(int(weights[n]) * (2 * s * int(table[n] - asked[n]) + 1) for n, s in step)
        tie = 1 if leave < 0 or (enter >= 0 and enter > leave) else -1
        yield change if change else tie


def _path(tree, node):
    """Return a node and all above it."""
    nodes = [node]
    while nodes[-1]:
        nodes.append(int(tree.arrays.parents[nodes[-1]]))
    return nodes


def test_floats_are_taken_at_their_exact_values():
    """0.5 is a tie, and the smaller total wins; a bit more than that is not."""
    tree = hf.Hierarchy.from_paths([("a",)])
    rules = TreeRules(tree, [Fraction(1)] * 2)
    assert WholeOptimum(rules).apply(np.array([0.5, 0.5])).tolist() == [0, 0]
    assert WholeOptimum(rules).apply(np.array([0.5, 0.5 + 2.0**-52])).tolist() == [1, 1]


@pytest.mark.parametrize("little", [0.01, 1e-8, 2.0**-70, -1e-300])
def test_a_small_float_beside_large_ones_does_not_wrap(little):
    """Its parts are many, and the large ones are counted in them: beyond 64 bits."""
    tree = hf.Hierarchy.from_paths([("a",), ("b",)])
    rules = TreeRules(tree, [Fraction(1)] * 2, None, nonnegative=True)
    found = WholeOptimum(rules).apply(np.array([1000.0, 1000.0, little]))
    assert found.tolist() == [1000, 1000, 0]


def test_floats_with_fractions_beside_empty_cells_have_the_nearest_table():
    """Twenty-five leaves as they come from Laplace noise: no move of one unit helps."""
    random = np.random.default_rng(17)
    tree = hf.Hierarchy.from_paths([(a, b) for a in range(5) for b in range(5)])
    rules = TreeRules(tree, [Fraction(1)] * 3, None, nonnegative=True)
    truth = tree.aggregate(np.where(np.arange(25) % 5 == 0, 1000, 0))
    for _ in range(10):
        asked = truth + random.laplace(0, 4, tree.size)
        table = WholeOptimum(rules).apply(asked)
        exact = [Fraction(y) for y in asked.tolist()]
        here = distance(node_weights(rules), table.tolist(), exact)
        for leaf in range(25):
            for step in (-1, 1):
                unit = tree.aggregate(step * np.eye(25, dtype=np.int64)[leaf])
                if (table + unit).min() >= 0:
                    assert distance(node_weights(rules), (table + unit).tolist(), exact) >= here


def test_a_pin_far_beyond_the_bits_of_floats_is_kept():
    tree = hf.Hierarchy.from_paths([("a",)])
    rules = TreeRules(tree, [Fraction(1)] * 2, {0: 1}, nonnegative=True)
    assert WholeOptimum(rules).apply(np.array([2**57 + 1, 2**57 + 3])).tolist() == [1, 1]


def test_small_weights_above_many_leaves_are_reached_in_lots():
    """Each leaf rounds down, the root hardly minds: thousands of units below the real optimum."""
    tree = hf.Hierarchy.from_paths([(k,) for k in range(20_000)])
    rules = TreeRules(tree, [Fraction(1, 10**9), Fraction(1)], None, nonnegative=True)
    assert not WholeOptimum(rules).apply(np.full(tree.size, 0.4375)).any()


def test_weights_too_fine_for_64_bits_are_compared_all_the_same():
    """Two leaves nearly equally dear: the difference stands in the ninetieth bit."""
    tree = hf.Hierarchy.from_paths([("a", "x"), ("b",)])
    little = Fraction(1, 2**90)
    rules = TreeRules(tree, [Fraction(1), Fraction(1), little])
    found = WholeOptimum(rules).apply(np.array([1, 0, 0, 0]))
    tables = [tree.aggregate(np.array(pair)).tolist() for pair in product(range(-2, 3), repeat=2)]
    far = {tuple(z): distance(node_weights(rules), z, [1, 0, 0, 0]) for z in tables}
    assert far[tuple(found.tolist())] == min(far.values())
    assert sorted(far.values())[1] - min(far.values()) < little * 4  # in floats they are equal


@pytest.mark.parametrize("sign", [-1, 1])
def test_a_deep_chain_of_nodes_that_must_not_move_stays(sign):
    """Twelve levels, each blocked: what is huge must not be added up beyond 64 bits."""
    paths = [tuple(f"{name}{level}" for level in range(12)) for name in "xy"]
    tree = hf.Hierarchy.from_paths(paths)
    pinned = {} if sign < 0 else dict.fromkeys(range(1, tree.size), 2) | {0: 4}
    rules = TreeRules(tree, [Fraction(1)] * tree.depth, pinned, nonnegative=True)
    found = WholeOptimum(rules).apply(np.full(tree.size, 9 * sign))
    assert found.tolist() == ([0] * tree.size if sign < 0 else [4] + [2] * (tree.size - 1))


def test_large_counts_start_near_their_optimum():
    """Counts of 2**50: floats would be off by units; distances are worked out, not counts."""
    tree = hf.Hierarchy.from_paths([(k, j) for k in range(3) for j in range(3)])
    leaves = np.arange(9) * 2**46 + 12345
    asked = tree.aggregate(leaves)
    asked[0] += 9
    rules = TreeRules(tree, [Fraction(1)] * 3, None, nonnegative=True)
    found = WholeOptimum(rules).apply(asked)
    small = tree.aggregate(np.full(9, 100))
    small[0] += 9
    assert (found - tree.aggregate(leaves)).tolist() == (
        WholeOptimum(rules).apply(small) - tree.aggregate(np.full(9, 100))
    ).tolist()
