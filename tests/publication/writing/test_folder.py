"""A folder holds all files of a release or none, and nothing else is touched.

If this failed, a reader could find half a release, or lose a file of their own.
"""

import os
from pathlib import Path

import pytest

from holdfast.foundation.errors import BadPlan
from holdfast.publication.writing import folder as room
from holdfast.publication.writing.folder import check_room, write

FILES = {"table.csv": b"1", "record.json": b"{}"}
NAMES = frozenset(FILES)


def content(folder: Path) -> dict[str, bytes]:
    return {entry.name: entry.read_bytes() for entry in folder.iterdir()}


def test_files_are_written_and_written_again(tmp_path):
    out = tmp_path / "out"
    check_room(out, NAMES)
    write(out, FILES)
    assert content(out) == FILES
    stamp = (out / "table.csv").stat().st_ino
    write(out, FILES)
    assert (out / "table.csv").stat().st_ino == stamp  # the same files are left alone
    check_room(out, NAMES)
    write(out, {**FILES, "table.csv": b"2"})
    assert content(out)["table.csv"] == b"2"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_a_failure_leaves_nothing(tmp_path, monkeypatch):
    out = tmp_path / "out"
    honest = room._write_file
    written = []

    def fails_at_the_second(path, data):
        if written:
            raise OSError("disk full")
        written.append(path)
        honest(path, data)

    monkeypatch.setattr(room, "_write_file", fails_at_the_second)
    with pytest.raises(OSError, match="disk full"):
        write(out, FILES)
    assert list(tmp_path.iterdir()) == []


def test_what_stood_there_is_whole_until_the_new_one_is(tmp_path, monkeypatch):
    """A rename that fails leaves the release before it, and nothing beside."""
    out = tmp_path / "out"
    write(out, FILES)
    honest = Path.rename

    def fails_for_the_new(self, target):
        if Path(target) == out and not self.name.endswith("-old"):
            raise OSError("no room")
        return honest(self, target)

    monkeypatch.setattr(Path, "rename", fails_for_the_new)
    with pytest.raises(OSError, match="no room"):
        write(out, {**FILES, "table.csv": b"2"})
    assert content(out) == FILES
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def others(tmp_path):
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine.txt").write_text("mine")
    file = tmp_path / "file"
    file.write_text("x")
    link = tmp_path / "link"
    link.symlink_to(full)
    return [full, file, link, tmp_path / "no" / "where"]


def test_what_is_not_ours_is_refused_and_untouched(tmp_path):
    for place in others(tmp_path):
        with pytest.raises(BadPlan, match="--out"):
            check_room(place, NAMES)
    assert (tmp_path / "full" / "mine.txt").read_text() == "mine"


def test_an_empty_folder_will_do(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    check_room(out, NAMES)
    write(out, FILES)
    assert content(out) == FILES
    assert oct(os.stat(out).st_mode & 0o777) == "0o755"
