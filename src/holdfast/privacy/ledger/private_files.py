"""Private files: made for the owner alone, never through a link, and forced to disk."""

import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from holdfast.foundation.errors import BadLedger, Fault

OWNER_ONLY: Final = 0o600
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
WRITE = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
MAKE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
CHUNK = 1 << 20


def fresh_key() -> bytes:
    """Return a new key as text, from the operating system."""
    return os.urandom(32).hex().encode() + b"\n"


@contextmanager
def refusing(path: Path) -> Iterator[None]:
    """Have an error of the operating system leave as one of ours, with its name alone."""
    try:
        yield
    except (OSError, ValueError) as error:  # ValueError: a path with a zero byte
        number = error.errno if isinstance(error, OSError) else errno.EINVAL
        found = errno.errorcode.get(number or 0, "an error of the operating system")
        raise BadLedger(
            Fault(
                f"file {path.name!r}",
                "a regular file of its own that can be read and written",
                found,
                "Look at the path, its permissions and the room on the disk.",
            )
        ) from None


def make(path: Path, content: bytes = b"") -> None:
    """Write a new file that only its owner can read, and force it and its folder to disk."""
    with refusing(path):
        number = os.open(path, MAKE, OWNER_ONLY)
        try:
            _write(number, content)
            os.fsync(number)
        except OSError:
            with suppress(OSError):
                os.unlink(path)
            raise
        finally:
            os.close(number)
        force_folder(path)


def force_folder(path: Path) -> None:
    """Force the folder of a file to disk, so that its name outlives a loss of power."""
    with refusing(path):
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def make_folder(path: Path) -> None:
    """Make a folder that only its owner can enter, where there is none yet."""
    with refusing(path), suppress(FileExistsError):
        os.mkdir(path, 0o700)


def remove(path: Path) -> None:
    """Remove a file that this call's own failure left behind."""
    with suppress(OSError):
        os.unlink(path)


def stands(path: Path) -> bool:
    """Return whether anything stands at the path, be it a link that leads nowhere."""
    with refusing(path):
        return os.path.lexists(path)


def check_regular(path: Path, *, may_be_missing: bool = False) -> None:
    """Refuse a link, a folder or a device."""
    with refusing(path):
        try:
            mode = os.lstat(path).st_mode
        except FileNotFoundError:
            if may_be_missing:
                return
            raise
        if not stat.S_ISREG(mode):
            raise OSError(errno.EMLINK if stat.S_ISLNK(mode) else errno.EISDIR, "")


def read(path: Path, *, secret: bool = False) -> bytes:
    """Return what a regular file holds; a secret one must be its owner's alone."""
    with refusing(path):
        number = os.open(path, READ)
        try:
            found = os.fstat(number)
            if not stat.S_ISREG(found.st_mode):
                raise OSError(errno.EISDIR, "")
            if secret and stat.S_IMODE(found.st_mode) & 0o077:
                raise BadLedger(
                    Fault(
                        f"file {path.name!r}",
                        "a file that only its owner can read",
                        f"permissions {stat.S_IMODE(found.st_mode):o}",
                        "Run chmod 600 on it.",
                    )
                )
            return _read(number, 0)
        finally:
            os.close(number)


class Held:
    """A file under a lock that other processes wait for; what is added to it is forced to disk."""

    def __init__(self, number: int, path: Path) -> None:
        self._number, self._path = number, path

    def read(self, start: int = 0) -> bytes:
        """Return what the file holds from here on."""
        with refusing(self._path):
            return _read(self._number, start)

    def append(self, line: bytes) -> None:
        """Add a line after the last whole one; what an earlier crash cut short is dropped."""
        with refusing(self._path):
            end = self._end_of_lines()
            os.ftruncate(self._number, end)
            try:
                os.lseek(self._number, end, os.SEEK_SET)
                _write(self._number, line)
                os.fsync(self._number)
            except OSError:
                with suppress(OSError):
                    os.ftruncate(self._number, end)
                raise

    def _end_of_lines(self) -> int:
        """Return where the last whole line ends."""
        size = os.fstat(self._number).st_size
        start = max(0, size - 4096)
        cut = _read(self._number, start).rfind(b"\n")
        return start + cut + 1 if cut >= 0 or not start else size


@contextmanager
def held(path: Path) -> Iterator[Held]:
    """Hold a file for one writer at a time; the lock ends with the process, however it ends."""
    with refusing(path):
        number = os.open(path, WRITE)
    try:
        with refusing(path):
            if not stat.S_ISREG(os.fstat(number).st_mode):
                raise OSError(errno.EISDIR, "")
            fcntl.flock(number, fcntl.LOCK_EX)
        try:
            yield Held(number, path)
        finally:  # closing is not enough where a fork has copied the number meanwhile
            fcntl.flock(number, fcntl.LOCK_UN)
    finally:
        os.close(number)


def _read(number: int, start: int) -> bytes:
    parts = []
    while part := os.pread(number, CHUNK, start):
        parts.append(part)
        start += len(part)
    return b"".join(parts)


def _write(number: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        written = os.write(number, rest)
        if not written:
            raise OSError(errno.ENOSPC, "")
        rest = rest[written:]
