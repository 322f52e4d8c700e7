"""What the promise says in words is what the certificate says in numbers."""

import math
import re
from dataclasses import replace
from fractions import Fraction

import pytest

from holdfast.publication.report.promise import first_line, meaning
from tests.privacy.samples import gaussian, inexact, pure
from tests.publication.report.samples import small, with_facts


@pytest.mark.parametrize("epsilon", ["0.01", "0.1", "1", "3.3", "20", "100"])
def test_the_factor_is_e_to_the_epsilon_rounded_up(epsilon):
    said = meaning(pure(epsilon))
    factor = float(re.search(r"at most (\S+) times", said).group(1))
    truth = math.exp(float(epsilon))
    assert truth <= factor <= truth * 1.01
    assert "plus a chance" not in said


def test_a_delta_is_said():
    assert "plus a chance of 3.72e-20" in meaning(inexact(1, Fraction(1, 10**20)))


def test_the_other_data_set_is_the_relation_s():
    assert "as without it" in meaning(pure(1))
    assert "with another in its place" in meaning(pure(1, neighbours="replace-one"))
    assert "where both obey the facts given" in meaning(with_facts().certificate)


def test_rho_is_said_in_epsilon_too():
    certificate = gaussian("0.5")
    converted = certificate.in_epsilon("0.000000001")
    said = meaning(certificate)
    assert said.startswith("In other words: epsilon ")
    assert meaning(converted) in said
    assert "the smaller, the less" in meaning(gaussian(80))


def test_a_cost_that_protects_nothing_is_said_to():
    assert meaning(pure(101)) == "A cost so large protects next to nothing."


def test_the_first_line_of_a_rehearsal_promises_nothing():
    assert " is protected" in first_line(small())
    assert " would be protected" in first_line(replace(small(), rehearsal=True))
