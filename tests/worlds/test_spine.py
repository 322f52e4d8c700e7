"""The spine of a few nodes stands for the whole tree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.worlds.exact_program import Condition, feasible
from holdfast.worlds.feasibility import _conditions
from holdfast.worlds.hierarchy import Hierarchy
from holdfast.worlds.rules import Sums
from holdfast.worlds.spine import Spine, spine_of

TREE = Hierarchy.from_paths(
    [("A", "a", "1"), ("A", "a", "2"), ("A", "b"), ("B", "c", "3"), ("B", "d"), ("C",)]
)
NODES = range(TREE.size)


def over_all_nodes() -> list[Condition]:
    """The sums, parent by parent, written out."""
    ends = TREE.arrays.child_offsets
    return [
        Condition({node: 1, **dict.fromkeys(range(ends[node], ends[node + 1]), -1)}, "=", 0)
        for node in NODES
        if ends[node + 1] > ends[node]
    ]


pins = st.dictionaries(st.sampled_from(NODES), st.integers(-1, 4), max_size=5)


def agrees(spine: Spine, values: dict[int, int], nonnegative: bool) -> bool:
    pinned = [Condition({node: 1}, "=", value) for node, value in values.items()]
    short = feasible([*_conditions(Sums(TREE), spine), *pinned], nonnegative)
    return short == feasible([*over_all_nodes(), *pinned], nonnegative)


@given(pins, st.booleans())
def test_pinned_nodes_are_feasible_on_the_spine_as_on_the_tree(values, nonnegative):
    assert agrees(spine_of(TREE, values), values, nonnegative)


def test_the_spine_is_small():
    spine = spine_of(TREE, [TREE.find(("A", "a"))])
    assert spine.nodes == (0, TREE.find(("A", "a")))
    assert spine.has_leaves_of_its_own(0)


def without_own_leaves(spine: Spine) -> Spine:
    return Spine(spine.nodes, spine.above, spine.below, frozenset())


def with_leaves_everywhere(spine: Spine) -> Spine:
    return Spine(spine.nodes, spine.above, spine.below, frozenset(spine.nodes))


def with_all_below_the_root(spine: Spine) -> Spine:
    below = dict.fromkeys(spine.nodes, ()) | {0: spine.nodes[1:]}
    return Spine(spine.nodes, dict.fromkeys(spine.nodes[1:], 0), below, spine.own_leaves)


@pytest.mark.parametrize(
    "sabotage", [without_own_leaves, with_leaves_everywhere, with_all_below_the_root]
)
def test_the_test_barks(sabotage):
    """Cases where a wrong spine allows too much or too little."""
    a, one, two = (TREE.find(path) for path in (("A", "a"), ("A", "a", "1"), ("A", "a", "2")))
    cases = [{0: 5, a: 3}, {a: 3, one: 1, two: 1}, {0: 3, a: 3, one: 3}, {0: 4, a: 4, one: 3}]
    assert not all(
        agrees(sabotage(spine_of(TREE, case)), case, nonnegative)
        for case in cases
        for nonnegative in (True, False)
    )
