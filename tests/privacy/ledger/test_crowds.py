"""Many processes at one ledger: what is granted is the budget exactly."""

from benchmarks.faults import crowds


def test_a_budget_is_held_against_a_crowd(site):
    assert crowds.budget_held(site, 8, 20, 60).failures == []


def test_the_same_names_are_drawn_once(site):
    assert crowds.same_names(site, 6, 8).failures == []
