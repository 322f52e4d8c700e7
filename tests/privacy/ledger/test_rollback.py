"""Old copies, lost witnesses, keys and logs, foreign files: all are refused."""

from benchmarks.faults import rollbacks
from benchmarks.faults.site import Site


def test_old_copies_and_lost_files_are_refused(tmp_path):
    assert rollbacks.rolled_back(tmp_path).failures == []


def test_a_witness_behind_by_a_crash_is_brought_up_to_date(site):
    """The crash stands between the commit and the witness's line."""
    ledger = site.create(epsilon=10)
    ledger.spend("first", epsilon=1)
    seen = site.witness.read_bytes()
    ledger.spend("second", epsilon=1)
    whole = site.witness.read_bytes()
    site.witness.write_bytes(seen)
    assert site.open().spent.epsilon == 2
    assert site.witness.read_bytes() == whole


def test_both_rolled_back_together_are_not_seen(tmp_path):
    """What no file of its own can show; the page says so. Keep the witness on another disk."""
    site = Site(tmp_path)
    ledger = site.create(epsilon=10)
    kept = {path: path.read_bytes() for path in (site.folder / "budget.sqlite", site.witness)}
    ledger.spend("first", epsilon=1)
    for path, content in kept.items():
        path.write_bytes(content)
    assert site.open().spent.epsilon == 0
