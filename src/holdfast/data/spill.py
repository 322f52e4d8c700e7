"""A private folder for what an engine cannot hold in memory; the keeper of its life.

A folder is locked while its process lives. One that a killed process left behind has no lock any
more and is removed by the next.

Claim.      Only its owner can enter the folder, and none outlives the next count.
Reason.     docs/theory/counting.md#temporary-files
Checked by. tests/data/test_spill.py
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from holdfast.foundation.errors import Fault, NotCounted

PREFIX: Final = "holdfast-spill-"
UNNAMED: Final = "holdfast-new-"
FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def spill_folder() -> Iterator[Path]:
    """Yield a new folder of mode 0700 and remove it at the end."""
    folder, lock = _made()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _made() -> tuple[Path, int]:
    """Return a new folder and its lock; it gets its name once it is locked."""
    try:
        _remove_left_behind()
        unnamed = Path(tempfile.mkdtemp(prefix=UNNAMED))
        folder = unnamed.with_name(unnamed.name.replace(UNNAMED, PREFIX, 1))
        lock = os.open(unnamed, FOLDER)
        fcntl.flock(lock, fcntl.LOCK_EX)
        unnamed.rename(folder)  # before it has a lock, another process must not find it
        return folder, lock
    except OSError:
        asked, found = "room for a private temporary folder", "none"
        fault = Fault("temporary files", asked, found, "Set TMPDIR to a folder on a disk.")
    raise NotCounted(fault)


def _remove_left_behind() -> None:
    """Remove our own folders that no living process has locked."""
    place = Path(tempfile.gettempdir())
    for name in os.listdir(place):
        if name.startswith(PREFIX):
            with suppress(OSError):
                _remove_unlocked(place / name)


def _remove_unlocked(folder: Path) -> None:
    """Remove a folder of this user's unless someone holds its lock."""
    number = os.open(folder, FOLDER)
    try:
        if os.fstat(number).st_uid == os.geteuid():
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(number)
