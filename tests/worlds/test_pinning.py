"""Redundant pins against the elimination of equations in fractions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.worlds.exact_program import Condition
from holdfast.worlds.feasibility import _conditions
from holdfast.worlds.hierarchy import Hierarchy
from holdfast.worlds.independence import Equations
from holdfast.worlds.pinning import Pins
from holdfast.worlds.rules import Sums
from holdfast.worlds.spine import spine_of

TREE = Hierarchy.from_paths(
    [("A", "a", "1"), ("A", "a", "2"), ("A", "b"), ("B", "c", "3"), ("B", "d"), ("C",)]
)
orders = st.lists(st.sampled_from(range(TREE.size)), max_size=2 * TREE.size)


def by_elimination(nodes, with_sums) -> list[bool]:
    equations = Equations()
    if with_sums:
        for condition in _conditions(Sums(TREE), spine_of(TREE, nodes)):
            assert equations.add(condition)
    return [equations.add(Condition({node: 1}, "=", 0)) for node in nodes]


def agrees(make, nodes, with_sums) -> bool:
    pins = make(spine_of(TREE, nodes) if with_sums else None)
    return [pins.add(node) for node in nodes] == by_elimination(nodes, with_sums)


@given(orders, st.booleans())
def test_a_pin_is_new_exactly_if_its_equation_is(nodes, with_sums):
    assert agrees(Pins, nodes, with_sums)


class ForgetsTheParent(Pins):
    __slots__ = ()

    def _sums_of(self, node):
        return [v for v in (node,) if v in self._members]


class ForgetsTheSums(Pins):
    __slots__ = ()

    def _sums_of(self, node):
        return []


class TakesEveryPinForNew(Pins):
    __slots__ = ()

    def add(self, node):
        return True


@pytest.mark.parametrize("sabotage", [ForgetsTheParent, ForgetsTheSums, TakesEveryPinForNew])
def test_the_test_barks(sabotage):
    a, one, two = (TREE.find(path) for path in (("A", "a"), ("A", "a", "1"), ("A", "a", "2")))
    cases = [[one, two, a], [a, one, two], [a, a]]
    assert not all(agrees(sabotage, case, with_sums=True) for case in cases)
