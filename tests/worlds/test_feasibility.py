"""Rules that cannot hold together are refused, and the conflict that is named is one."""

from itertools import combinations

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from holdfast.foundation.errors import Contradiction
from holdfast.worlds import feasibility
from holdfast.worlds.hierarchy import Hierarchy
from holdfast.worlds.invariant import (
    Invariant,
    equalities,
    inequalities,
    nonnegative,
    total,
)
from holdfast.worlds.rules import Linear, Nonnegative, Sums, Total, name_of

TREE = Hierarchy.from_paths([("A", "a"), ("A", "b"), ("B", "c"), ("D",)], root="all")
SIZE = TREE.size
UNIT = np.eye(SIZE, dtype=int)


@st.composite
def rule_sets(draw):
    """Sums, non-negativity and a total, each or not; and up to five rows."""
    rules = []
    rules += [Sums(TREE)] if draw(st.booleans()) else []
    rules += [Nonnegative()] if draw(st.booleans()) else []
    rules += [Total(draw(st.integers(-1, 5)))] if draw(st.booleans()) else []
    single = draw(st.booleans())
    for _ in range(draw(st.integers(0, 5))):
        if single:
            row = draw(st.sampled_from([-1, 1, 2])) * UNIT[draw(st.integers(0, SIZE - 1))]
        else:
            row = np.array(draw(st.lists(st.integers(-1, 1), min_size=SIZE, max_size=SIZE)))
        make = equalities if draw(st.booleans()) else inequalities
        try:
            rules += make([row], draw(st.integers(-3, 3))).rules
        except Contradiction:
            continue  # a row of zeros that says 0 = 1
    return rules


def by_highs(rules) -> bool:
    """Return whether a real vector obeys the rules, by another solver."""
    above, equal = [], []
    for rule in rules:
        match rule:
            case Sums():
                ends = TREE.arrays.child_offsets
                for node in range(SIZE):
                    if ends[node + 1] > ends[node]:
                        row = UNIT[node] - UNIT[ends[node] : ends[node + 1]].sum(axis=0)
                        equal.append((row, 0))
            case Total(value):
                equal.append((UNIT[0], value))
            case Linear(row, relation):
                dense = np.zeros(SIZE)
                for node, coefficient in row.terms:
                    dense[node] = coefficient
                (equal if relation == "=" else above).append((dense, row.right))
    low = 0 if any(isinstance(rule, Nonnegative) for rule in rules) else None
    side = {"bounds": [(low, None)] * SIZE, "method": "highs"}
    if equal:
        side |= {"A_eq": [row for row, _ in equal], "b_eq": [right for _, right in equal]}
    if above:
        side |= {"A_ub": [-row for row, _ in above], "b_ub": [-right for _, right in above]}
    return bool(linprog(np.zeros(SIZE), **side).status == 0)


def named(rules) -> dict:
    tree = TREE if any(isinstance(rule, Sums) for rule in rules) else None
    answer: dict = {}
    for rule in rules:
        name = name_of(rule, tree)
        while name in answer and answer[name] != rule:
            name += "'"
        answer.setdefault(name, rule)
    return answer


def verdict(rules) -> tuple[str, ...] | None:
    try:
        Invariant(rules)
    except Contradiction as conflict:
        return conflict.conflict if conflict.smallest else ("not the smallest",)
    return None


@given(rule_sets())
@settings(max_examples=300)
def test_exactly_the_impossible_is_refused_and_the_smallest_conflict_named(rules):
    """The conflict cannot hold, and no smaller set of rules conflicts."""
    conflict = verdict(rules)
    assert (conflict is None) == by_highs(rules)
    if conflict is not None:
        known = named(rules)
        assert not by_highs([known[name] for name in conflict if name in known])
        for size in range(len(conflict)):
            assert all(by_highs(list(few)) for few in combinations(known.values(), size))


@given(rule_sets())
@settings(max_examples=300)
def test_dropped_rows_change_nothing(rules):
    """Each dropped row follows: with its opposite the rest cannot hold."""
    if not by_highs(rules):
        return
    kept = Invariant(rules)
    for rule in kept.redundant:
        assert isinstance(rule, Linear)
        row = rule.row
        for sign in (1, -1) if rule.relation == "=" else (-1,):
            terms = np.zeros(SIZE)
            for node, coefficient in row.terms:
                terms[node] = coefficient
            assert not can_pass(kept.rules, sign * terms, sign * row.right)


def can_pass(rules, row, right) -> bool:
    """Return whether row @ z can exceed the right side by a millionth under the rules."""
    extra = inequalities([[int(v * 10**6) for v in row]], int(right * 10**6) + 1)
    return by_highs([*rules, *extra.rules])


def test_the_two_deciders_agree(monkeypatch):
    """Intervals and programmes are two roads; rules of one node each can take either."""
    rules = {
        "sums": Sums(TREE),
        "nonnegative": Nonnegative(),
        "total": Total(3),
        "A": equalities(UNIT[[1]], 2).rules[0],
        "B": inequalities(UNIT[[2]], 2).rules[0],
    }
    tree = feasibility.spine_of(TREE, [1, 2])
    by_intervals = feasibility._decider(rules, tree)
    monkeypatch.setattr(feasibility, "intervals_meet", None)
    crossed = equalities([[0, 1, 1, 0, 0, 0, 0]], 9).rules[0]
    by_programmes = feasibility._decider(rules | {"crossed": crossed}, tree)
    monkeypatch.undo()
    assert by_intervals is not None
    assert by_programmes is not None
    for size in range(len(rules) + 1):
        for few in combinations(rules, size):
            assert by_intervals(few) == by_programmes(few)


