"""Profiles of conditioned noise against exact sums over all noise, and against printed values.

If this failed, a smaller epsilon would be told with a delta that the noise does not keep.
"""

from fractions import Fraction

import pytest

import holdfast as hf
from holdfast.foundation.bounds import ln_bounds
from holdfast.foundation.errors import HoldfastError
from holdfast.privacy.loss import delta_above
from holdfast.revision.messages import path_signs
from tests.plain.exact_loss import worst_delta
from tests.plain.loss_cases import RATIOS, Case, trees

TREES = [paths for leaves in (1, 2, 3) for paths in trees(leaves, 2)]
FACTORS = [Fraction(1), Fraction(5, 4), Fraction(2), Fraction(4), Fraction(20)]


def compared(paths, ratios, relation, pinned=()) -> list[tuple[Fraction, Fraction]]:
    """Return our delta and the exact one for several epsilons."""
    tree = hf.Hierarchy.from_paths(paths)
    laws = {level: hf.DiscreteLaplace(ratios[level]) for level in range(tree.depth)}
    rules = tree.sums() & hf.total(5) if pinned else tree.sums()
    revised = hf.Mechanism(tree, laws, neighbours=relation).revise(rules)
    case = Case(paths, ratios, relation, 1, pinned, "revise", 2)
    found = []
    for factor in FACTORS:
        epsilon = ln_bounds(factor).below
        found.append((revised.delta_at(max(epsilon, Fraction(0))), worst_delta(case, factor)[0]))
    return found


def faults(relation, pinned=()) -> list:
    return [
        (paths, ours, exact)
        for paths in TREES
        if relation == "add-remove" or len(paths) > 1
        for ours, exact in compared(paths, RATIOS[1], relation, pinned)
        if not 0 <= ours - exact < Fraction(1, 10**9)
    ]


def test_a_row_that_comes():
    assert faults("add-remove") == []


def test_a_row_that_is_exchanged():
    assert faults("replace-one") == []


def test_a_row_that_is_exchanged_under_a_public_total():
    assert faults("replace-one", ((),)) == []


def _unmirrored(honest):
    def beside(self, one, other):
        return honest(self, one, other[::-1])

    return beside


def _no_siblings(self, parent, *gone):
    return path_signs.np.ones(1)


def test_the_comparison_barks(monkeypatch):
    """Siblings forgotten, and the two paths of an exchange not mirrored."""
    monkeypatch.setattr(path_signs.PathSigns, "_rest", _no_siblings)
    assert len(faults("add-remove")) > 5
    monkeypatch.undo()
    honest = path_signs.PathSigns._beside
    monkeypatch.setattr(path_signs.PathSigns, "_beside", _unmirrored(honest))
    assert len(faults("replace-one")) > 5


@pytest.mark.parametrize("epsilon", ["0", "0.05", "0.1"])
def test_two_cells_with_a_public_sum_are_one_cell_of_half_the_scale(epsilon):
    """Theory 2.5: conditioned, the first cell's noise is that of one cell alone."""
    tree = hf.Hierarchy.from_paths([("a",), ("b",)])
    law = hf.DiscreteLaplace.with_scale(16)
    given = hf.Mechanism(tree, law, neighbours="replace-one").revise(tree.sums() & hf.total(9))
    single = delta_above(hf.DiscreteLaplace.with_scale(8), 1, epsilon)
    assert float(given.delta_at(epsilon)) == pytest.approx(float(single), rel=1e-9)
    assert single != delta_above(law, 1, epsilon)


def test_it_lies_above_the_profile_of_plain_noise():
    """Why a Laplace curve must not be used for conditioned noise."""
    tree = hf.Hierarchy.from_paths([("a",), ("b",)])
    given = hf.Mechanism(tree, hf.DiscreteLaplace.with_ratio("0.5"), "replace-one").revise(
        tree.sums() & hf.total(3)
    )
    case = Case((("a",), ("b",)), (Fraction(1, 2),) * 2, "replace-one", 1, ((),), "plain", 2)
    assert given.delta_at("0.5") > worst_delta(case, Fraction(33, 20))[1]


def test_nothing_is_left_at_the_certified_epsilon():
    tree = hf.Hierarchy.from_paths([("a", 1), ("a", 2), ("b", 3)])
    given = hf.Mechanism.calibrate(tree, "discrete-laplace", epsilon=1).revise(tree.sums())
    assert given.delta_at(1) < Fraction(1, 10**18)
    assert given.delta_at("0.5") > Fraction(1, 100)


def refused():
    tree = hf.Hierarchy.from_paths([("a",), ("b",)])
    laplace = hf.DiscreteLaplace.with_scale(2)
    sums = tree.sums()
    return {
        "rows": hf.Mechanism(tree, laplace, rows=2).revise(sums),
        "gaussian": hf.Mechanism(tree, hf.DiscreteGaussian.with_scale(2)).revise(sums),
        "inequalities": hf.Mechanism(tree, laplace).revise(sums & hf.nonnegative()),
        "floats": hf.Mechanism(tree, hf.Laplace.with_scale(2)).revise(sums),
        "a chain": hf.Mechanism(tree, laplace).revise(sums, method="metropolis"),
    }


@pytest.mark.parametrize("case", refused())
def test_what_it_is_not_worked_out_for_is_refused(case):
    with pytest.raises(HoldfastError, match="delta_at"):
        refused()[case].delta_at(1)


@pytest.mark.parametrize("epsilon", [-1, "x", None, True])
def test_what_is_no_epsilon_is_refused(epsilon):
    tree = hf.Hierarchy.from_paths([("a",), ("b",)])
    given = hf.Mechanism(tree, hf.DiscreteLaplace.with_scale(2)).revise(tree.sums())
    with pytest.raises(HoldfastError, match="epsilon"):
        given.delta_at(epsilon)
