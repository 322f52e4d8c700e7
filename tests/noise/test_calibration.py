"""A calibrated mechanism spends what was asked and never more."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.foundation.errors import BadParameter
from holdfast.mechanism.plain import Mechanism
from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.gaussian import Gaussian
from holdfast.noise.laplace import Laplace
from holdfast.noise.normal import gaussian_delta
from holdfast.noise.sensitivity import Neighbours, sensitivity
from holdfast.worlds.hierarchy import Hierarchy

TREE = Hierarchy.from_frame(
    {"borough": ["A", "A", "B"], "zone": ["x", "y", "z"]}, ["borough", "zone"], root="NYC"
)
budgets = st.fractions(Fraction(1, 100), 10, max_denominator=1000)
relations = st.sampled_from([str(relation) for relation in Neighbours])
rows_each = st.integers(1, 5)


@st.composite
def splits(draw):
    """Shares of three levels, or none."""
    parts = draw(st.none() | st.lists(st.integers(1, 50), min_size=3, max_size=3))
    if parts is None:
        return None
    names = ["root", "borough", 2]
    return {name: Fraction(part, sum(parts)) for name, part in zip(names, parts, strict=True)}


def spent(mechanism: Mechanism, relation: str, rows: int) -> Fraction:
    """Return what the laws cost: L1 over scale, or squared L2 over (twice) sigma squared."""
    far = sensitivity(TREE.depth, Neighbours(relation), rows)
    total = Fraction(0)
    for law, one, square in zip(mechanism.laws, far.l1, far.squared_l2, strict=True):
        match law:
            case Laplace(scale):
                total += one / scale
            case DiscreteLaplace(None, Fraction() as scale):
                total += one / scale
            case DiscreteGaussian(parameter):
                total += square / (2 * parameter)
            case Gaussian(variance):
                total += square / variance
    return total


@given(budgets, relations, rows_each, splits())
@pytest.mark.parametrize("family", ["laplace", "discrete-laplace"])
def test_epsilon_is_spent_exactly(family, epsilon, relation, rows, split):
    mechanism = Mechanism.calibrate(TREE, family, relation, split, rows, epsilon=epsilon)
    assert spent(mechanism, relation, rows) == epsilon


@given(budgets, relations, rows_each, splits())
def test_rho_is_spent_exactly(rho, relation, rows, split):
    mechanism = Mechanism.calibrate(TREE, "discrete-gaussian", relation, split, rows, rho=rho)
    assert spent(mechanism, relation, rows) == rho


@given(relations, rows_each, splits())
@settings(max_examples=30)
def test_delta_is_never_exceeded(relation, rows, split):
    epsilon, delta = Fraction(1), Fraction(1, 10**6)
    mechanism = Mechanism.calibrate(
        TREE, "gaussian", relation, split, rows, epsilon=epsilon, delta=delta
    )
    shift_square = spent(mechanism, relation, rows)
    shift = Fraction(float(shift_square) ** 0.5) * (1 + Fraction(1, 10**14))
    assert gaussian_delta(shift, epsilon).above <= delta * (1 + Fraction(1, 10**12))


def test_the_test_barks():
    """Half the scale spends double."""
    right = Mechanism.calibrate(TREE, "discrete-laplace", epsilon=1)
    halved = [DiscreteLaplace(scale=law.scale / 2) for law in right.laws]
    wrong = Mechanism(TREE, dict(enumerate(halved)))
    assert spent(wrong, "add-remove", 1) == 2


def test_equal_scales_of_the_theory_note():
    """Three levels: 3 / epsilon under add-remove, 4 / epsilon under replace-one, root included."""
    add = Mechanism.calibrate(TREE, "discrete-laplace", epsilon="0.5")
    replace = Mechanism.calibrate(TREE, "discrete-laplace", "replace-one", epsilon="0.5")
    assert {law.scale for law in add.laws} == {Fraction(6)}
    assert {law.scale for law in replace.laws} == {Fraction(8)}


def test_a_split_by_name_or_number():
    split = {"root": "0.2", "borough": "0.3", 2: "0.5"}
    mechanism = Mechanism.calibrate(TREE, "laplace", split=split, epsilon=1)
    assert [law.scale for law in mechanism.laws] == [5, Fraction(10, 3), 2]


BAD_SPLITS = {
    "does not add up": ({0: "0.5", 1: "0.2", 2: "0.2"}, "exactly 1"),
    "floats that do not add up": ({0: 0.7, 1: 0.2, 2: 0.1}, "decimal strings"),
    "a level without a share": ({0: "0.5", 1: "0.5"}, "split, zone"),
    "no share": ({0: "0", 1: "0.5", 2: "0.5"}, "above 0"),
    "a negative share": ({0: "-0.5", 1: "1", 2: "0.5"}, "above 0"),
    "an unknown level": ({"county": "1"}, "one of root, borough, zone"),
    "a level number too large": ({3: "1"}, "0 to 2"),
    "True for a level": ({True: "1"}, "level"),
}


@pytest.mark.parametrize(("split", "says"), BAD_SPLITS.values(), ids=BAD_SPLITS.keys())
def test_bad_splits_are_refused(split, says):
    with pytest.raises(BadParameter, match=says):
        Mechanism.calibrate(TREE, "laplace", split=split, epsilon=1)


@pytest.mark.parametrize(
    ("family", "words"),
    [
        ("laplace", {}),
        ("laplace", {"rho": 1}),
        ("laplace", {"epsilon": 1, "delta": "0.1"}),
        ("gaussian", {"epsilon": 1}),
        ("gaussian", {"rho": 1}),
        ("discrete-gaussian", {"epsilon": 1}),
        ("discrete-gaussian", {"epsilon": 1, "rho": 1}),
        ("discrete-laplace", {"epsilon": 0}),
        ("discrete-laplace", {"epsilon": "1e3"}),
        ("discrete-laplace", {"epsilon": True}),
        ("geometric", {"epsilon": 1}),
    ],
)
def test_a_budget_in_the_wrong_words_is_refused(family, words):
    with pytest.raises(BadParameter):
        Mechanism.calibrate(TREE, family, **words)


def test_a_level_named_twice_is_refused():
    """One of the two shares would be dropped without a word."""
    with pytest.raises(BadParameter, match="each level once"):
        Mechanism.calibrate(
            TREE, "laplace", split={0: "0.9", "root": "0.5", 1: "0.3", 2: "0.2"}, epsilon=1
        )
    law = Laplace.with_scale(1)
    with pytest.raises(BadParameter, match="each level once"):
        Mechanism(TREE, {0: law, "root": law, 1: law, 2: law})


def test_the_mechanism_remembers_the_rows_of_a_person():
    """A certificate made from it must not take three rows for one."""
    mechanism = Mechanism.calibrate(TREE, "laplace", rows=3, epsilon=1)
    assert mechanism.rows == 3
    assert spent(mechanism, "add-remove", mechanism.rows) == 1


def test_a_level_that_costs_nothing_needs_no_share():
    for split in ({1: "0.5", 2: "0.5"}, {0: 0, 1: "0.5", 2: "0.5"}):
        mechanism = Mechanism.calibrate(
            TREE, "discrete-laplace", "replace-one", split=split, epsilon=1
        )
        assert spent(mechanism, "replace-one", 1) == 1
        assert mechanism.laws[0] == mechanism.laws[1]


def test_a_budget_that_no_noise_can_carry_is_refused_as_a_budget():
    for epsilon in (5000, "0.000000000001"):
        with pytest.raises(BadParameter, match=r"budget: .* Spend more or less"):
            Mechanism.calibrate(TREE, "discrete-laplace", epsilon=epsilon)


@given(budgets, splits())
@pytest.mark.parametrize("family", ["discrete-laplace", "discrete-gaussian"])
def test_a_row_that_comes_costs_no_more_than_one_exchanged(family, budget, split):
    """So that rows which are dropped do not break replace-one with one row each."""
    word = {"epsilon": budget} if family == "discrete-laplace" else {"rho": budget}
    laws = Mechanism.calibrate(TREE, family, "replace-one", split, **word).laws
    if family == "discrete-laplace":
        rates = [1 / law.scale for law in laws]
    else:
        rates = [1 / (2 * law.variance_parameter) for law in laws]
    assert sum(rates) <= 2 * sum(rates[1:]) == budget
