"""Shapes, parts and layout: how a tree is taken apart."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import holdfast as hf
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.revision.messages import layout as layouts
from holdfast.revision.messages.layout import Cut, Descent, Family, Split, layout
from holdfast.revision.messages.parts import Parts
from holdfast.revision.messages.shapes import shapes_of
from holdfast.revision.noisy_tree import NoisyTree
from tests.plain.trees import ALL_FORMS, tree_of

LAW = DiscreteLaplace.with_scale(2)
leaf = st.just(())
random_forms = st.recursive(
    leaf, lambda below: st.lists(below, min_size=1, max_size=6), max_leaves=40
)


def noisy(tree, pinned=()):
    return NoisyTree(tree, [LAW] * tree.depth, pinned)


def plain_shapes(tree, pinned):
    """Return each node's shape by the definition, as nested sorted tuples."""
    ends = tree.arrays.child_offsets.tolist()
    shape = {}
    for node in reversed(range(tree.size)):
        below = sorted(shape[child] for child in range(ends[node], ends[node + 1]))
        shape[node] = (int(tree.levels[node]), node in pinned, *below)
    return shape


def same_partition(one, other) -> bool:
    pairs = set(zip(one, other, strict=True))
    return len(pairs) == len(set(one)) == len(set(other))


@given(random_forms.filter(bool), st.sets(st.integers(0, 12)))
def test_nodes_have_one_shape_where_their_subtrees_are_alike(form, pinned):
    tree = tree_of(_as_tuples(form))
    pinned = {node for node in pinned if node < tree.size}
    found = shapes_of(noisy(tree, pinned)).of_node.tolist()
    expected = plain_shapes(tree, pinned)
    assert same_partition(found, [expected[node] for node in range(tree.size)])


def _as_tuples(form):
    return tuple(_as_tuples(child) for child in form)


def test_a_pinned_node_has_another_shape():
    tree = tree_of(((), ()))
    free, pinned = shapes_of(noisy(tree)), shapes_of(noisy(tree, [1]))
    assert free.of_node[1] == free.of_node[2]
    assert pinned.of_node[1] != pinned.of_node[2]


@given(random_forms.filter(bool))
def test_the_parts_of_a_node_hold_each_child_once(form):
    tree = tree_of(_as_tuples(form))
    shapes = shapes_of(noisy(tree))
    parts = Parts(shapes)
    for number, shape in enumerate(shapes.listed):
        part = parts.listed[parts.of_shape[number]]
        if shape.below:
            counted: dict[int, int] = {}
            for child, many in parts.runs(part.family):
                counted[child] = counted.get(child, 0) + many
            assert counted == dict(shape.below)
    for number, part in enumerate(parts.listed):
        assert max(part.family, part.left, part.right) < number


def test_a_thousand_equal_children_need_few_parts():
    tree = hf.Hierarchy.from_paths([(str(k),) for k in range(1000)])
    parts = Parts(shapes_of(noisy(tree)))
    assert len(parts.listed) < 25
    assert max(part.height for part in parts.listed) < 20


def follow(tree, plan, leaves):
    """Carry out a layout on a known table: totals must be those of the nodes."""
    truth = tree.aggregate(leaves)
    where = np.arange(tree.size) if plan.node_of_slot is None else plan.node_of_slot
    totals = np.full(tree.size, -(10**9))
    totals[0] = truth[0]
    for wave in plan.waves:
        for family in wave.families:
            _follow_family(totals, family, truth, where)
        for descent in wave.descents:
            totals[descent.target] = totals[descent.source]
        for split in wave.splits:
            _follow_split(totals, split, truth, where, tree)
    return bool(np.array_equal(totals, truth[where]))


def _follow_family(totals, family, truth, where):
    children = np.arange(family.children)[:, None]
    kept = truth[where[family.target + children]]
    drawn = np.full(kept.shape, -(10**9))
    drawn[0] = totals[family.source]
    for cut in family.cuts:
        whole = drawn[cut.left].copy()
        left = np.stack([kept[a:b].sum(axis=0) for a, b in zip(cut.left, cut.right, strict=True)])
        drawn[cut.left], drawn[cut.right] = left, whole - left
    totals[family.target + children] = drawn


def _follow_split(totals, split, truth, where, tree):
    here = totals[split.slots].copy()
    left = sum(truth[where[split.slots + k]] for k in range(split.stride))
    totals[split.slots], totals[split.slots + split.stride] = left, here - left


def plan_of(tree, often):
    shapes = shapes_of(noisy(tree))
    return layout(tree, shapes, Parts(shapes), often)


@given(random_forms.filter(bool), st.sampled_from([1, 2, 128]))
def test_every_step_finds_its_totals_in_place(form, often):
    tree = tree_of(_as_tuples(form))
    leaves = np.arange(1, tree.leaf_nodes.size + 1) ** 2
    assert follow(tree, plan_of(tree, often), leaves)


@pytest.mark.parametrize("form", ALL_FORMS)
def test_families_and_waves_take_small_trees_apart(form):
    tree = tree_of(form)
    for often in (1, 128):
        assert follow(tree, plan_of(tree, often), 3 ** np.arange(tree.leaf_nodes.size))


@given(random_forms.filter(bool))
def test_parts_are_counted_as_often_as_they_occur(form):
    """The evidence adds up over these counts; families and waves must count alike."""
    tree = tree_of(_as_tuples(form))
    by_family, in_waves = plan_of(tree, 1).instances, plan_of(tree, 10**9).instances
    assert by_family.tolist() == in_waves.tolist()
    assert by_family.sum() == 2 * tree.size - 1 - np.count_nonzero(
        np.diff(tree.arrays.child_offsets)
    )


def moved(step):
    """A step whose right part begins one place too far to the right, or to the left."""
    match step:
        case Split(part, slots, stride):
            return Split(part, slots, max(stride - 1, 0))
        case Family(source, target, children, cuts):
            wrong = tuple(Cut(cut.part, cut.left, cut.left) for cut in cuts)
            return Family(source, target, children, wrong)
        case Descent(source, target):
            return Descent(source, source)


@pytest.mark.parametrize("often", [1, 10**9])
def test_the_layout_test_barks(often):
    tree = tree_of((((), (), ()), ((), ()), ()))
    plan = plan_of(tree, often)
    waves = tuple(
        layouts.Wave(
            tuple(map(moved, wave.families)),
            tuple(map(moved, wave.descents)),
            tuple(map(moved, wave.splits)),
        )
        for wave in plan.waves
    )
    broken = layouts.Layout(waves, plan.instances, plan.node_of_slot)
    assert not follow(tree, broken, 3 ** np.arange(6))
    if plan.node_of_slot is not None:
        unsorted = layouts.Layout(plan.waves, plan.instances, None)
        assert not follow(tree, unsorted, 3 ** np.arange(6))
