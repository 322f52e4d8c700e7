"""Full and read-only disks: refused clearly, nothing spent without a record, right afterwards."""

import os

import pytest
from benchmarks.faults import disks

from holdfast.foundation.errors import BadLedger
from holdfast.privacy.ledger.ledger import Ledger


def test_a_full_disk_is_refused_and_right_afterwards(in_memory):
    """A limit on the size of files stands for a disk: any user can set it."""
    tally = disks.limited_files(in_memory, [8, 40, 60, 100, 180])
    assert tally.failures == []
    assert set(tally.ends) == {"creation refused", "refused, then right"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_small_disks_are_refused_and_right_afterwards(tmp_path):
    if not disks.disks_can_be_mounted(tmp_path / "try"):
        pytest.skip("this machine lets nobody mount a disk; the limit on files is tried above")
    assert disks.full_disk(tmp_path, [60, 120]).failures == []
    assert disks.full_disk(tmp_path, [8], "witness").failures == []
    assert disks.read_only(tmp_path).failures == []


def test_where_the_witness_cannot_be_written_nothing_is_drawn(tmp_path, monkeypatch):
    ledger = Ledger.create(tmp_path / "budget.sqlite", epsilon=1)

    def full(number, content):
        raise OSError(28, "no room")

    with monkeypatch.context() as broken:
        broken.setattr("holdfast.privacy.ledger.private_files._write", full)
        with pytest.raises(BadLedger, match="ENOSPC"):
            ledger.spend("first", epsilon="0.5")
    assert ledger.spent.epsilon == 0.5
    ledger.verify()
