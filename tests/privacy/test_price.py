"""Prices of inequalities: closed forms against exact sums, and against printed values.

If this failed, counts of at least 0 would be conditioned on for less than it costs.
"""

import math
from fractions import Fraction

import pytest

import holdfast as hf
from holdfast.foundation.bounds import Bounds
from holdfast.privacy import price
from holdfast.privacy.price import box, on_tree, one_cell
from tests.plain.exact_loss import normaliser
from tests.plain.loss_cases import RATIOS, Case, trees

TREES = [paths for leaves in (1, 2, 3, 4) for paths in trees(leaves, 2)]
TREES += [paths for leaves in (1, 2, 3) for paths in trees(leaves, 3)]
EPSILONS = ("0.1", "0.25", "0.5", "1", "2", "4")
CONTINUOUS = (0.909028, 0.799333, 0.663593, 0.489880, 0.311541, 0.170987)  # theory 2.6
WHOLE = (0.825994, 0.635769, 0.428046, 0.209080, 0.055332, 0.004455)


def exact_odds(paths, ratios) -> dict[int, Fraction]:
    """Return the largest c(e_j)/c(0) by level of the leaf, from exact sums over all noise."""
    case = Case(paths, ratios, "add-remove", 1, (), "revise-nonnegative", 1)
    empty = (0,) * len(paths)
    found: dict[int, Fraction] = {}
    for leaf, path in enumerate(paths):
        one = tuple(int(leaf == other) for other in range(len(paths)))
        odds = normaliser(case, one) / normaliser(case, empty)
        found[len(path)] = max(found.get(len(path), odds), odds)
    return found


def faults(ratios) -> list[tuple]:
    """Return the trees whose odds are not the exact ones, within the width of bounds."""
    wrong = []
    for paths in TREES:
        tree = hf.Hierarchy.from_paths(paths)
        laws = [hf.DiscreteLaplace(ratio) for ratio in ratios[: tree.depth]]
        found = {odds.level: odds.above for odds in on_tree(tree, laws)}
        exact = exact_odds(paths, ratios)
        near = all(0 <= found[n] - exact[n] < Fraction(1, 10**40) for n in exact)
        if found.keys() != exact.keys() or not near:
            wrong.append(paths)
    return wrong


@pytest.mark.parametrize("ratios", RATIOS)
def test_odds_on_a_tree_are_exact(ratios):
    assert faults(ratios) == []


def _always_gains(above, gains_from):
    return price.exp_bounds(sum((r.above for r in above), Fraction(0))).above


def test_the_comparison_barks(monkeypatch):
    """A closed form in which empty nodes gain too, or one that takes the best leaf."""
    monkeypatch.setattr(price, "_factor", _always_gains)
    assert len(faults(RATIOS[1])) == len(TREES)
    monkeypatch.undo()
    monkeypatch.setattr(price, "_likely_worst", lambda rates, paths: paths[:1])
    assert len(faults(RATIOS[1])) > 5


@pytest.mark.parametrize(("epsilon", "gamma"), [*zip(EPSILONS, WHOLE, strict=True)])
def test_the_printed_price_of_one_whole_cell(epsilon, gamma):
    odds = one_cell(hf.DiscreteLaplace.with_scale(1 / Fraction(epsilon)))
    assert math.log(odds.above) / float(epsilon) == pytest.approx(gamma, abs=5.1e-7)
    assert odds.width < Fraction(1, 10**40) or epsilon == "0.5"


@pytest.mark.parametrize(("epsilon", "gamma"), [*zip(EPSILONS, CONTINUOUS, strict=True)])
def test_the_printed_price_of_one_continuous_cell(epsilon, gamma):
    odds = one_cell(hf.Laplace.with_scale(1 / Fraction(epsilon)))
    assert math.log(odds.above) / float(epsilon) == pytest.approx(gamma, abs=5.1e-7)


def test_one_whole_cell_costs_most_at_a_half():
    """1 + q - q**2 turns at q = 1/2, so bounds on q do not bound it by their ends."""
    half = one_cell(hf.DiscreteLaplace.with_ratio("0.5"))
    assert half.below <= Fraction(5, 4) <= half.above
    near = one_cell(hf.DiscreteLaplace.with_ratio("0.4"))
    assert Fraction(31, 25) in near


@pytest.mark.parametrize(("width", "gamma"), [(1, 0), (2, 0.379885), (5, 0.485355), (60, 0.489880)])
def test_the_printed_price_of_a_box(width, gamma):
    odds = box(hf.Laplace.with_scale(1), Fraction(width))
    assert math.log(odds.above) == pytest.approx(gamma, abs=5.1e-7)
    assert isinstance(odds, Bounds)


TAXI = (69, 69, 61, 43, 20, 1)
TAXI_PRICES = {"0.1": 0.938438, "0.5": 0.763477, "1": 0.632439, "2": 0.493668, "4": 0.329528}


@pytest.mark.parametrize("epsilon", TAXI_PRICES)
def test_the_printed_price_on_the_taxi_tree(epsilon):
    """Theory 3.8; every epsilon, with no message at all."""
    tree = hf.Hierarchy.from_paths([(b, z) for b, n in enumerate(TAXI) for z in range(n)])
    laws = [hf.DiscreteLaplace.with_scale(3 / Fraction(epsilon))] * 3
    (odds,) = on_tree(tree, laws)
    assert math.log(odds.above) / float(epsilon) == pytest.approx(TAXI_PRICES[epsilon], abs=5.1e-7)


def test_it_grows_with_the_other_leaves():
    """So that only paths beside many leaves need to be looked at closely."""
    laws = [hf.DiscreteLaplace.with_scale(3)] * 3
    for sizes in [(2, 1), (3, 1), (9, 4), (40, 4)]:
        tree = hf.Hierarchy.from_paths([(b, z) for b, n in enumerate(sizes) for z in range(n)])
        kinds = dict(price._paths(tree, price._leaves_below(tree)))
        rates = [law.rate for law in laws]
        every = [price._odds(rates, path, price._logs(rates)) for path in kinds[2]]
        assert max(every) == on_tree(tree, laws)[0].above
        assert len(set(every)) == len(sizes)


def test_floats_that_choose_do_not_cancel():
    """Rates of 21, 14, 1 and a half: the sums of large and small terms once hid the worst path."""
    groups = [[2, 2, 9, 9], [5, 9], [3, 10]]
    paths = [
        (f"g{i}", f"p{j}", f"l{k}")
        for i, group in enumerate(groups)
        for j, n in enumerate(group)
        for k in range(n)
    ]
    tree = hf.Hierarchy.from_paths(paths)
    scales = (Fraction(1, 21), Fraction(1, 14), Fraction(1), Fraction(2))
    (odds,) = on_tree(tree, [hf.DiscreteLaplace(scale=scale) for scale in scales])
    assert float(odds.above) == pytest.approx(4.590267, abs=1e-6)


@pytest.mark.parametrize("scale", ["0.001", "0.01", "0.05", "1000000"])
def test_very_narrow_and_very_wide_laws(scale):
    tree = hf.Hierarchy.from_paths([("A", "a"), ("A", "b"), ("B", "c")])
    odds = on_tree(tree, [hf.DiscreteLaplace.with_scale(scale)] * 3)
    assert all(each.above > 1 for each in odds)


def test_a_box_without_room_for_a_step_is_refused():
    with pytest.raises(hf.HoldfastError, match="box"):
        box(hf.Laplace.with_scale(1), Fraction(1, 2))
