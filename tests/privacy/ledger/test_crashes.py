"""kill -9 at each step and at moments spread over a release: nothing forgotten or drawn twice."""

import pytest
from benchmarks.faults import kills, rollbacks
from benchmarks.faults.site import Site


@pytest.fixture(params=["sqlite", "postgres"])
def site(request, in_memory):
    """Return a site of each kind whose files are in memory: a kill takes nothing from there."""
    if request.param == "sqlite":
        return Site(in_memory)
    return request.getfixturevalue("site_on")(in_memory)


def test_a_release_killed_at_each_step_is_right(site):
    tally = kills.at_each_step(site, 1)
    assert tally.failures == []
    assert tally.ends["burnt"] > 5
    assert tally.ends["same bytes"] > 5
    assert tally.ends["no debit yet"] > 5


def test_a_release_killed_at_any_moment_is_right(site):
    moments = 10 if site.address else 60
    assert kills.at_any_moment(site, moments).failures == []


def test_a_ledger_opened_before_a_fork_is_used_after_it(site):
    assert rollbacks.after_a_fork(site, 4).failures == []
