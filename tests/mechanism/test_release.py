"""Releases: values, intervals that hold the true count, and refusals.

If this failed, an interval would be published that misses more often than it says.
"""

import numpy as np
import pytest

import holdfast as hf
from holdfast.foundation.errors import BadCertificate, BadChance
from holdfast.mechanism import release as room
from holdfast.mechanism.release import around
from tests.mechanism.samples import REAL, TABLE, TREE, WHOLE

BOTH = TREE.sums() & hf.nonnegative()
TOTAL = hf.total(11)


def revised(rules=None, law=WHOLE, neighbours="add-remove"):
    given = TREE.sums() if rules is None else rules
    return hf.Mechanism(TREE, law, neighbours=neighbours).revise(given)


def test_a_revised_release():
    source = revised()
    found = source.release(TABLE, hf.system_chance())
    assert TREE.sums().holds(found.value)
    half = source.interval("0.95")
    assert (found.upper - found.value == half).all()
    assert (found.value - found.lower == half).all()
    assert found.certificate == source.certificate
    assert found.diagnosis is None


def test_an_updated_release():
    street = revised().update(BOTH)
    found = street.release(TABLE, hf.system_chance(), "0.5")
    assert BOTH.holds(found.value)
    assert (found.lower >= 0).all()
    assert ((found.lower <= found.value) & (found.value <= found.upper)).all()
    assert found.certificate == street.certificate
    assert found.diagnosis is not None
    assert all(a.dtype == np.int64 for a in (found.value, found.lower, found.upper))


def test_plain_noise_is_released_too():
    """And moved onto the rules without a revision."""
    plain = hf.Mechanism(TREE, WHOLE)
    found = plain.release(TABLE, hf.system_chance())
    assert (found.upper - found.value == plain.interval("0.95")).all()
    moved = plain.update(BOTH).release(TABLE, hf.system_chance())
    assert BOTH.holds(moved.value)
    assert ((moved.lower <= moved.value) & (moved.value <= moved.upper)).all()


def test_a_sealed_table_is_opened_inside():
    leaves = TABLE[TREE.leaf_nodes]
    sealed = hf.Confidential(leaves, "counts, 3 leaves")
    narrow = revised(law=hf.DiscreteLaplace.with_scale("0.01"))
    found = narrow.release(sealed, hf.system_chance())
    assert (found.value == TABLE).all()  # noise of this scale is 0 but for a chance of e**-100


def test_public_values_have_intervals_of_no_width():
    source = revised(TREE.sums() & TOTAL, neighbours="replace-one")
    for kind in (source, source.update(BOTH & TOTAL)):
        found = kind.release(TABLE, hf.system_chance())
        assert found.value[0] == found.lower[0] == found.upper[0] == 11


DRAWS, CONFIDENCE, ALARM = 4000, 0.9, 1e-9
# Hoeffding: a share of misses this much above 1 - confidence has chance at most 1e-9
SLACK = float(np.sqrt(np.log(6 / ALARM) / 2 / DRAWS))  # six nodes: 0.053 is the smallest fault


def misses(interval) -> np.ndarray:
    """Return the share of draws in which each node's interval misses the true count."""
    street = revised(law=hf.DiscreteLaplace.with_scale(3)).update(BOTH)
    half = street.source.interval(str(CONFIDENCE))
    noisy = street.source.draws(TABLE, DRAWS, hf.seeded(5))
    missed = np.zeros(TREE.size)
    for row in noisy:
        lower, upper = interval(BOTH, row, half, street.apply(row))
        missed += (lower > TABLE) | (upper < TABLE)
    return missed / DRAWS


def test_intervals_cover():
    """Populated cells, a count of 0, and totals; false alarm 1e-9."""
    assert (misses(around) <= 1 - CONFIDENCE + SLACK).all()


def _around_the_value(invariant, noisy, half, value):
    return np.maximum(value - half // 2, 0), value + half // 2


def _never_up_to_0(invariant, noisy, half, value):
    return np.maximum(noisy - half, 1), noisy + half


@pytest.mark.parametrize("sabotage", [_around_the_value, _never_up_to_0])
def test_the_coverage_test_barks(sabotage):
    assert (misses(sabotage) > 1 - CONFIDENCE + SLACK).any()


def test_the_interval_holds_what_that_before_held():
    """Every noisy value, half-width and moved value in a small range."""
    one = hf.Hierarchy.from_paths([("a",)])
    rules = one.sums() & hf.nonnegative()
    for z in range(-6, 7):
        for h in range(5):
            for w in range(5):
                lower, upper = around(rules, *(np.array([n, n]) for n in (z, h, w)))
                held = [x for x in range(7) if z - h <= x <= z + h]
                assert all(lower[0] <= x <= upper[0] for x in held)
                assert lower[0] <= w <= upper[0]


@pytest.mark.parametrize("chance", [hf.seeded(1), hf.tape([1]), 3])
def test_only_system_chance_releases(chance):
    with pytest.raises(BadChance, match=r"release|chance"):
        revised().release(TABLE, chance)


def test_without_a_certificate_nothing_is_released(monkeypatch):
    drawn = []
    monkeypatch.setattr(room, "check_release", drawn.append)
    for source in (revised(law=REAL), revised(law=REAL).update(BOTH)):
        with pytest.raises(BadCertificate, match="floats"):
            source.release(TABLE, hf.system_chance())
    assert drawn == []


def test_intervals_that_depend_on_the_table_are_refused():
    with pytest.raises(hf.HoldfastError, match="inequalities"):
        revised(BOTH).release(TABLE, hf.system_chance())
