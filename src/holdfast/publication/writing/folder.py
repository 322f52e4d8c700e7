"""The folder that a release is written to: all of its files, or none.

Files are written to a folder beside it, synced, and moved into place by one rename. A folder that
holds something else is never touched.

Claim.      At any moment the folder holds no file of the release, or all of them.
Reason.     docs/theory/plans.md#the-order-of-a-publication
Checked by. tests/publication/writing/test_folder.py
"""

import os
import shutil
import tempfile
from pathlib import Path

from holdfast.foundation.errors import BadPlan, Fault, shown
from holdfast.publication.writing.bundle import Files

MODE = 0o755


def check_room(folder: Path, names: frozenset[str]) -> None:
    """Refuse a folder that cannot be written, or that holds other files than a release's."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise _refused(folder, "a link or a file")
    if folder.is_dir() and not {entry.name for entry in folder.iterdir()} <= names:
        raise _refused(folder, "other files there")
    above = folder.absolute().parent
    if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
        raise _refused(folder, "no folder above it that can be written")


def write(folder: Path, files: Files) -> None:
    """Put the files into the folder, all at once; the same files once more change nothing."""
    if _holds(folder, files):
        return
    above = folder.absolute().parent
    fresh = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=above))
    old = fresh.with_name(f"{fresh.name}-old")
    try:
        for name, content in files.items():
            _write_file(fresh / name, content)
        fresh.chmod(MODE)
        _sync(fresh)
        if folder.is_dir():
            folder.rename(old)  # whole: no reader finds half of it
        fresh.rename(folder)
        _sync(above)
    finally:
        if old.is_dir() and not folder.exists():
            old.rename(folder)  # the new one did not get there
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def _holds(folder: Path, files: Files) -> bool:
    """Return whether the folder holds just these files."""
    if not folder.is_dir() or {entry.name for entry in folder.iterdir()} != set(files):
        return False
    return all((folder / name).read_bytes() == content for name, content in files.items())


def _write_file(path: Path, content: bytes) -> None:
    with path.open("xb") as target:
        target.write(content)
        target.flush()
        os.fsync(target.fileno())


def _sync(folder: Path) -> None:
    """Wait until the folder's entries are on disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _refused(folder: Path, found: str) -> BadPlan:
    asked, remedy = "a new folder, or that of this release", "Name another folder."
    return BadPlan(Fault(f"--out {shown(str(folder))}", asked, found, remedy))
