"""Files of the owner alone; never through a link."""

import fcntl
import os

import pytest

from holdfast.foundation.errors import BadLedger
from holdfast.privacy.ledger import private_files
from holdfast.privacy.ledger.ledger import Ledger


def test_a_file_is_made_once(tmp_path):
    private_files.make(tmp_path / "a", b"content")
    assert private_files.read(tmp_path / "a") == b"content"
    with pytest.raises(BadLedger, match="EEXIST"):
        private_files.make(tmp_path / "a")
    assert private_files.read(tmp_path / "a") == b"content"


@pytest.mark.parametrize("end", ["", ".key", ".witness"])
def test_a_link_is_never_followed(tmp_path, end):
    """A link where a file is to be made would have it written elsewhere."""
    target, link = tmp_path / "target", tmp_path / f"budget.sqlite{end}"
    link.symlink_to(target)
    with pytest.raises(BadLedger):
        Ledger.create(tmp_path / "budget.sqlite", epsilon=1)
    assert not target.exists()
    link.unlink()
    Ledger.create(tmp_path / "budget.sqlite", epsilon=1)
    link.rename(target)
    link.symlink_to(target)
    with pytest.raises(BadLedger):
        Ledger(tmp_path / "budget.sqlite")


@pytest.mark.parametrize("end", ["-wal", "-shm", "-journal"])
def test_a_link_beside_the_file_is_never_followed(tmp_path, end):
    Ledger.create(tmp_path / "budget.sqlite", epsilon=1)
    (tmp_path / f"budget.sqlite{end}").symlink_to(tmp_path / "target")
    with pytest.raises(BadLedger):
        Ledger(tmp_path / "budget.sqlite")
    assert not (tmp_path / "target").exists()


@pytest.mark.parametrize("end", ["", ".key", ".witness"])
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_regular_file_is_refused_at_once(tmp_path, end, make):
    """A pipe without a writer would have a reader wait for ever."""
    Ledger.create(tmp_path / "budget.sqlite", epsilon=1)
    path = tmp_path / f"budget.sqlite{end}"
    path.unlink()
    make(path)
    with pytest.raises(BadLedger):
        Ledger(tmp_path / "budget.sqlite")


def test_a_key_that_others_can_read_is_refused(tmp_path):
    Ledger.create(tmp_path / "budget.sqlite", epsilon=1)
    (tmp_path / "budget.sqlite.key").chmod(0o640)
    with pytest.raises(BadLedger, match="640"):
        Ledger(tmp_path / "budget.sqlite")


@pytest.mark.parametrize("place", ["a\0b", "x" * 300, "nowhere/budget.sqlite"], ids=len)
def test_an_impossible_path_is_refused(tmp_path, place):
    with pytest.raises(BadLedger):
        Ledger.create(f"{tmp_path}/{place}", epsilon=1)
    with pytest.raises(BadLedger):
        Ledger(f"{tmp_path}/{place}")


@pytest.mark.parametrize(
    "content", [b"", b"SQLite format 3\0", b"name,n\nSSN 078-05-1120,4\n" * 99]
)
def test_a_foreign_file_is_refused_without_a_word_of_it(tmp_path, content):
    Ledger.create(tmp_path / "budget.sqlite", epsilon=1)
    (tmp_path / "budget.sqlite").write_bytes(content)
    with pytest.raises(BadLedger) as caught:
        Ledger(tmp_path / "budget.sqlite")
    assert "078" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_half_a_write_is_written_on(tmp_path, monkeypatch):
    """The system may take a part; a cut file must not be taken for a whole one."""
    kept = os.write
    monkeypatch.setattr(os, "write", lambda number, content: kept(number, content[:3]))
    private_files.make(tmp_path / "a", b"0123456789")
    assert (tmp_path / "a").read_bytes() == b"0123456789"


def test_a_fork_does_not_keep_the_lock(tmp_path):
    """A child that lives on holds a copy of the file; other writers would wait for it for ever."""
    private_files.make(tmp_path / "a")
    read, write = os.pipe()
    with private_files.held(tmp_path / "a"):
        child = os.fork()
        if not child:
            os.close(write)
            os.read(read, 1)  # until the parent closes its end
            os._exit(0)
    with (tmp_path / "a").open() as other:
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(write)
    os.waitpid(child, 0)
    os.close(read)


def test_a_file_that_cannot_be_filled_is_not_left_behind(tmp_path, monkeypatch):
    def full(number, content):
        raise OSError(28, "no room")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(BadLedger, match="ENOSPC"):
        private_files.make(tmp_path / "a", b"content")
    assert list(tmp_path.iterdir()) == []


def test_a_system_that_takes_nothing_is_a_full_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "write", lambda number, content: 0)
    with pytest.raises(BadLedger, match="ENOSPC"):
        private_files.make(tmp_path / "a", b"content")
