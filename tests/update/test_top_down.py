"""TopDown: the answers of its own definition, and how they differ from the projection."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import holdfast as hf
from holdfast.foundation.errors import BadParameter
from holdfast.update.top_down.top_down import TopDown
from holdfast.update.top_down.top_down_family import Family, on_simplex
from holdfast.update.trees.tree_rules import TreeRules
from holdfast.update.whole.whole_optimum import WholeOptimum
from tests.plain.trees import ALL_FORMS, tree_of


def by_hand(tree, noisy, graded=True):
    """One number a node: each family alone, its simplex by trying all sets of zeros."""
    answer = np.zeros(tree.size, dtype=np.int64)
    answer[0] = max(0, int(np.rint(noisy[0])))
    for node in range(tree.size):
        low, high = tree.arrays.child_offsets[node : node + 2].tolist()
        if low == high:
            continue
        real = simplex_by_hand([Fraction(int(y)) for y in noisy[low:high]], int(answer[node]))
        floors = [x.numerator // x.denominator for x in real]
        rest = [x - f for x, f in zip(real, floors, strict=True)]
        worth = rest if graded else [round(float(x)) for x in rest]
        first = sorted(range(len(real)), key=lambda k: (-worth[k], k))
        for k in first[: int(answer[node]) - sum(floors)]:
            floors[k] += 1
        answer[low:high] = floors
    return answer


def simplex_by_hand(values, total):
    best = None
    for held in product((False, True), repeat=len(values)):
        free = [k for k, h in enumerate(held) if not h]
        if not free:
            continue
        move = (total - sum(values[k] for k in free)) / Fraction(len(free))
        point = [Fraction(0) if h else v + move for v, h in zip(values, held, strict=True)]
        if min(point) < 0:
            continue
        far = sum((x - v) ** 2 for x, v in zip(point, values, strict=True))
        if best is None or far < best[0]:
            best = (far, point)
    return best[1]


def faults(rounder, graded, count=6) -> int:
    random = np.random.default_rng(31)
    wrong = 0
    for form in ALL_FORMS:
        tree = tree_of(form)
        for _ in range(count):
            noisy = random.integers(-4, 12, tree.size)
            wrong += (TopDown(tree, rounder).apply(noisy) != by_hand(tree, noisy, graded)).any()
    return wrong


def test_one_number_a_node_is_shared_out_as_by_hand():
    assert faults("graded", True) == 0
    assert faults("as-run", False) == 0


def test_the_rounders_differ():
    assert faults("graded", False) > 0


def test_it_is_not_the_projection():
    """A parent that is final before its children are looked at: all they say is lost."""
    tree = hf.Hierarchy.from_paths([("a", str(k)) for k in range(4)])
    noisy = np.array([0, 0, 10, 10, 10, 10])
    rules = TreeRules(tree, [Fraction(1)] * 3, None, nonnegative=True)
    assert TopDown(tree).apply(noisy).tolist() == [0] * 6
    nearest = WholeOptimum(rules).apply(noisy)
    assert nearest[0] > 0
    assert ((nearest - noisy) ** 2).sum() < (noisy**2).sum()


def test_without_noise_the_truth_comes_back():
    random = np.random.default_rng(32)
    tree = hf.Hierarchy.from_paths([(a, b) for a in range(3) for b in range(4)])
    one = tree.aggregate(random.poisson(2, 12))
    assert TopDown(tree).apply(one).tolist() == one.tolist()
    cells = np.stack([tree.aggregate(random.poisson(2, 12)) for _ in range(3)], axis=1)
    totals = cells.sum(axis=1)
    assert TopDown(tree).apply(cells, totals).tolist() == cells.tolist()
    assert TopDown(tree, total=int(totals[0])).apply(cells).tolist() == cells.tolist()


@pytest.mark.parametrize("measured", [False, True])
@pytest.mark.parametrize("rounder", ["graded", "as-run"])
def test_cells_add_up_and_stay_zero_below_a_zero(rounder, measured):
    random = np.random.default_rng(33)
    tree = hf.Hierarchy.from_paths([(a, b) for a in range(3) for b in range(3)] + [(9, 0)])
    truth = np.stack([tree.aggregate(random.poisson(1, 10)) for _ in range(4)], axis=1)
    noisy = truth + np.rint(random.laplace(0, 2, truth.shape)).astype(np.int64)
    totals = truth.sum(axis=1) + np.rint(random.laplace(0, 1, tree.size)) if measured else None
    found = TopDown(tree, rounder).apply(noisy, totals)
    assert found.min() >= 0
    for cell in range(4):
        assert tree.sums().holds(found[:, cell])


def test_totals_are_kept_between_the_passes():
    """With a total measured far from its cells, the child's cells follow the total."""
    parent = np.array([50, 50])
    cells = np.array([[10.0, 10.0], [10.0, 10.0]])
    totals = np.array([80.0, 20.0])
    found = Family(parent, cells, totals).shared_out(graded=True)
    assert found.sum(axis=1).tolist() == [80, 20]
    even = Family(parent, cells, None).shared_out(graded=True)
    assert even.sum(axis=1).tolist() == [50, 50]


def test_the_simplex_is_that_of_all_sets_of_zeros():
    random = np.random.default_rng(34)
    for _ in range(60):
        values = random.integers(-5, 9, int(random.integers(1, 6)))
        total = int(random.integers(0, 9))
        exact = simplex_by_hand([Fraction(int(v)) for v in values], total)
        found = on_simplex(values.astype(float), float(total))
        assert np.abs(found - np.array(exact, dtype=float)).max() < 1e-12


def test_a_measured_sum_gives_way_as_one_number_does():
    """Least sum of (x - y)**2 + (sum of x - t)**2: above 0 the price is 0, at 0 it is not below."""
    random = np.random.default_rng(36)
    for _ in range(200):
        values = random.normal(0, 5, int(random.integers(1, 6)))
        total = float(random.normal(5, 10))
        found = on_simplex(values, total, gives=1)
        price = found - values + found.sum() - total
        assert np.abs(price[found > 0]).max(initial=0) < 1e-9
        assert price[found == 0].min(initial=0) > -1e-9
        given = on_simplex(values, total) if total > 0 else found + 1  # the sum as a fact
        price = given - values + given.sum() - total
        assert np.abs(price[given > 0]).max(initial=0) > 1e-9


def test_large_counts_in_many_families_add_up():
    """Running sums over a whole level would lose units; those of families do not."""
    random = np.random.default_rng(35)
    tree = hf.Hierarchy.from_paths([(a, b) for a in range(4000) for b in range(2)])
    leaves = random.integers(0, 10**12, 8000)
    noisy = tree.aggregate(leaves) + random.integers(-9, 10, tree.size)
    assert tree.sums().holds(TopDown(tree).apply(noisy))


def test_an_unknown_rounder_is_refused():
    with pytest.raises(BadParameter, match="as-run"):
        TopDown(hf.Hierarchy.from_paths([("a",)]), "nearest")  # type: ignore[arg-type]
