"""A broken collector cannot pass: the number of collected tests has a floor."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FLOOR = 5300


def collected(*arguments: str) -> int:
    """Return how many tests pytest finds."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n", "0", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    counts = [line.rpartition(": ")[2] for line in done.stdout.splitlines() if ".py: " in line]
    return sum(map(int, counts))


def test_enough_tests_are_collected():
    assert collected() >= FLOOR


def test_a_collector_that_loses_a_room_is_caught():
    for room in ("worlds", "noise", "revision", "privacy", "mechanism"):
        assert collected(f"--ignore=tests/{room}") < FLOOR


def test_doctests_run(tmp_path):
    """A wrong example in a docstring fails."""
    (tmp_path / "wrong.py").write_text('"""\n>>> 1 + 1\n3\n"""\n')
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--doctest-modules", "-q", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 1
    assert collected("src") >= 8
