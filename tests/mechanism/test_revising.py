"""What is certified is never more than was asked, whatever the sampler rounds.

If this failed, ten releases at a tenth of a budget would not fit into it.
"""

from fractions import Fraction

import pytest

import holdfast as hf
from holdfast.mechanism import revising

TREE = hf.Hierarchy.from_paths([(a, b) for a in range(6) for b in range(9)])


def revised(epsilon="1", **words):
    mechanism = hf.Mechanism.calibrate(TREE, "discrete-laplace", epsilon=epsilon, **words)
    return mechanism, mechanism.revise(TREE.sums(), method="messages")


@pytest.mark.parametrize("epsilon", ["0.01", "0.1", "1", "10"])
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_messages_stay_within_the_budget(epsilon, neighbours):
    _, given = revised(epsilon, neighbours=neighbours)
    asked = Fraction(epsilon)
    assert asked * (1 - Fraction(1, 10**6)) < given.certificate.epsilon <= asked


def test_without_wider_laws_they_do_not(monkeypatch):
    monkeypatch.setattr(revising, "_widened", lambda *_: None)
    _, given = revised()
    assert given.certificate.epsilon > 1


def test_the_laws_are_hardly_wider():
    mechanism, given = revised()
    for before, after in zip(mechanism.laws, given.mechanism.laws, strict=True):
        assert before.scale < after.scale < before.scale * (1 + Fraction(1, 10**6))
    assert given.method == "messages"


def test_an_exact_sampler_leaves_the_laws_alone():
    mechanism = hf.Mechanism.calibrate(TREE, "discrete-laplace", epsilon=1)
    given = mechanism.revise(TREE.sums(), method="exact")
    assert given.mechanism is mechanism
    assert given.certificate.epsilon == 1


def test_laws_that_were_given_are_left_alone():
    """Nobody named a budget, so the certificate says what these laws cost."""
    mechanism = hf.Mechanism(TREE, hf.DiscreteLaplace.with_scale(3))
    given = mechanism.revise(TREE.sums(), method="messages")
    assert given.mechanism is mechanism
    assert given.certificate.epsilon > 1


def test_rounding_that_is_too_large_is_told(monkeypatch):
    monkeypatch.setattr(revising, "MOST", Fraction(1, 2**60))
    _, given = revised()
    assert given.certificate.epsilon > 1


def test_rho_needs_no_room():
    mechanism = hf.Mechanism.calibrate(TREE, "discrete-gaussian", rho="0.1")
    given = mechanism.revise(TREE.sums(), method="messages")
    assert given.mechanism is mechanism
    assert given.certificate.rho == Fraction(1, 10)
