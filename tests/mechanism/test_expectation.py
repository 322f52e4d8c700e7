"""What to expect of the noise, before any data is read."""

import numpy as np
import pytest

import holdfast as hf
from holdfast.foundation.errors import BadParameter
from tests.mechanism.samples import (
    A_IS_B,
    FIRST_IS_MORE,
    NORMAL,
    REAL,
    TABLE,
    TREE,
    WHOLE,
    WHOLE_GAUSSIAN,
    mechanism,
)
from tests.plain.gamma_statistic import dense
from tests.plain.statistics import MISS

SUMS = TREE.sums()
ERRORS = 6.5  # standard errors; 12 normal means stray by more with chance 9.7e-10


@pytest.mark.parametrize("law", [WHOLE, WHOLE_GAUSSIAN, REAL, NORMAL], ids=repr)
@pytest.mark.parametrize("rules", [SUMS, SUMS & hf.total(11)], ids=["sums", "pinned"])
def test_draws_stray_as_far_as_expected(law, rules):
    """40,000 draws: mean size and mean square of each of six nodes within 6.5 standard errors.

    False alarm 1e-9 for all twelve, if means are normal: of 40,000 draws they nearly are, but
    that is no theorem. A fault of about eight in a hundred of a square is seen.
    """
    revised = mechanism(law=law).revise(rules)
    noise = revised.draws(TABLE, 40_000, hf.seeded(8)) - TABLE
    for seen, expected in (
        (np.abs(noise).astype(float), revised.expected_error()),
        (noise.astype(float) ** 2, revised.variance()),
    ):
        error = ERRORS * seen.std(axis=0) / 200
        assert (np.abs(seen.mean(axis=0) - expected) <= error + 1e-9).all()
        free = expected > 0
        assert (error[free] < 0.08 * expected[free]).all()
        assert (np.abs(seen.mean(axis=0) - 1.1 * expected)[free] > error[free]).all()


@pytest.mark.parametrize("law", [WHOLE, WHOLE_GAUSSIAN, REAL, NORMAL], ids=repr)
@pytest.mark.parametrize("confidence", ["0.5", "0.95", "0.999"])
def test_intervals_miss_no_more_often_than_they_say(law, confidence):
    """20,000 draws, Hoeffding: a miss rate 0.04 above what is allowed is seen.

    False alarm 1e-9 for the six nodes together.
    """
    revised = mechanism(law=law).revise(SUMS)
    noise = np.abs(revised.draws(TABLE, 20_000, hf.seeded(9)) - TABLE)
    width, allowed = revised.interval(confidence), 1 - float(confidence)
    slack = np.sqrt(np.log(6 / 1e-9) / 40_000)
    assert slack + np.sqrt(np.log(1 / MISS) / 40_000) < 0.04
    assert ((noise > width).mean(axis=0) <= allowed + slack).all()
    tighter = width - (1 if law in (WHOLE, WHOLE_GAUSSIAN) else 0.2 * width)
    if confidence == "0.5":
        assert ((noise > tighter).mean(axis=0) > allowed + slack).any()


def test_levels_and_totals_add_up():
    revised = mechanism().revise(SUMS)
    for measure in (revised.variance, revised.expected_error):
        by_node, by_level = measure(by="node"), measure(by="level")
        assert by_level == pytest.approx([by_node[0], by_node[1:3].sum(), by_node[3:].sum()])
        assert measure(by="total") == pytest.approx(by_node.sum())
    assert revised.expected_error("l2", "level") ** 2 == pytest.approx(revised.variance("level"))
    assert revised.expected_error("l2") ** 2 == pytest.approx(revised.variance())


def test_gaussian_noise_on_further_equalities_has_the_projections_variances():
    revised = mechanism(law=NORMAL).revise(SUMS & A_IS_B)
    rows = dense(revised.condition.system)
    expected = 4 * (np.eye(6) - np.linalg.pinv(rows) @ rows)
    assert revised.variance() == pytest.approx(np.diag(expected))


@pytest.mark.parametrize(
    ("law", "rules", "said"),
    [
        (WHOLE, SUMS & hf.nonnegative(), "depends on the table"),
        (REAL, SUMS & FIRST_IS_MORE, "depends on the table"),
        (REAL, SUMS & A_IS_B, "beyond a tree"),
    ],
)
def test_what_is_not_known_is_not_said(law, rules, said):
    revised = mechanism(law=law).revise(rules)
    for ask in (revised.variance, revised.expected_error, revised.interval):
        with pytest.raises(BadParameter, match=f"{said}.*Simulate"):
            ask()


def test_bad_words_are_refused():
    revised = mechanism().revise(SUMS)
    with pytest.raises(BadParameter, match='"node", "level" or "total"'):
        revised.variance(by="borough")
    with pytest.raises(BadParameter, match='"l1" or "l2"'):
        revised.expected_error("linf")
    for confidence in (0, 1, "1.5", None):
        with pytest.raises(BadParameter, match="confidence"):
            revised.interval(confidence)


def test_a_long_set_up_tells_its_progress():
    told = []
    revised = mechanism().revise(SUMS, "messages", lambda *news: told.append(news))
    revised.variance()
    assert {stage for stage, _, _ in told} == {"messages", "expected errors"}
    assert all(0 < done <= total for _, done, total in told)
