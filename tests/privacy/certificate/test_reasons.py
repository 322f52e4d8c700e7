"""Each reason's cost by hand, and by exact laws where it has one; wrong numbers are refused.

If this failed, a derivation would prove another cost than its theorem gives.
"""

import math
from fractions import Fraction

import pytest

from holdfast.foundation.bounds import exp_bounds, ln_bounds
from holdfast.foundation.errors import BadCertificate
from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.laplace import Laplace
from holdfast.privacy.certificate import step_reasons
from holdfast.privacy.certificate.cost import EpsilonCost, RhoCost
from holdfast.privacy.certificate.joint_reasons import Composition, DisjointUnion, Mixture
from holdfast.privacy.certificate.noise_reasons import (
    Calibration,
    Doubling,
    EqualityConditioning,
    InequalityConditioning,
)
from holdfast.privacy.certificate.reasons import parts_of, walked
from holdfast.privacy.certificate.step_reasons import (
    Conversion,
    InexactDraw,
    PostProcessing,
    Update,
)
from tests.plain import exact_finite
from tests.privacy.samples import gaussian_noise, pure_noise

LAPLACE = (DiscreteLaplace(scale=Fraction(2)), DiscreteLaplace(scale=Fraction(3)))
GAUSSIAN = (DiscreteGaussian(Fraction(2)), DiscreteGaussian(Fraction(3)))
NOISE = Calibration(LAPLACE, (1, 2), 3)
RULES = ("sums",)
HALF = Fraction(1, 2)


def test_noise_costs_rows_times_nodes_times_rates():
    assert NOISE.cost == EpsilonCost(3 * (Fraction(1, 2) + Fraction(2, 3)))
    squares = Calibration(GAUSSIAN, (1, 2), 3).cost
    assert squares == RhoCost(9 * (Fraction(1, 4) + Fraction(2, 6)))


def test_equalities_cost_nothing_and_inequalities_do():
    assert EqualityConditioning(NOISE, RULES).cost == NOISE.cost
    priced = InequalityConditioning(pure_noise(1), RULES, (1,), Fraction(6, 5))
    assert priced.cost == EpsilonCost(1 + ln_bounds(Fraction(6, 5)).above)
    assert priced.gamma == priced.cost.epsilon - 1
    assert InequalityConditioning(pure_noise(1), RULES, (1,), Fraction(9)).cost.epsilon == 2
    assert (
        Doubling(EqualityConditioning(NOISE, RULES), RULES).cost.epsilon == 2 * NOISE.cost.epsilon
    )


def test_an_inexact_draw_costs_twice_the_rounding_and_both_sides_of_the_truncation():
    drawn = InexactDraw(pure_noise(1), Fraction(1, 100), Fraction(1, 10))
    assert drawn.cost.epsilon == Fraction(6, 5)
    expected = (1 + math.exp(1.2)) / 100
    assert float(drawn.cost.numerical) == pytest.approx(expected, rel=1e-14)
    assert drawn.cost.numerical >= (1 + exp_bounds(Fraction(6, 5)).below) / 100
    in_rho = InexactDraw(gaussian_noise("0.1"), Fraction(1, 100), Fraction(1, 10)).cost
    assert in_rho.rho == Fraction(1, 10)
    assert float(in_rho.numerical) == pytest.approx(0.01 + math.expm1(0.1) / 2, rel=1e-14)


def sampled(t: Fraction) -> dict:
    """Return randomised response with odds 2, each law moved by t towards its own answer."""
    third = Fraction(1, 3)
    return {x: {x: 2 * third + t, 1 - x: third - t} for x in (0, 1)}


def needs(t: Fraction) -> Fraction:
    """Return the exact delta, at epsilon = ln 2, of that sampler."""
    return exact_finite.delta(sampled(t), Fraction(2))


def test_a_sampler_off_by_t_needs_all_of_1_plus_e_to_the_epsilon():
    """delta = 3 t at odds 2: the bound is attained, and t alone is far too little."""
    off = Fraction(1, 100)
    law = Calibration((DiscreteLaplace(ratio=HALF),), (1,), 1)
    claimed = InexactDraw(law, off, Fraction(0)).cost.numerical
    assert needs(off) == 3 * off <= claimed < 3 * off * (1 + Fraction(1, 10**20))
    assert needs(off) > off


def test_a_sampler_that_counts_one_side_is_caught(monkeypatch):
    monkeypatch.setattr(step_reasons, "one_and_power", lambda epsilon: Fraction(1))
    law = Calibration((DiscreteLaplace(ratio=HALF),), (1,), 1)
    assert InexactDraw(law, Fraction(1, 100), Fraction(0)).cost.numerical < needs(Fraction(1, 100))


def test_approximate_zcdp_with_the_same_delta_would_be_false():
    """docs/theory/certificates.md#what-is-promised: two laws within t of one agree on 1 - 2 t."""
    t = Fraction(1, 10)
    heads = {"D": HALF + t, "D'": HALF - t}
    agree = min(heads.values()) + min(1 - chance for chance in heads.values())
    assert agree == 1 - 2 * t


def test_two_inexact_draws_grow_the_whole_delta():
    """The proof multiplies all of it by e**(2 rounding), not the modelled part alone."""
    first = InexactDraw(pure_noise(1), Fraction(1, 100), Fraction(0))
    second = InexactDraw(first, Fraction(0), Fraction(1, 2))
    assert float(second.cost.numerical) == pytest.approx(math.e * (1 + math.e) / 100, rel=1e-12)


