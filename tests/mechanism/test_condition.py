"""What an invariant asks of the noise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import holdfast as hf
from holdfast.foundation.errors import BadRules
from holdfast.mechanism.condition import Condition, check_facts
from holdfast.noise.sensitivity import Neighbours
from tests.mechanism.samples import A_IS_B, FIRST_IS_MORE, GROUP, REAL, TABLE, TREE, WHOLE

SUMS = TREE.sums()


def condition(rules, law=WHOLE):
    return Condition(TREE, (law,) * TREE.depth, rules)


def test_rules_of_one_node_pin_it():
    pins = hf.equalities([[0, 2, 0, 0, 0, 0]], 8)
    assert condition(SUMS & hf.total(11)).pinned == (0,)
    assert condition(SUMS & pins).pinned == (1,)
    assert condition(SUMS & pins & hf.total(11)).pinned == (0, 1)
    assert condition(SUMS & pins).is_tree


def test_rules_of_several_nodes_are_rows():
    found = condition(SUMS & A_IS_B & hf.total(11))
    assert not found.is_tree
    assert [row.terms for row in found.rows] == [((1, 1), (2, -1))]
    assert [row.right for row in found.system.rows] == [0] * 5  # three sums, a pin, a row


def test_inequalities_are_told_apart():
    found = condition(SUMS & hf.nonnegative() & FIRST_IS_MORE)
    assert found.is_nonnegative
    assert [rule.row.terms for rule in found.limits] == [((3, 1), (4, -1))]
    assert not condition(SUMS).is_nonnegative
    assert condition(SUMS).limits == ()


@given(st.lists(st.integers(-9, 9), min_size=3, max_size=3))
def test_noise_obeys_the_rows_exactly_if_the_noisy_table_obeys_the_rules(leaves):
    """Docs: a table that obeys A z = b keeps it exactly if the noise obeys A u = 0."""
    rules = SUMS & A_IS_B
    found = condition(rules)
    noise = TREE.aggregate(leaves)
    sums = [sum(value * noise[cell] for cell, value in row.terms) for row in found.system.rows]
    assert found.holds(TABLE + noise) == (not any(sums))


@given(st.lists(st.integers(-9, 9), min_size=3, max_size=3))
def test_noise_that_obeys_the_free_limits_is_always_allowed(leaves):
    rules = SUMS & hf.nonnegative() & FIRST_IS_MORE
    found, noise = condition(rules), TREE.aggregate(leaves)
    assert found.holds(TABLE)
    if found.free_limits_hold(noise):
        assert found.limits_hold(TABLE + noise)


def test_what_is_allowed_of_noise_is_not_moved_by_the_right_side():
    """No noise at all is allowed, though 0 is not 3 or more; noise that lowers the row is not."""
    found = condition(SUMS & hf.inequalities([[0, 0, 0, 1, -1, 0]], 3))
    assert found.free_limits_hold(np.zeros(6, dtype=np.int64))
    assert found.free_limits_hold(TREE.aggregate([1, 0, -4]))
    assert not found.free_limits_hold(TREE.aggregate([0, 1, 0]))
    assert not found.limits_hold(np.zeros(6, dtype=np.int64))


@given(st.lists(st.integers(-9, 9), min_size=3, max_size=3))
def test_a_checked_table_is_held_to_what_the_mechanism_has_not_checked(leaves):
    """That it adds up was checked before; every further rule counts as it does in `holds`."""
    for rules in (SUMS & A_IS_B, SUMS & hf.nonnegative() & FIRST_IS_MORE, SUMS & hf.total(11)):
        found, table = condition(rules), TREE.aggregate(leaves)
        assert found.holds_of_checked(table) == found.holds(table)
        assert condition(rules, REAL).holds_of_checked(table * 1.0) == found.holds(table)


def test_whole_tables_are_held_to_the_last_unit():
    rules = SUMS & A_IS_B
    assert condition(rules).holds(TABLE)
    for node in range(TREE.size):
        off = TABLE.copy()
        off[node] += 1
        assert not condition(rules).holds(off)


def test_tables_of_floats_are_held_to_rounding():
    """A thousand millionth of what is added up passes, a millionth does not."""
    rules = SUMS & A_IS_B & hf.nonnegative() & FIRST_IS_MORE
    found = condition(rules, REAL)
    table = TABLE.astype(float)
    assert found.holds(table)
    assert found.holds(table * (1 + 1e-12))
    for node in range(TREE.size):
        off = table.copy()
        off[node] += 1e-5
        assert not found.holds(off)
    assert not condition(SUMS & hf.nonnegative(), REAL).holds(TREE.aggregate([1.0, -1e-6, 3.0]))
    assert not condition(SUMS & FIRST_IS_MORE, REAL).holds(TREE.aggregate([1.0, 1.1, 3.0]))
    assert not condition(SUMS & hf.total(11), REAL).holds(TREE.aggregate([1.0, 1.1, 3.0]))


def test_a_sum_of_floats_is_held_to_the_rounding_of_what_is_added_up():
    """Two large counts that nearly cancel leave more rounding than a small total shows."""
    found = Condition(GROUP, (REAL,) * 2, GROUP.sums())
    table = np.array([0.3, 1e9 + 0.1, -1e9, 0.2])
    assert abs(table[0] - table[1:].sum()) > 1e-9
    assert found.holds(table)
    assert not found.holds(table + np.array([10.0, 0, 0, 0]))
    assert not found.holds(np.array([0.3, 0.1, 0.0, 0.2 + 1e-8]))


@pytest.mark.parametrize("rules", [SUMS & hf.total(11), SUMS & A_IS_B])
def test_data_facts_are_refused_under_add_remove(rules):
    check_facts(rules, Neighbours.REPLACE_ONE)
    with pytest.raises(BadRules, match="nothing is promised"):
        check_facts(rules, Neighbours.ADD_REMOVE)
    check_facts(SUMS & hf.nonnegative(), Neighbours.ADD_REMOVE)


def test_what_is_no_invariant_of_the_tree_is_refused():
    other = hf.Hierarchy.from_paths([("A", 1), ("B", 2)])
    with pytest.raises(BadRules, match="an invariant"):
        condition("sums")
    with pytest.raises(BadRules, match=r"Write tree.sums\(\) & "):
        condition(hf.nonnegative())
    with pytest.raises(BadRules, match="those of another tree"):
        condition(other.sums())


def test_rules_about_no_table_at_all_are_refused_when_joined():
    """An infeasible total: no table of counts has it."""
    with pytest.raises(hf.Contradiction, match=r"total = -3; nonnegative|nonnegative; total = -3"):
        _ = SUMS & hf.nonnegative() & hf.total(-3)


def test_a_condition_holds_arrays_of_the_house():
    assert condition(SUMS).holds(np.asarray(TABLE))
