"""What no negative counts do to a cell: the formulas of one cell, a large one beside empty ones."""

import math
from fractions import Fraction

import numpy as np
import pytest

import holdfast as hf
from holdfast.update.trees.tree_nonnegative import TreeNonnegative
from holdfast.update.trees.tree_rules import TreeRules
from holdfast.update.whole.whole_optimum import WholeOptimum

ONE_CELL = hf.Hierarchy.from_paths([("cell",)])  # the root says the same as its only leaf
ERRORS = 6.2  # standard errors: a normal alarm of 6e-10, two-sided


def updated(values):
    """Return max(0, value), found by the update itself."""
    rules = TreeRules(ONE_CELL, [Fraction(1)] * 2, None, nonnegative=True)
    way = WholeOptimum if values.dtype.kind == "i" else TreeNonnegative
    return np.array([way(rules).apply(np.array([v, v]))[1] for v in values])


@pytest.mark.parametrize(("y", "bias", "square", "size"), [
    (0, .5, 1, .5), (.5, .303265, 1.090204, .696735), (1, .183940, 1.264241, .816060),
    (2, .067668, 1.593994, .932332), (4, .009158, 1.908422, .990842),
    (8, .000168, 1.996981, .999832),
])  # fmt: skip
def test_one_real_cell(y, bias, square, size):
    """Integrals by a sum of midpoints in steps of 1/100, whose error is below 1e-5 of a unit."""
    step = 0.01
    noise = (np.arange(-4000, 4000) + 0.5) * step
    chance = np.exp(-np.abs(noise)) / 2 * step
    error = updated(y + noise) - y
    share = chance / chance.sum()
    assert share @ error == pytest.approx(bias, abs=2e-5)
    assert share @ error**2 == pytest.approx(square, abs=2e-5)
    assert share @ np.abs(error) == pytest.approx(size, abs=2e-5)
    assert math.exp(-y) / 2 == pytest.approx(bias, abs=6e-7)
    assert 2 - (1 + y) * math.exp(-y) == pytest.approx(square, abs=6e-7)
    assert 1 - math.exp(-y) / 2 == pytest.approx(size, abs=6e-7)


@pytest.mark.parametrize(("q", "x", "bias"), [
    (.5, 0, .666667), (.5, 1, .333333), (math.exp(-1 / 3), 0, 1.472578),
])  # fmt: skip
def test_one_whole_cell(q, x, bias):
    noise = np.arange(-150, 151)
    chance = (1 - q) / (1 + q) * q ** np.abs(noise)
    assert chance @ (updated(x + noise) - x) == pytest.approx(bias, abs=1e-6)
    assert q ** (x + 1) / (1 - q**2) == pytest.approx(bias, abs=6e-7)


@pytest.mark.parametrize(("empty", "groups", "bias", "interval"), [
    (2, 60_000, -.586, .010), (9, 20_000, -1.280, .014),
    (68, 4_000, -2.592, .016), (262, 1_500, -3.603, .032),
])  # fmt: skip
def test_one_large_cell_beside_empty_ones(empty, groups, bias, interval):
    """Many groups of known total in one tree: one update, as many draws of the large cell.

    The printed interval is one of 95 per cent. With its standard error and ours together the
    alarm is 1e-9 (normal); a fault of 0.25 is seen.
    """
    cells = empty + 1
    paths = {"a": np.repeat(np.arange(groups), cells), "b": np.tile(np.arange(cells), groups)}
    tree = hf.Hierarchy.from_frame(paths, ["a", "b"])
    truth = np.zeros(groups * cells, dtype=np.int64)
    truth[::cells] = 1000
    table = tree.aggregate(truth).astype(float)
    noise = hf.Laplace.with_scale(1).draw(hf.seeded(empty), tree.size)
    pinned = dict.fromkeys(range(1, groups + 1), 1000)
    rules = TreeRules(tree, [Fraction(1)] * 3, {0: 1000 * groups, **pinned}, nonnegative=True)
    errors = (TreeNonnegative(rules).apply(table + noise) - table)[tree.leaf_nodes][::cells]
    deviation = math.hypot(errors.std() / math.sqrt(groups), interval / 1.96)
    assert ERRORS * deviation < 0.25
    assert abs(errors.mean() - bias) < ERRORS * deviation


def test_noise_alone_cannot_be_updated():
    """f(D) + P(U) is not P(f(D) + U): the true count 3 would be published as it is."""
    truth, noise = np.array([3, 3]), np.array([-5, -5])
    rules = TreeRules(ONE_CELL, [Fraction(1)] * 2, None, nonnegative=True)
    moved = WholeOptimum(rules).apply(truth + noise)
    assert moved.tolist() == [0, 0]
    assert (truth + WholeOptimum(rules).apply(noise)).tolist() == [3, 3]
    updated_mechanism = hf.Mechanism(ONE_CELL, hf.DiscreteLaplace.with_scale(3)).update(
        ONE_CELL.sums() & hf.nonnegative()
    )
    words = {word for word in dir(updated_mechanism) if not word.startswith("_")}
    assert not {word for word in words if "noise" in word}
