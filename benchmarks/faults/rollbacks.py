"""Old copies, lost files and forks."""

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

from benchmarks.faults.site import Site, ended, forked
from benchmarks.faults.tally import Tally
from holdfast.foundation.errors import HoldfastError


def _refused(site: Site) -> bool:
    try:
        site.open().spend("further", epsilon=1)
    except HoldfastError:
        return True
    return False


def _old_copy(site: Site) -> None:
    """Bring back the file as it was before the last two debits."""
    ledger = site.create(epsilon=10)
    ledger.spend("first", epsilon=1)
    kept = Path(site.place).read_bytes()
    ledger.spend("second", epsilon=1)
    site.release(ledger, "third")
    Path(site.place).write_bytes(kept)


def _without_log(site: Site) -> None:
    """Copy the main file alone while SQLite's log holds the last debits."""
    ledger = site.create(epsilon=10)
    reader = sqlite3.connect(site.place)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM events").fetchall()
    ledger.spend("first", epsilon=1)
    kept = Path(site.place).read_bytes()
    reader.close()
    for end in ("-wal", "-shm"):
        Path(f"{site.place}{end}").unlink(missing_ok=True)
    Path(site.place).write_bytes(kept)


def _without_witness(site: Site) -> None:
    site.create(epsilon=10).spend("first", epsilon=1)
    site.witness.unlink()


def _with_empty_witness(site: Site) -> None:
    site.create(epsilon=10).spend("first", epsilon=1)
    site.witness.write_bytes(b"")


def _without_key(site: Site) -> None:
    site.create(epsilon=10).spend("first", epsilon=1)
    site.key.unlink()


def _with_another_key(site: Site) -> None:
    other = Site(site.folder / "other")
    other.create(epsilon=10)
    site.create(epsilon=10).spend("first", epsilon=1)
    shutil.copy(other.key, site.key)


def _with_another_witness(site: Site) -> None:
    other = Site(site.folder / "other")
    other.create(epsilon=10)
    site.create(epsilon=10).spend("first", epsilon=1)
    shutil.copy(other.witness, site.witness)


def _another_ledger(site: Site) -> None:
    other = Site(site.folder / "other")
    other.create(epsilon=99)
    site.create(epsilon=10).spend("first", epsilon=1)
    shutil.copy(other.place, site.place)


def _a_link(site: Site) -> None:
    site.create(epsilon=10)
    Path(site.place).rename(site.folder / "elsewhere.sqlite")
    Path(site.place).symlink_to(site.folder / "elsewhere.sqlite")


def _branched(site: Site) -> None:
    """Go on from an old copy with an old witness, then bring the true witness back."""
    ledger = site.create(epsilon=10)
    kept, seen = Path(site.place).read_bytes(), site.witness.read_bytes()
    ledger.spend("first", epsilon=1)
    true = site.witness.read_bytes()
    Path(site.place).write_bytes(kept)
    site.witness.write_bytes(seen)
    branch = site.open()
    branch.spend("other", epsilon=1)
    branch.spend("more", epsilon=1)
    site.witness.write_bytes(true)


ATTACKS: dict[str, Callable[[Site], None]] = {
    "old copy brought back": _old_copy,
    "main file copied without its log": _without_log,
    "witness lost": _without_witness,
    "witness emptied": _with_empty_witness,
    "key lost": _without_key,
    "another ledger's key": _with_another_key,
    "another ledger's witness": _with_another_witness,
    "another ledger's file": _another_ledger,
    "a link in place of the file": _a_link,
    "two branches of one ledger": _branched,
}


def rolled_back(folder: Path) -> Tally:
    """Bring back or take away files: each time the ledger is refused."""
    tally = Tally("old copies, lost and foreign files")
    for number, (name, attack) in enumerate(ATTACKS.items()):
        site = Site(folder / str(number))
        attack(site)
        tally.count([] if _refused(site) else [f"{name}: accepted"], "refused")
    return tally


def after_a_fork(site: Site, children: int) -> Tally:
    """Use one opened ledger in a parent and its children at once: every debit is there."""
    tally = Tally(f"{children} forks of one opened ledger")
    ledger = site.create(epsilon=1000)
    ledger.spend("before", epsilon=1)

    def work(child: int) -> None:
        for number in range(5):
            ledger.spend(f"{child}-{number}", epsilon=1)

    numbers = [forked(lambda child=child: work(child)) for child in range(children)]  # type: ignore[misc]
    work(children)
    for number in numbers:
        tally.count([] if ended(number) == 0 else ["a child failed"])
    tally.count(site.faults(spent=1 + 5 * (children + 1)), "all debits kept")
    return tally
