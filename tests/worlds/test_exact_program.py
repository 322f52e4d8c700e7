"""Exact linear programmes against SciPy's HiGHS on random small ones."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from holdfast.worlds import exact_program
from holdfast.worlds.exact_program import UNBOUNDED, Condition, feasible, least

small = st.integers(-3, 3)


@st.composite
def programmes(draw):
    """Up to five conditions on up to four variables."""
    width = draw(st.integers(1, 4))
    rows = draw(
        st.lists(
            st.tuples(
                st.lists(small, min_size=width, max_size=width),
                st.sampled_from(["=", ">="]),
                st.integers(-4, 4),
            ),
            max_size=5,
        )
    )
    objective = draw(st.lists(small, min_size=width, max_size=width))
    return rows, objective, draw(st.booleans())


def terms(row):
    return {node: value for node, value in enumerate(row) if value}


def conditions(rows):
    return [Condition(terms(row), relation, right) for row, relation, right in rows]


def by_highs(rows, objective, nonnegative):
    """Return the least value, UNBOUNDED, or None."""
    equal = [(row, right) for row, relation, right in rows if relation == "="]
    least_ = [([-v for v in row], -right) for row, relation, right in rows if relation == ">="]
    side = {"bounds": [(0 if nonnegative else None, None)] * len(objective), "method": "highs"}
    if equal:
        side |= {"A_eq": [row for row, _ in equal], "b_eq": [right for _, right in equal]}
    if least_:
        side |= {"A_ub": [row for row, _ in least_], "b_ub": [right for _, right in least_]}
    if linprog([0] * len(objective), **side).status == 2:
        return None
    found = linprog(objective, **side)
    return UNBOUNDED if found.status in (3, 4) else found.fun


def agrees(solve, rows, objective, nonnegative) -> bool:
    mine = solve(terms(objective), conditions(rows), nonnegative)
    theirs = by_highs(rows, objective, nonnegative)
    if isinstance(mine, Fraction) and isinstance(theirs, float):
        return abs(float(mine) - theirs) < 1e-7
    return bool(mine == theirs)


@given(programmes())
@settings(max_examples=400)
def test_it_finds_what_highs_finds(programme):
    assert agrees(least, *programme)


@given(programmes())
def test_feasible_means_that_a_least_value_is_not_none(programme):
    rows, objective, nonnegative = programme
    found = least(terms(objective), conditions(rows), nonnegative)
    assert feasible(conditions(rows), nonnegative) == (found is not None)


def test_thirds_are_thirds():
    """No tolerance: 3 x = 1 and x = 1/3 agree, 3 x = 1 and 1000000 x = 333333 do not."""
    third = Condition({0: 3}, "=", 1)
    assert least({0: 1}, [third], nonnegative=True) == Fraction(1, 3)
    assert not feasible([third, Condition({0: 1_000_000}, "=", 333_333)], nonnegative=False)


def test_large_coefficients_stay_exact():
    big = 10**30
    found = least({0: 1}, [Condition({0: big, 1: 1}, "=", 1), Condition({1: 1}, "=", 1)], False)
    assert found == 0


def forgets_signs(objective, conditions_, nonnegative):
    return least(objective, conditions_, True)


def takes_at_least_for_equal(objective, conditions_, nonnegative):
    return least(objective, [Condition(c.terms, "=", c.right) for c in conditions_], nonnegative)


def stops_at_the_first_corner(objective, conditions_, nonnegative):
    found = exact_program._first_corner(conditions_, nonnegative, objective)
    if found is None:
        return None
    simplex, columns = found
    costs = exact_program._cost_row(simplex, columns, objective)
    return Fraction(-costs[-1], simplex.unit)


@pytest.mark.parametrize(
    "sabotage", [forgets_signs, takes_at_least_for_equal, stops_at_the_first_corner]
)
def test_the_test_barks(sabotage):
    cases = [
        ([([1, 1], ">=", -2), ([1, 0], ">=", -3), ([0, 1], ">=", -1)], [1, 2], False),
        ([([1, 2], ">=", 2), ([-1, 0], ">=", -5)], [-1, 1], True),
        ([([-1], ">=", -5)], [1], True),
    ]
    assert not all(agrees(sabotage, *case) for case in cases)
