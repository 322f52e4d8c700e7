"""Disks that are full or cannot be written."""

import errno
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.faults.site import Site, ended, forked
from benchmarks.faults.tally import Tally
from holdfast.foundation.errors import HoldfastError


def _mount(*words: str) -> None:
    done = subprocess.run(["mount", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise LookupError(f"cannot mount a tmpfs here: {done.stderr.strip()}")


@contextmanager
def small_disk(folder: Path, kibibytes: int) -> Iterator[None]:
    """Have a disk of this size at a folder; only root can."""
    folder.mkdir(parents=True, exist_ok=True)
    _mount("-t", "tmpfs", "-o", f"size={kibibytes}k", "tmpfs", str(folder))
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def disks_can_be_mounted(folder: Path) -> bool:
    try:
        with small_disk(folder, 64):
            return True
    except LookupError:
        return False


def _fill(site: Site) -> int:
    """Release until the disk refuses; return how many were answered."""
    ledger = site.open()
    for number in range(1000):
        try:
            site.release(ledger, f"release-{number}", size=3000)
        except (HoldfastError, OSError) as error:
            if isinstance(error, OSError) and error.errno not in (errno.ENOSPC, errno.EFBIG):
                raise
            return number
    raise RuntimeError("the disk did not fill")


def _after(site: Site, answered: int) -> list[str]:
    """Return what is wrong once there is room again."""
    ledger = site.open()
    ledger.verify()
    faults = list[str]()
    again = [site.answer(ledger, f"release-{number}") for number in range(answered + 1)]
    paid = int(ledger.spent.epsilon or 0)
    if any(answer is None for answer in again[:answered]) or paid != answered + 1:
        faults.append(f"{answered} answered, {paid} paid")
    for number, answer in enumerate(again):
        path = site.published / f"release-{number}"
        if (path.read_bytes() if path.exists() else None) != answer:
            faults.append("another file than answer")
        if len(site.draws(f"release-{number}")) > 1:
            faults.append("drawn twice")
    if site.answer(ledger, "one-more") is None:
        faults.append("no new release")
    return faults


def full_disk(folder: Path, sizes: list[int], which: str = "ledger") -> Tally:
    """Fill a tmpfs of each size under the ledger, or under its witness alone."""
    tally = Tally(f"disk of the {which} full, {len(sizes)} sizes")
    for size in sizes:
        disk, here = folder / f"{which}-{size}", folder / f"{which}-{size}-rest"
        here.mkdir(parents=True)
        with small_disk(disk, size):
            site = _Apart(here, disk=disk, which=which)
            try:
                site.create(epsilon=100_000)
            except HoldfastError:
                left = [
                    path for path in (site.place, site.key, site.witness) if Path(path).exists()
                ]
                tally.count(["left behind"] if left else [], "creation refused")
                continue
            answered = _fill(site)
            _mount("-o", f"remount,size={size + 4096}k", str(disk))
            tally.count(_after(site, answered), "refused, then right")
    return tally


class _Apart(Site):
    """A site whose ledger, or whose witness, is on a disk of its own."""

    def __init__(self, folder: Path, disk: Path, which: str) -> None:
        object.__setattr__(self, "folder", folder)
        object.__setattr__(self, "address", "")
        object.__setattr__(self, "disk", disk)
        object.__setattr__(self, "which", which)

    @property
    def place(self) -> Path:
        return (self.disk if self.which != "witness" else self.folder) / "budget.sqlite"  # type: ignore[attr-defined]

    @property
    def witness(self) -> Path:
        return (self.disk if self.which != "outputs" else self.folder) / "budget.witness"  # type: ignore[attr-defined]


def limited_files(folder: Path, limits: list[int]) -> Tally:
    """Have no file grow beyond each limit, in a child; then look at it without a limit."""
    tally = Tally(f"files limited to {len(limits)} sizes")
    for limit in limits:
        site = Site(folder / str(limit))
        site.folder.mkdir(parents=True)
        count = site.folder / "answered"
        count.write_text("")

        def fill(site: Site = site, limit: int = limit, count: Path = count) -> None:
            hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit * 1024, hard))
            try:
                site.create(epsilon=100_000)
            except HoldfastError:
                return
            count.write_text(str(_fill(site)))

        if ended(forked(fill)):
            tally.count(["the child failed by itself"])
        elif not (text := count.read_text()):
            left = list(site.folder.glob("budget*"))
            tally.count([f"left behind: {left}"] if left else [], "creation refused")
        else:
            tally.count(_after(site, int(text)), "refused, then right")
    return tally


def read_only(folder: Path) -> Tally:
    """Make the disk read-only: nothing is granted; writable again, all is as before."""
    tally = Tally("read-only disk")
    with small_disk(folder / "disk", 2048):
        site = Site(folder / "disk")
        ledger = site.create(epsilon=10)
        site.release(ledger, "first")
        _mount("-o", "remount,ro", str(site.folder))
        for name in ("first", "second"):
            try:
                site.release(ledger, name)
                tally.count(["granted"])
            except HoldfastError:
                tally.count([], "refused")
        _mount("-o", "remount,rw", str(site.folder))
        right = site.open().spent.epsilon == 1 and site.answer(site.open(), "second") is not None
        tally.count([] if right else ["not as before"], "as before")
    return tally
