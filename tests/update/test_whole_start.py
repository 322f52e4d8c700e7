"""A start obeys every rule, however crooked the real numbers that it comes from."""

import numpy as np

from holdfast.update.trees.tree_least_squares import Nearest
from holdfast.update.whole import whole_start as room
from holdfast.update.whole.whole_start import Ends, whole_start
from tests.update.cases import cases
from tests.update.test_whole_optimum import bounded_cases


def starts(given, seed):
    """Yield rules with starts from real numbers that add up, nearly do, or do not at all."""
    random = np.random.default_rng(seed)
    for rules, asked in given:
        if (rules.lowest > rules.highest).any():
            continue
        for real in (
            asked / 3,
            rules.tree.aggregate(random.normal(0, 9, rules.tree.leaf_nodes.size)),
        ):
            for fuzz in (0.0, 1e-9, 5.0):
                nodes = real + fuzz * random.normal(size=real.size)
                alone = random.random(real.size) * random.integers(0, 2, real.size)
                ends = Ends(rules.lowest, rules.highest)
                yield rules, whole_start(rules.levels, Nearest(nodes, alone, 1), ends)


def test_the_test_of_starts_barks(monkeypatch):
    """Without the last step, crooked numbers leave units that fit nowhere."""
    monkeypatch.setattr(room, "_settle", lambda *given: None)
    found = list(starts(cases(100, seed=14), 16))
    assert sum(not rules.tree.sums().holds(table) for rules, table in found) > 20


def test_a_start_adds_up_and_keeps_its_ends():
    seen = 0
    for given in (cases(200, seed=14), bounded_cases(200, seed=15)):
        for rules, table in starts(given, 16):
            assert rules.tree.sums().holds(table)
            assert (rules.lowest <= table).all()
            assert (table <= rules.highest).all()
            seen += 1
    assert seen > 1000
