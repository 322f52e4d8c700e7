"""Ledgers broken on purpose: the fault tests must catch each of them."""

import pytest
from benchmarks.faults.saboteurs import SABOTEURS, caught


@pytest.mark.parametrize("sabotage", SABOTEURS, ids=lambda sabotage: sabotage.__name__)
def test_a_broken_ledger_is_caught(in_memory, sabotage):
    assert caught(sabotage, in_memory).failures == []