def test_many_pinned_nodes_are_decided_by_intervals():
    """Three thousand public totals: decided, and the one that is too many is named."""
    leaves = 3000
    tree = Hierarchy.from_paths([(f"c{n}",) for n in range(leaves)])
    unit = {n: [0] * (leaves + 1) for n in (1, 2)}
    for n, row in unit.items():
        row[n] = 1
    rules = tree.sums() & nonnegative() & total(10)
    pinned = rules & equalities([unit[1]], 4)
    assert pinned.examined
    with pytest.raises(Contradiction) as caught:
        pinned & equalities([unit[2]], 7)
    assert set(caught.value.conflict) == {"sums", "nonnegative", "total = 10", "c0 = 4", "c1 = 7"}


def test_beyond_the_exact_size_nothing_is_claimed():
    """Rules too many for an exact programme: not examined, and it says so; equalities still are."""
    leaves = 120
    tree = Hierarchy.from_paths([(f"c{n}",) for n in range(leaves)])
    rows = np.random.default_rng(1).integers(-1, 2, size=(40, leaves + 1))
    many = tree.sums() & equalities(rows, 0)
    assert not many.examined
    with pytest.raises(Contradiction) as caught:
        many & equalities(rows[:1] + rows[1:2], 1)
    assert len(caught.value.conflict) == 3
    assert not caught.value.smallest


def test_the_conflict_is_named_in_the_users_words():
    rules = TREE.sums() & nonnegative() & total(5)
    with pytest.raises(Contradiction, match="sums; nonnegative; total = 5; A = 7"):
        rules & equalities(UNIT[[1]], 7)
    with pytest.raises(Contradiction, match="the law of 1790"):
        rules & equalities(UNIT[[1]], 7, names=["the law of 1790"])
    with pytest.raises(Contradiction, match="nonnegative; total = -5"):
        TREE.sums() & nonnegative() & total(-5)
    with pytest.raises(Contradiction, match="total = 5; total = 6"):
        rules & total(6)


def never_conflicts(rules, tree):
    return feasibility.Examination((), examined=True)


def calls_everything_redundant(rules, tree):
    rows = [name for name, rule in rules.items() if isinstance(rule, Linear)]
    return feasibility.Examination(tuple(rows), examined=True)


refusals = test_exactly_the_impossible_is_refused_and_the_smallest_conflict_named


def names_all_rules(rules, tree):
    spine = feasibility.spine_of(TREE, [1])
    decide = feasibility._decider(rules, spine)
    if decide is not None and decide(rules):
        raise Contradiction(tuple(rules), smallest=True)
    return feasibility.Examination((), examined=True)


@pytest.mark.parametrize("sabotage", [never_conflicts, calls_everything_redundant, names_all_rules])
def test_the_tests_bark(sabotage, monkeypatch):
    conflict = [Sums(TREE), Nonnegative(), Total(5), *equalities(UNIT[[1, 2]], [7, 1]).rules]
    fine = [Sums(TREE), Nonnegative(), *equalities(UNIT[[1]], 1).rules]
    monkeypatch.setattr(feasibility, "examine", sabotage)
    caught = 0
    for test, rules in ((refusals, conflict), (test_dropped_rows_change_nothing, fine)):
        try:
            test.hypothesis.inner_test(rules)
        except AssertionError:
            caught += 1
    assert caught


def test_a_redundant_row_never_drops_the_sums():
    """A row written first that repeats one of the sums must not take their place."""
    row = equalities([[1, -1, -1, -1, 0, 0, 0]], 0)
    for rules in (row & TREE.sums(), TREE.sums() & row):
        assert rules.tree is TREE
        assert rules.dropped == ("all - A - B - D = 0",)
        assert not rules.holds([3, 1, 1, 1, 100, 0, 0])
    assert (equalities(UNIT[[0]], 5) & total(5)).dropped == ("z[0] = 5",)


def test_a_chain_of_equations_takes_no_time():
    """Each row names the next two: replacing variables path by path would never end."""
    length = 60
    rows = np.zeros((length - 1, length), dtype=int)
    for i in range(length - 2):
        rows[length - 3 - i, i : i + 3] = [1, -1, -1]
    rows[-1, [0, -1]] = 1
    assert equalities(rows, 0).rules


def test_a_conflict_of_thousands_of_rules_is_told_in_time():
    """Every leaf at most 1 and a total of a million: the names are cut, and it says so."""
    leaves = 1500
    tree = Hierarchy.from_paths([(f"c{n}",) for n in range(leaves)])
    rows = scipy.sparse.coo_array(
        (-np.ones(leaves, dtype=int), (np.arange(leaves), np.arange(1, leaves + 1))),
        shape=(leaves, leaves + 1),
    )
    rules = tree.sums() & nonnegative() & inequalities(rows, -1)
    with pytest.raises(Contradiction, match=r"a conflicting set.* and .* more") as caught:
        rules & total(10**6)
    assert not caught.value.irreducible


def test_an_invariant_is_checked_at_birth():
    with pytest.raises(Contradiction):
        Invariant((Total(1), Total(2)))
