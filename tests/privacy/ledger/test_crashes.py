"""kill -9 at each step and at moments spread over a release: nothing forgotten or drawn twice."""

import pytest
from benchmarks.faults import crowds, kills, rollbacks
from benchmarks.faults.site import Site


@pytest.fixture(params=["sqlite", "postgres"])
def site(request, in_memory):
    """Return a site of each kind whose files are in memory: a kill takes nothing from there."""
    if request.param == "sqlite":
        return Site(in_memory)
    return request.getfixturevalue("site_on")(in_memory)


def test_a_release_killed_at_each_step_is_right(site):
    tally = kills.at_each_step(site, 1, stride=4 if site.address else 1)
    assert tally.failures == []
    assert all(tally.ends[end] > 1 for end in ("burnt", "same bytes", "no debit yet"))


def test_a_release_killed_at_any_moment_is_right(site):
    moments = 10 if site.address else 60
    assert kills.at_any_moment(site, moments).failures == []


def test_a_crowd_that_loses_its_members_is_right(site):
    size = 15 if site.address else 40
    assert crowds.killed_crowd(site, 6, size, size).failures == []


def test_a_ledger_opened_before_a_fork_is_used_after_it(site):
    assert rollbacks.after_a_fork(site, 4).failures == []
