"""Thirteen faulty mechanisms are all flagged; a hundred right ones are not.

False alarms: at most 1e-9 for all auditors of one mechanism together (`battery.ALARM`), 1e-7 for
the hundred. Seeds are fixed, so only forking, with 1e-12, can differ from run to run. What each
auditor sees at least is tested in tests/privacy/test_auditors.py.
"""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest

from tests.plain.audit import battery, closed_laws, exact_loss, frequencies, replay, shared_noise
from tests.plain.audit.battery import MUTANT, RIGHT, examine_all, seen_by, summary
from tests.plain.audit.mutants import MUTANTS
from tests.plain.audit.register import right_ones
from tests.plain.audit.right import KINDS

EXACT, FREQUENCIES, REPLAY = "exact loss", "frequencies", "replay"
FORKING, SHARED, LATTICE = "forking", "shared noise", "lattice"
SEEN = {
    "half the noise": {EXACT, FREQUENCIES, REPLAY},
    "scale 0.8": {EXACT, FREQUENCIES, REPLAY},
    "scale 0.99": {EXACT, FREQUENCIES, REPLAY},
    "resampled until >= 0": {EXACT, FREQUENCIES, REPLAY},
    "fixed total, conditioned >= 0": {EXACT, FREQUENCIES, REPLAY},
    "marker 1 %": {EXACT, FREQUENCIES, REPLAY},
    "marker 0.1 %": {EXACT, FREQUENCIES},
    "marker 0.01 %": {EXACT, FREQUENCIES},
    "marker 0.001 %": {EXACT},  # frequencies need 20 million draws: in full, not here
    "repeated after a fork": {FORKING},
    "shared between cells": {EXACT, FREQUENCIES, REPLAY, SHARED},
    "wrong relation": {EXACT, FREQUENCIES, REPLAY},
    "noise in floats": {FREQUENCIES, REPLAY, LATTICE},
}


def test_the_false_alarm_rate():
    assert battery.ALARM <= 1e-9
    assert len(right_ones()) == len({one.name for one in right_ones()}) == 100
    assert set(SEEN) == {mutant.name for mutant in MUTANTS}
    assert len(SEEN) == 13


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_each_mutant_is_flagged_by_those_who_can_see_it(mutant):
    """And no proven loss is larger than the true one, which is known."""
    findings = examine_all((mutant,), MUTANT)[mutant.name]
    assert seen_by(findings) == SEEN[mutant.name]
    assert all(finding.proven <= mutant.true + 1e-9 for finding in findings.values())


def of_kind(kind):
    return tuple(one for one in right_ones() if one.name.startswith(kind + ","))


@pytest.mark.parametrize("kind", KINDS)
def test_no_right_mechanism_is_flagged(kind):
    """20 runs of each kind."""
    found = examine_all(of_kind(kind), RIGHT)
    assert {name: each for name, each in found.items() if seen_by(each)} == {}
    assert summary({}, found) == "0 of 0 flagged, 0 false alarms in 20 runs"


def test_silence_means_something():
    """Each right mechanism is flagged as soon as it claims a hundredth less."""
    for one in right_ones():
        less = replace(one.claim, epsilon=one.claim.epsilon * Fraction(99, 100))
        assert replay.examine(one, RIGHT.replays).alarm is False
        assert replay.examine(replace(one, claim=less), RIGHT.replays).alarm


def false_alarms(kind, auditor):
    found = examine_all(of_kind(kind), replace(RIGHT, tapes=100, draws=20_000))
    return sum(auditor in seen_by(findings) for findings in found.values())


def forgets_what_is_open(monkeypatch):
    worst = exact_loss.worst
    monkeypatch.setattr(
        exact_loss, "worst", lambda claim, one, other, _: worst(claim, one, other, 0)
    )
    return EXACT


def takes_shares_for_chances(monkeypatch):
    monkeypatch.setattr(frequencies, "EACH", 0.999)
    return FREQUENCIES


def allows_no_difference(monkeypatch):
    monkeypatch.setattr(shared_noise, "limit", lambda runs, pairs: 0.0)
    return SHARED


@pytest.mark.parametrize(
    "sabotage", [forgets_what_is_open, takes_shares_for_chances, allows_no_difference]
)
def test_the_test_of_right_mechanisms_barks(sabotage, monkeypatch):
    """An auditor that cries too soon is noticed."""
    assert false_alarms("plain", sabotage(monkeypatch)) > 0


def test_a_mutant_that_nobody_sees_is_noticed():
    findings = {"quiet": {}, "loud": examine_all(MUTANTS[:1], MUTANT)[MUTANTS[0].name]}
    assert summary(findings, {}) == "1 of 2 flagged, 0 false alarms in 0 runs"
    assert summary({}, findings) == "0 of 0 flagged, 1 false alarms in 2 runs"


@pytest.mark.parametrize("ratio", [Fraction(1, 3), Fraction(3, 5), Fraction(7, 8)])
@pytest.mark.parametrize("cells", [2, 3, 4])
def test_non_negativity_given_the_total_costs_more_on_all_small_tables(cells, ratio):
    """Exact: above the claim r**-2 for some pair of every total above 1, never above its square."""
    for total in range(1, 5 if cells == 4 else 7):
        ratios = [
            closed_laws.worst_ratio(
                closed_laws.given_the_total(one, ratio), closed_laws.given_the_total(other, ratio)
            )
            for one, other in closed_laws.pairs(cells, total)
        ]
        assert (max(ratios) > ratio**-2) == (total > 1)
        assert max(ratios) <= ratio**-4


@pytest.mark.parametrize("ratio", [Fraction(1, 3), Fraction(3, 5)])
def test_resampling_costs_1_plus_r_minus_r_squared(ratio):
    """Exact: counts 0 and 1 lose r**-1 (1 + r - r**2), larger ones less."""
    laws = [closed_laws.resampled(count, ratio, reach=9) for count in range(7)]
    ratios = [closed_laws.worst_ratio(a, b) for a, b in pairwise(laws)]
    assert ratios[0] == (1 + ratio - ratio**2) / ratio == max(ratios)
