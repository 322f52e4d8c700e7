"""One flipped bit anywhere: refused, or every sum and all bytes are right."""

import pytest
from benchmarks.faults import flips


@pytest.mark.parametrize("log", [False, True])
def test_a_flipped_bit_changes_no_sum_and_no_bytes(in_memory, log):
    tally = flips.flipped(in_memory, 120, log=log)
    assert tally.failures == []
    assert tally.ends["refused"] > 10
    assert tally.ends["bytes refused"] > 3
