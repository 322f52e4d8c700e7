"""What an engine spills lies in a private folder that outlives neither count nor crash."""

import os
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from holdfast.data import duckdb_engine, spill
from holdfast.data.sources import ParquetFile
from holdfast.data.spill import PREFIX, spill_folder
from holdfast.foundation.errors import NotCounted
from tests.data.places import Places, Rows


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    """Keep temporary folders in one of the test's own."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


def test_the_folder_is_private_and_goes(temporary):
    with spill_folder() as folder:
        assert folder.parent == temporary
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        (folder / "part").write_text("spilt")
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("sabotaged", [False, True])
def test_another_process_cannot_remove_it_at_birth(temporary, monkeypatch, sabotaged):
    """Between its making and its lock a second count may sweep; the saboteur names it too soon."""
    make = tempfile.mkdtemp

    def made_while_another_sweeps(prefix):
        folder = make(prefix=PREFIX if sabotaged else prefix)
        spill._remove_left_behind()
        return folder

    monkeypatch.setattr(tempfile, "mkdtemp", made_while_another_sweeps)
    if sabotaged:
        with pytest.raises(NotCounted), spill_folder():
            pass
    else:
        with spill_folder() as folder:
            assert folder.is_dir()


def test_it_goes_after_an_error_too(temporary):
    with pytest.raises(KeyError), spill_folder():
        raise KeyError
    assert list(temporary.iterdir()) == []


def test_no_room_for_it_is_an_error_of_ours(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "mkdtemp", lambda prefix: str(tmp_path / "nowhere"))
    with pytest.raises(NotCounted, match="TMPDIR"), spill_folder():
        pass


def test_two_folders_live_side_by_side(temporary):
    """A second count must not remove what a first one still needs."""
    with spill_folder() as first, spill_folder() as second:
        assert first.is_dir()
        assert second.is_dir()


KILLED = """
import sys, tempfile
tempfile.tempdir = sys.argv[1]
from holdfast.data.spill import spill_folder
with spill_folder() as folder:
    (folder / "part").write_text("spilt")
    print("ready", flush=True)
    sys.stdin.read()
"""


def test_what_a_killed_process_left_is_removed_by_the_next(temporary):
    """kill -9 leaves spilt rows on the disk; the next count takes them away."""
    line = [sys.executable, "-c", KILLED, str(temporary)]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        with spill_folder():
            assert len(list(temporary.iterdir())) == 2  # a living one is left alone
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    assert [path.name.startswith(PREFIX) for path in temporary.iterdir()] == [True]
    with spill_folder() as folder:
        assert list(temporary.iterdir()) == [folder]


def test_a_link_in_its_place_is_left_alone(temporary, tmp_path):
    """A link of that name must not make us remove another folder."""
    kept = tmp_path / "kept"
    kept.mkdir()
    (temporary / f"{PREFIX}link").symlink_to(kept)
    with spill_folder():
        pass
    assert kept.is_dir()


def test_the_engine_spills_there_and_nowhere_else(tmp_path, temporary, monkeypatch):
    source = Places(tmp_path).source("parquet", Rows({"a": "text"}, [("x",)]))
    monkeypatch.chdir(tmp_path)
    with duckdb_engine.opened(ParquetFile(Path(tmp_path / source))) as table:
        ask = table._connection.execute
        (found,) = ask("SELECT current_setting('temp_directory')").fetchone()
        assert Path(found).parent == temporary
        (locked,) = ask("SELECT current_setting('lock_configuration')").fetchone()
        assert locked
        for statement in (
            "SET enable_external_access = true",
            "SET temp_directory = '/tmp/elsewhere'",
            f"COPY (SELECT 1) TO '{tmp_path}/out.csv'",
            f"ATTACH '{tmp_path}/other.duckdb'",
            "INSTALL httpfs",
            "LOAD httpfs",
            "SELECT * FROM read_text('/etc/passwd')",
            "SELECT * FROM '/etc/passwd'",
            "SELECT * FROM glob('/etc/*')",
        ):
            with pytest.raises(Exception, match=r"."):
                ask(statement).fetchall()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([source, "temporary"])
