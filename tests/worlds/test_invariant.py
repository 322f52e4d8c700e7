"""Invariants: what they say, what kind they are, and that `holds` is exact."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import holdfast as hf
from holdfast.foundation.errors import BadParameter, BadRules, BadTable
from holdfast.worlds.rules import Kind

TREE = hf.Hierarchy.from_paths([("A", "a"), ("A", "b"), ("B", "c")], root="all")
TABLE = TREE.aggregate([1, 2, 3])
SUMS = [[1, -1, -1, 0, 0, 0], [0, 1, 0, -1, -1, 0], [0, 0, 1, 0, 0, -1]]
vectors = st.lists(st.integers(-3, 6), min_size=6, max_size=6)


@given(vectors)
def test_the_sums_hold_exactly_where_every_parent_adds_up(vector):
    expected = all(sum(c * v for c, v in zip(row, vector, strict=True)) == 0 for row in SUMS)
    assert TREE.sums().holds(vector) == expected


@given(vectors, st.lists(st.integers(-2, 2), min_size=6, max_size=6), st.integers(-4, 4))
def test_rows_hold_by_their_definition(vector, row, right):
    left = sum(c * v for c, v in zip(row, vector, strict=True))
    if any(row):
        assert hf.equalities([row], right).holds(vector) == (left == right)
        assert hf.inequalities([row], right).holds(vector) == (left >= right)


@given(vectors)
def test_and_means_both(vector):
    both = TREE.sums() & hf.nonnegative()
    assert both.holds(vector) == (TREE.sums().holds(vector) and min(vector) >= 0)
    assert hf.total(6).holds(vector) == (vector[0] == 6)


def test_large_numbers_are_compared_exactly():
    """Floats would call these equal."""
    rule = hf.equalities([[1, -1]], 0)
    assert not rule.holds([2**53 + 1, 2**53])
    assert not hf.equalities([[3, -1]], 1).holds([2**62, 3 * 2**60])
    assert hf.equalities([[2**70, -(2**70)]], 0).holds([5, 5])
    assert not hf.total(2**53 + 1).holds([2**53, 1])


def test_floats_are_taken_at_their_exact_value():
    rule = hf.equalities([["0.1", "0.2"]], "0.3")
    assert rule.holds([1, 1])
    assert not hf.equalities([[1, 1]], "0.3").holds([0.1, 0.2])
    assert hf.equalities([[1, 1]], Fraction(0.1) + Fraction(0.2)).holds([0.1, 0.2])


FORMS = {
    "lists": SUMS,
    "tuples": tuple(map(tuple, SUMS)),
    "an array": np.array(SUMS),
    "a float array": np.array(SUMS, dtype=float),
    "an object array": np.array(SUMS, dtype=object),
    "a list of arrays": [np.array(row) for row in SUMS],
    "sparse rows": scipy.sparse.csr_matrix(SUMS),
    "a sparse array": scipy.sparse.coo_array(np.array(SUMS)),
}


@pytest.mark.parametrize("matrix", FORMS.values(), ids=FORMS.keys())
def test_every_form_of_a_matrix(matrix):
    rules = hf.equalities(matrix, 0)
    assert rules.holds(TABLE)
    assert not rules.holds([7, 3, 3, 1, 2, 3])
    assert len(rules.rules) == 3


def test_kinds():
    """Structural: the sums, and what follows from them. A right side of 0 proves nothing."""
    first_sum, same, fact = [SUMS[0]], [[1, 0, 0, -1, -1, -1]], [[0, 1, -1, 0, 0, 0]]
    rules = TREE.sums() & hf.nonnegative() & hf.total(6)
    assert [s.kind for s in rules.statements] == [Kind.STRUCTURAL, Kind.STRUCTURAL, Kind.FACT]
    assert rules.facts == ("total = 6",)
    assert hf.equalities(first_sum, 0).facts == ("z[0] - z[1] - z[2] = 0",)
    assert (TREE.sums() & hf.equalities(first_sum, 0)).facts == ()
    assert (TREE.sums() & hf.equalities(same, 0)).dropped == ("all - A/a - A/b - B/c = 0",)
    assert (TREE.sums() & hf.equalities(fact, 0)).facts == ("A - B = 0",)


def test_inequalities_between_counts():
    """all >= A holds for every data set, A >= B does not, A >= 1 does not."""
    rules = TREE.sums() & hf.inequalities(
        [[1, -1, 0, 0, 0, 0], [0, 1, -1, 0, 0, 0], [0, 1, 0, 0, 0, 0]], [0, 0, 1]
    )
    assert rules.facts == ("A - B >= 0", "A >= 1")


def test_a_claim_of_structure_is_checked():
    claimed = hf.equalities([SUMS[1]], 0, fact=False)
    assert (TREE.sums() & claimed).dropped == ("A - A/a - A/b = 0",)
    with pytest.raises(BadRules, match="a right side of 0 alone proves nothing"):
        TREE.sums() & hf.equalities([[0, 1, -1, 0, 0, 0]], 0, fact=False)
    with pytest.raises(BadRules, match="follows from the sums"):
        TREE.sums() & hf.equalities([SUMS[1]], 1, fact=False)


def test_a_rule_twice_is_one_rule():
    rules = TREE.sums() & TREE.sums() & hf.nonnegative() & hf.nonnegative()
    assert [s.name for s in rules.statements] == ["sums", "nonnegative"]
    row = hf.equalities([[1, 1, 0, 0, 0, 0]], 4)
    assert (row & row).dropped == ("z[0] + z[1] = 4",)


def test_two_rows_of_one_name_are_told_apart():
    rules = hf.inequalities([[1, 0], [0, 1]], [1, 2], names=["law", "law"])
    assert [s.name for s in rules.statements] == ["law", "law (2)"]


def test_equalities_and_inequalities_come_apart():
    rules = TREE.sums() & hf.nonnegative() & hf.total(6)
    assert [type(rule).__name__ for rule in rules.equalities] == ["Sums", "Total"]
    assert [type(rule).__name__ for rule in rules.inequalities] == ["Nonnegative"]


def test_it_shows_itself():
    rules = TREE.sums() & hf.equalities(SUMS, 0)
    assert repr(rules).startswith("<invariant: sums [structural]; dropped as redundant: all - A")
    long = hf.inequalities([[1] * 9], 0)
    assert long.statements[0].name.endswith("z[5] + ... (9 terms) >= 0")


BAD = {
    "no matrix": lambda: hf.equalities(3, 1),
    "nothing": lambda: hf.equalities([], []),
    "a vector": lambda: hf.equalities([1, 2], 1),
    "ragged rows": lambda: hf.equalities([[1, 2], [1]], 1),
    "text": lambda: hf.equalities("ab", 1),
    "too many right sides": lambda: hf.equalities([[1, 2]], [1, 2]),
    "nan": lambda: hf.equalities([[float("nan"), 1]], 1),
    "an infinite right side": lambda: hf.inequalities([[1, 1]], float("inf")),
    "True": lambda: hf.equalities([[True, 1]], 1),
    "an exponent": lambda: hf.equalities([["1e9", 1]], 1),
    "a word": lambda: hf.equalities([["one", 1]], 1),
    "names that do not match": lambda: hf.equalities([[1, 1]], 1, names=["a", "b"]),
    "names that are numbers": lambda: hf.equalities([[1, 1]], 1, names=[1]),
    "names that are none": lambda: hf.equalities([[1, 1]], 1, names=5),
    "the name of another rule": lambda: hf.equalities([[1, 1]], 1, names=["sums"]),
    "a line end in a name": lambda: hf.equalities([[1, 1]], 1, names=["a\nb"]),
    "a matrix in a row": lambda: hf.equalities([[[1], 1]], 0),
    "a ragged right side": lambda: hf.equalities([[1], [1]], [[1], 1]),
    "a sparse vector": lambda: hf.equalities(scipy.sparse.coo_array([1, 2]), 0),
    "denominators without a common one": lambda: hf.equalities(
        [[Fraction(1, p**250) for p in (3, 5, 7, 11, 13, 17, 19)]], 1
    ),
    "another tree": lambda: TREE.sums() & hf.Hierarchy.from_paths([("x",)]).sums(),
    "another size": lambda: TREE.sums() & hf.equalities([[1, 1]], 1),
    "two sizes": lambda: hf.equalities([[1, 1]], 1) & hf.equalities([[1, 1, 1]], 1),
}


@pytest.mark.parametrize("make", BAD.values(), ids=BAD.keys())
def test_bad_rules_are_refused(make):
    with pytest.raises(BadRules):
        make()


@pytest.mark.parametrize("value", [1.5, "1.5", True, None, float("nan"), "1e3", "１２"])
def test_a_total_is_a_whole_number(value):
    with pytest.raises(BadParameter, match="total"):
        hf.total(value)


@pytest.mark.parametrize("vector", [5, None, [], np.array(5)])
def test_vectors_for_rules_without_a_size(vector):
    for rules in (hf.nonnegative(), hf.total(5)):
        with pytest.raises(BadTable):
            rules.holds(vector)


def test_sums_of_huge_numbers_are_still_answered():
    assert not TREE.sums().holds([2**62] * 6)
    assert TREE.sums().holds(TREE.aggregate([2**60, 2**60, 2**60]))


@pytest.mark.parametrize("vector", [[1] * 5, [1] * 7, [[1] * 6], [True] * 6, ["1"] * 6, None])
def test_bad_vectors_are_refused(vector):
    with pytest.raises(BadTable):
        TREE.sums().holds(vector)


def test_and_needs_another_invariant():
    with pytest.raises(TypeError):
        TREE.sums() & 3


def test_the_repr_is_short_and_says_what_is_not_decided():
    many = hf.inequalities(np.eye(50, dtype=int), 1)
    assert repr(many).endswith("and 38 more>")
    rows = np.random.default_rng(1).integers(-1, 2, size=(120, 130))
    assert "not examined" in repr(hf.inequalities(rows, 0))


def test_rules_joined_by_and_are_refused():
    """Python's `and` would return the second alone, and the first would be lost in silence."""
    with pytest.raises(BadRules, match="a & b"):
        hf.nonnegative() and hf.total(3)


def test_rows_of_another_width_are_told_the_trees():
    tree = hf.Hierarchy.from_paths([("a", "x"), ("b", "y")])
    with pytest.raises(BadRules, match="rows of 3 and 5 columns, the tree has 5 nodes"):
        tree.sums() & hf.inequalities([[1, 0, 0]], 5)
