"""What to expect of each street: exact figures against theory, simulated ones as such."""

import json
import math

import numpy as np
import pytest

import holdfast as hf
from holdfast.foundation.errors import BadParameter, BadTable
from holdfast.publication.forecast import prediction
from holdfast.publication.forecast.forecast_text import words_of
from holdfast.publication.forecast.prediction import forecast
from holdfast.publication.forecast.streets import CONDITION, PLAIN, REVISE, STREET, UPDATE
from tests.plain import taxi
from tests.publication.forecast.samples import GAUSSIAN, GROUP, TREE, mechanism, rules_of

TAXI = taxi.tree()
NODES = np.array([1, 6, 263])


def by_name(mechanism, rules, **words):
    return {each.street: each for each in forecast(mechanism, rules, **words)}


def figures(street, name="mean_error"):
    return np.array([getattr(level, name) for level in street.levels])


def level_sums(street):
    return NODES * figures(street)


# theory.md 4.6: level sums of the expected sizes of revised whole-number noise, by scale
REVISED = {
    "6": (0.5, (0.146805, 0.731868, 68.953612)),
    "3": (1, (0.666456, 3.526976, 217.842123)),
    "1": (3, (2.449657, 13.410779, 758.044533)),
    "0.5": (6, (4.991310, 27.440655, 1537.945121)),
}


@pytest.mark.parametrize("epsilon", REVISED)
def test_revised_noise_strays_as_theory_says(epsilon):
    """On the taxi tree epsilon = 3 / scale; the digits are those of theory.md 4.6."""
    scale, expected = REVISED[epsilon]
    found = by_name(mechanism(TAXI, epsilon=epsilon), TAXI.sums())
    assert level_sums(found[REVISE]) == pytest.approx(expected, abs=6e-7)
    assert all(level.exact for level in found[REVISE].levels)
    ratio = math.exp(-1 / scale)
    assert figures(found[PLAIN]) == pytest.approx([2 * ratio / (1 - ratio**2)] * 3)
    assert level_sums(found[PLAIN]) != pytest.approx(expected, rel=0.01)  # the test barks


def test_a_public_total_is_taken_into_account():
    """theory.md 4.6, pinned root, scale 1.5: each of two levels has half of epsilon 8 / 3."""
    replacing = hf.Mechanism(TAXI, hf.DiscreteLaplace.with_scale("1.5"), "replace-one")
    found = by_name(replacing, TAXI.sums() & hf.total(10_000))
    assert level_sums(found[REVISE]) == pytest.approx((0, 5.882743, 358.172909), abs=6e-7)
    assert found[REVISE].certificate.facts == ("total = 10000",)


def test_laplace_noise_strays_as_theory_says():
    """theory.md 4.4, scale 1: sizes revised; variances of the least squares image.

    The boroughs' printed sum, 4.608568, is 4.608573 (tests/revision/test_taxi_tree.py).
    """
    found = by_name(hf.Mechanism(TAXI, hf.Laplace.with_scale(1)), TAXI.sums())
    assert level_sums(found[REVISE]) == pytest.approx((0.837051, 4.608568, 257.554381), rel=2e-6)
    squares = NODES * figures(found[UPDATE], "standard_deviation") ** 2
    assert squares == pytest.approx((1.686764, 9.196407, 515.117), rel=1e-6)
    simulated = level_sums(found[UPDATE])  # theory: 0.959252, 5.495166, 262.227686
    assert simulated == pytest.approx((0.959252, 5.495166, 262.227686), rel=0.1)
    assert not any(level.exact for level in found[UPDATE].levels)


def test_normal_noise_is_known_after_an_update_too():
    found = by_name(mechanism(TREE, "gaussian"), TREE.sums())
    for name in ("mean_error", "standard_deviation"):  # both views coincide
        revised, updated = figures(found[REVISE], name), figures(found[UPDATE], name)
        assert updated[0] < figures(found[PLAIN], name)[0]
        equal_split = len(set(mechanism(TREE, "gaussian").laws)) == 1
        assert equal_split
        assert updated == pytest.approx(revised)
    assert all(level.exact for level in found[UPDATE].levels)
    assert found[UPDATE].certificate is None
    assert "floats" in found[UPDATE].withheld


@pytest.mark.parametrize("family", ["discrete-laplace", GAUSSIAN])
def test_each_street_says_what_it_is(family):
    found = by_name(mechanism(TREE, family), rules_of(TREE))
    assert [each.street for each in found.values() if each.recommended] == [STREET]
    exact = {name: {level.exact for level in each.levels} for name, each in found.items()}
    assert exact[PLAIN] == exact[REVISE] == {True}
    assert exact[STREET] == exact[UPDATE] == {False}
    assert "1,000 draws on an invented table" in found[STREET].note
    assert "does not add up" in found[PLAIN].note
    for each in (PLAIN, REVISE, STREET, UPDATE):
        cost = found[each].certificate.epsilon or found[each].certificate.rho
        assert float(cost) == pytest.approx(1 if family != GAUSSIAN else 0.1)


