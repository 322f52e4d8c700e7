"""Trees with weights, pinned nodes and asked values: the same ones every time."""

from fractions import Fraction

import numpy as np

from holdfast.update.trees.tree_rules import TreeRules
from tests.plain.nearest import nearest_real
from tests.plain.trees import ALL_FORMS, forms, tree_of

FORMS = ALL_FORMS + forms(6)[::4]


def cases(count, seed, most_leaves=6, low=-3, high=6):
    """Yield rules and asked values on random small trees, a third of them with a pinned node."""
    random = np.random.default_rng(seed)
    fit = [form for form in FORMS if tree_of(form).leaf_nodes.size <= most_leaves]
    for number in range(count):
        tree = tree_of(fit[number % len(fit)])
        shares = random.integers(1, 6, (tree.depth, 2)).tolist()
        weights = [Fraction(a, b) for a, b in shares]
        if random.integers(3) == 0:
            weights = [Fraction(1)] * tree.depth  # many tables are equally near
        pinned = {}
        if random.integers(3) == 0:
            pinned = {int(random.integers(0, tree.size)): int(random.integers(0, 5))}
        rules = TreeRules(tree, weights, pinned, bool(random.integers(2)))
        yield rules, random.integers(low, high, tree.size)


def whole_weights(rules):
    """Return the whole weight of every node."""
    return [rules.whole_weights[level] for level in rules.tree.levels]


def node_weights(rules):
    """Return the weight of every node."""
    return [rules.weights[level] for level in rules.tree.levels]


def farthest(way, given) -> float:
    """Return how far a way's real tables stray from the exact ones, at the most."""
    worst = 0.0
    for rules, asked in given:
        weights, values = node_weights(rules), asked.tolist()
        exact = nearest_real(rules.tree, weights, rules.pinned, values, rules.nonnegative)
        found = way(rules).apply(asked)
        worst = max(worst, float(np.abs(found - np.array(exact, dtype=float)).max()))
    return worst
