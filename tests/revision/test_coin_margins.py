"""Coins beside their chance: floats decide what is clear of it, whole numbers all the rest."""

from fractions import Fraction

import numpy as np
import pytest

from holdfast.foundation.randomness import tape
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.revision.rejection import acceptance
from holdfast.revision.rejection.acceptance import power_heads

MOST = 2**64 - 1
RATIOS = [Fraction(99, 100), Fraction(999, 1000)]


def wrong(ratio: Fraction) -> int:
    """Count words just above the chance that accept, and just below it that refuse."""
    rate = float(DiscreteLaplace.with_ratio(ratio).rate)
    found = 0
    for size in range(1, 400):
        word, sizes = int(ratio**size * 2**64), np.array([size])
        found += bool(power_heads(sizes, ratio, rate, tape([word + 1, 0, 0]))[0])
        found += not power_heads(sizes, ratio, rate, tape([word - 1, MOST, MOST]))[0]
    return found


@pytest.mark.parametrize("ratio", RATIOS)
def test_words_beside_a_chance_are_decided_as_the_chance_says(ratio):
    """On both sides. If it failed, totals would be accepted a little too often or too rarely."""
    assert wrong(ratio) == 0


def narrow(monkeypatch):
    monkeypatch.setattr(acceptance, "MARGIN", 0.0)


def accepts_what_is_near(monkeypatch, honest=acceptance.exponential):
    """The margin is kept on the side of refusals alone."""
    monkeypatch.setattr(acceptance, "exponential", lambda x: honest(x) + acceptance.MARGIN)


def refuses_what_is_near(monkeypatch, honest=acceptance.exponential):
    monkeypatch.setattr(acceptance, "exponential", lambda x: honest(x) - acceptance.MARGIN)


@pytest.mark.parametrize("sabotage", [narrow, accepts_what_is_near, refuses_what_is_near])
def test_the_test_beside_a_chance_barks(sabotage, monkeypatch):
    sabotage(monkeypatch)
    assert wrong(RATIOS[0]) > 20