@pytest.mark.parametrize("wrap", [Doubling, Update, PostProcessing])
def test_deep_derivations_are_quick(wrap):
    """60 steps: a cost that is worked out twice a step would take years."""
    reason = EqualityConditioning(pure_noise(Fraction(1, 2**39)), RULES)
    for _ in range(60):
        reason = wrap(reason, "words" if wrap is PostProcessing else RULES)
    assert reason.cost.epsilon <= 2**21


def test_functions_of_the_answer_cost_nothing():
    assert Update(NOISE, RULES).cost == NOISE.cost
    assert PostProcessing(NOISE, "rounded").cost == NOISE.cost


def test_conversions():
    assert Conversion(pure_noise(1), Fraction(0)).cost == RhoCost(HALF)
    converted = Conversion(gaussian_noise("0.1"), Fraction(1, 10**6)).cost
    assert converted.modelled == Fraction(1, 10**6)
    assert converted.numerical == 0
    near = InexactDraw(gaussian_noise("0.1"), Fraction(1, 1000), Fraction(0))
    with_distance = Conversion(near, Fraction(1, 10**6)).cost
    assert with_distance.epsilon == converted.epsilon
    expected = (1 + math.exp(converted.epsilon)) / 1000
    assert float(with_distance.numerical) == pytest.approx(expected, rel=1e-12)


def test_a_union_adds_the_growth_of_the_odds():
    one, other = pure_noise(1), pure_noise(2)
    cost = DisjointUnion((one, other), Fraction(9), Fraction(1)).cost
    assert float(cost.epsilon) == pytest.approx(1 + math.log(9), rel=1e-14)
    assert DisjointUnion((one, other), Fraction(1), Fraction(1)).cost.epsilon == 2


def test_the_causes_come_first():
    top = Update(EqualityConditioning(NOISE, RULES), RULES)
    assert [type(each) for each in walked(top)] == [Calibration, EqualityConditioning, Update]
    both = Composition((top, NOISE))
    assert parts_of(both) == (top, NOISE)
    assert parts_of(NOISE) == ()
    assert parts_of(top) == (top.of,)


DELTA = InexactDraw(pure_noise(1), Fraction(1, 100), Fraction(0))
REFUSED = {
    "laws and levels": lambda: Calibration(LAPLACE, (1,), 1),
    "no row": lambda: Calibration(LAPLACE, (1, 1), 0),
    "nodes below 0": lambda: Calibration(LAPLACE, (1, -1), 1),
    "two families": lambda: Calibration((LAPLACE[0], GAUSSIAN[0]), (1, 1), 1).cost,
    "no level": lambda: Calibration((), (), 1),
    "no move": lambda: Calibration(LAPLACE, (0, 0), 1),
    "a long move": lambda: Calibration(LAPLACE, (1, 3), 1),
    "half a row": lambda: Calibration(LAPLACE, (1, 1), Fraction(3, 2)),
    "very many rows": lambda: Calibration(LAPLACE, (1, 1), 10**400),
    "a float law": lambda: Calibration((Laplace(Fraction(1)),), (1,), 1),
    "rules in one text": lambda: Update(NOISE, "sums"),
    "a float truncation": lambda: InexactDraw(NOISE, 0.1, Fraction(0)),
    "a float weight": lambda: Mixture((NOISE, NOISE), (0.5, 0.5)),
    "a float ratio": lambda: DisjointUnion((NOISE, NOISE), 1.5, Fraction(1)),
    "a float delta": lambda: Conversion(gaussian_noise(1), 0.1),
    "words of two lines": lambda: PostProcessing(NOISE, "a\nb"),
    "conditioning what is not noise": lambda: EqualityConditioning(Update(NOISE, RULES), RULES),
    "conditioning a delta": lambda: EqualityConditioning(DELTA, RULES),
    "pricing a gaussian": lambda: InequalityConditioning(
        Calibration(GAUSSIAN, (1, 1), 1), RULES, (1, 1), Fraction(2)
    ),
    "odds below 1": lambda: InequalityConditioning(NOISE, RULES, (1, 2), HALF),
    "a move of another tree": lambda: InequalityConditioning(NOISE, RULES, (1,), Fraction(2)),
    "doubling a delta": lambda: Doubling(DELTA, RULES),
    "doubling rho": lambda: Doubling(gaussian_noise(1), RULES),
    "a chance above 1": lambda: InexactDraw(NOISE, Fraction(2), Fraction(0)),
    "a rounding below 0": lambda: InexactDraw(NOISE, Fraction(0), Fraction(-1)),
    "weights": lambda: Mixture((NOISE, NOISE), (HALF, HALF, HALF)),
    "no part": lambda: Composition(()),
    "three events": lambda: DisjointUnion((NOISE, NOISE, NOISE), Fraction(1), Fraction(1)),
    "delta for epsilon": lambda: Conversion(NOISE, HALF),
    "no delta for rho": lambda: Conversion(gaussian_noise(1), Fraction(0)),
    "a delta as rho": lambda: Conversion(DELTA, Fraction(0)),
    "a delta at epsilon 1001": lambda: (
        InexactDraw(
            Composition((pure_noise(500), pure_noise(501))), Fraction(1, 100), Fraction(0)
        ).cost
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_wrong_numbers_are_refused_in_four_parts(case):
    with pytest.raises(BadCertificate) as error:
        REFUSED[case]()
    fault = error.value.faults[0]
    assert all((fault.subject, fault.asked, fault.found, fault.remedy))