def test_conditioning_on_every_rule_is_dearer_and_has_no_interval():
    found = by_name(mechanism(), rules_of(TREE))
    assert found[CONDITION].certificate.epsilon > found[STREET].certificate.epsilon
    if found[CONDITION].levels:
        assert all(math.isnan(level.half_width) for level in found[CONDITION].levels)


def test_a_small_tree_is_simulated_under_every_rule():
    found = by_name(mechanism(GROUP, epsilon=3), rules_of(GROUP))[CONDITION]
    assert [level.exact for level in found.levels] == [False, False]
    assert "simulated: 1,000 draws" in found.note


def test_what_takes_long_is_left_out_with_a_note(monkeypatch):
    monkeypatch.setattr(prediction, "QUICK", 1)
    found = by_name(mechanism(GROUP, epsilon=3), rules_of(GROUP))[CONDITION]
    assert found.levels == ()
    assert "not simulated" in found.note
    assert found.certificate is not None


def test_the_half_width_is_that_of_the_value_before_the_update():
    found = by_name(mechanism(), rules_of(TREE), confidence="0.9")
    revised = mechanism().revise(TREE.sums()).interval("0.9")
    expected = [revised[0], revised[1:4].max(), revised[4:].max()]
    assert figures(found[STREET], "half_width").tolist() == expected
    assert figures(found[REVISE], "half_width").tolist() == expected
    narrower = by_name(mechanism(), rules_of(TREE), confidence="0.5")
    assert (figures(narrower[STREET], "half_width") < expected).all()


def test_published_intervals_hold_the_truth():
    """5,000 releases: revised half-width about the revised value, cut at 0, is stretched to hold
    the updated one. Hoeffding over 12 nodes: false alarm 1e-9, a miss rate 0.1 too large is seen.
    """
    revised = mechanism().revise(TREE.sums())
    updated, values = revised.update(rules_of(TREE)), TREE.aggregate([9, 0, 0, 3, 0, 40, 0, 0])
    before = revised.draws(values, 5_000, hf.seeded(5))
    after = updated.draws(values, 5_000, hf.seeded(5))
    width = revised.interval("0.9")

    def missed(half):
        lower = np.minimum(np.maximum(before - half, 0), after)
        upper = np.maximum(np.maximum(before + half, 0), after)
        return ((values < lower) | (values > upper)).mean(axis=0)

    slack = math.sqrt(math.log(12 / 1e-9) / 10_000)
    assert slack < 0.05
    assert (missed(width) <= 0.1 + slack).all()
    assert (missed(width // 2) > 0.1 + slack).any()  # the test barks


def test_the_same_plan_gives_the_same_bytes():
    one, two = (json.dumps(words_of(forecast(mechanism(), rules_of(TREE)))) for _ in range(2))
    assert one == two
    other = json.dumps(words_of(forecast(mechanism(epsilon="1.01"), rules_of(TREE))))
    assert one != other


def test_public_counts_change_what_is_simulated_and_nothing_else():
    invented, dense = (
        by_name(mechanism(), rules_of(TREE), table=table) for table in (None, [1000] * 8)
    )
    assert dense[REVISE] == invented[REVISE]
    assert "the public table given" in dense[STREET].note
    assert figures(dense[STREET])[2] > 1.2 * figures(invented[STREET])[2]
    assert figures(dense[STREET]) == pytest.approx(figures(dense[REVISE]), rel=0.01)


def test_facts_that_no_sampler_covers_leave_the_update():
    a_is_b = hf.equalities([[0, 1, -1, *[0] * 9]], 0)
    found = by_name(mechanism(neighbours="replace-one"), TREE.sums() & a_is_b)
    assert found[REVISE].levels == ()
    assert "no exact sampler" in found[REVISE].withheld
    assert found[UPDATE].recommended
    assert "moved onto the rules" in found[UPDATE].note


def test_laplace_noise_under_further_rows_is_simulated():
    a_is_b = hf.equalities([[0, 1, -1, *[0] * 9]], 0)
    found = by_name(mechanism(TREE, "laplace", "replace-one"), TREE.sums() & a_is_b)
    assert "simulated" in found[REVISE].note
    assert all(math.isnan(level.half_width) for level in found[REVISE].levels)


def test_bad_requests_are_refused():
    with pytest.raises(BadParameter, match="confidence"):
        forecast(mechanism(), rules_of(TREE), "1.5")
    with pytest.raises(BadTable):
        forecast(mechanism(), rules_of(TREE), table=[1, 2, 3])


def test_progress_is_told():
    told = []
    forecast(mechanism(), rules_of(TREE), progress=lambda *news: told.append(news))
    assert {"expected errors", "simulated update", "simulated noise"} <= {s for s, _, _ in told}
    assert all(0 < done <= total for _, done, total in told)
