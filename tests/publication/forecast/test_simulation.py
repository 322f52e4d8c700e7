"""Simulated errors: near the true ones, the same each time, and sharper beside known noise."""

import numpy as np
import pytest

import holdfast as hf
from holdfast.foundation.progress import silent
from holdfast.publication.forecast import simulation
from holdfast.publication.forecast.invented_table import public_table
from holdfast.publication.forecast.simulation import draws_for, simulated, simulated_beside
from holdfast.publication.level_error import by_level
from tests.plain.taxi import tree as taxi
from tests.publication.forecast.samples import TREE, mechanism, rules_of

ERRORS = 6.5  # standard errors; 12 normal means stray by more with chance 9.7e-10
RULES = rules_of(TREE)
PLAIN = mechanism()
TABLE = public_table(PLAIN, RULES, None)


def means(source):
    return by_level(TREE, source.expected_error()), by_level(TREE, source.variance())


def strays(found, sizes):
    """Whether mean errors lie farther off than chance allows."""
    return bool((np.abs(found.sizes - sizes) > ERRORS * found.strays).any())


def test_simulated_noise_strays_as_theory_says():
    """1,000 draws: every level within 6.5 standard errors of the exact mean error.

    False alarm 1e-9, if means of 1,000 draws are normal: nearly. A third more or less is seen.
    """
    revised = PLAIN.revise(TREE.sums())
    sizes, variances = means(revised)
    found = simulated(revised, TABLE, silent, "noise")
    assert not strays(found, sizes)
    assert (ERRORS * found.strays < sizes / 3).all()
    assert strays(found, 1.34 * sizes)
    assert strays(found, means(PLAIN)[0])  # the plain noise is told apart from the revised
    assert found.variances == pytest.approx(variances, rel=0.25)


def true_errors(updated, draws=40_000):
    """Return mean errors of many draws by another seed, and their standard errors."""
    errors = np.abs(updated.draws(TABLE.values, draws, hf.seeded(31)) - TABLE.values)
    levels = by_level(TREE, errors.astype(float))
    return levels.mean(axis=0), levels.std(axis=0) / draws**0.5


@pytest.fixture(scope="module")
def updated():
    return PLAIN.revise(TREE.sums()).update(RULES)


@pytest.fixture(scope="module")
def truth(updated):
    return true_errors(updated, 10_000)


def test_an_update_beside_known_noise_tends_to_the_truth(updated, truth):
    """1,000 draws against 10,000 others: within 6.5 standard errors; a fifth more is seen."""
    found = simulated_beside(updated, means(updated.source), TABLE, silent)
    allowed = ERRORS * np.hypot(found.strays, truth[1])
    assert (np.abs(found.sizes - truth[0]) <= allowed).all()
    assert (allowed < 0.2 * truth[0]).all()
    plain = simulated(updated, TABLE, silent, "update")
    assert (found.strays < plain.strays).all()
    assert found.variances == pytest.approx(plain.variances, rel=0.25)


def test_wrongly_known_noise_is_caught(updated, truth):
    sizes, variances = means(updated.source)
    found = simulated_beside(updated, (2 * sizes, variances), TABLE, silent)
    allowed = ERRORS * np.hypot(found.strays, truth[1])
    assert (np.abs(found.sizes - truth[0]) > allowed).any()


def test_other_draws_are_no_help(updated, monkeypatch):
    """The correction needs the same noise: by two seeds it explains next to nothing."""
    found = simulated_beside(updated, means(updated.source), TABLE, silent)
    seeds = iter((1, 2))
    monkeypatch.setattr(simulation, "seeded", lambda _: hf.seeded(next(seeds)))
    other = simulated_beside(updated, means(updated.source), TABLE, silent)
    assert other.strays[0] > 1.02 * found.strays[0]


def test_the_same_question_has_the_same_answer(updated):
    one, two = (simulated(updated, TABLE, silent, "update") for _ in range(2))
    assert one.sizes.tobytes() + one.variances.tobytes() == (
        two.sizes.tobytes() + two.variances.tobytes()
    )


def test_batches_change_nothing(updated, monkeypatch):
    """Draws held together, or a few at a time: the same noise, but for the order of sums."""
    whole = simulated(PLAIN, TABLE, silent, "noise")
    monkeypatch.setattr(simulation, "BATCH", 700 * TREE.size)
    told = []
    parts = simulated(PLAIN, TABLE, lambda *news: told.append(news), "noise")
    assert [done for _, done, _ in told] == [700, 1000]
    assert parts.sizes.shape == whole.sizes.shape
    assert (np.abs(parts.sizes - whole.sizes) <= ERRORS * 2 * whole.strays).all()


def test_large_trees_have_fewer_draws():
    assert draws_for(taxi()) == 1000
    big = hf.Hierarchy.from_paths([(n,) for n in range(100_000)])
    assert draws_for(big) == 48
