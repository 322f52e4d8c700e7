"""The command line: what it answers, what it prints, and what it never shows.

If this failed, a script would take a failure for success, or a log would hold a row.
"""

import contextlib
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import holdfast as hf
from holdfast.cli import commands
from holdfast.cli.main import main
from tests.publication.places import ROWS, furnished
from tests.publication.samples import PLAN, changed


@pytest.fixture
def home(tmp_path):
    furnished(tmp_path / "home")
    return tmp_path / "home"


def run(capsys, *words) -> tuple[int, str, str]:
    """Return the exit code, and what was printed."""
    try:
        code = main([str(word) for word in words])
    except SystemExit as stopped:
        code = int(stopped.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


def test_publish_verify_and_the_ledger(home, tmp_path, capsys):
    code, out, err = run(capsys, "publish", home / "plan.toml", "--out", tmp_path / "out")
    assert (code, err) == (0, "")
    assert "each row is protected, epsilon 1" in out
    code, out, _ = run(capsys, "verify", tmp_path / "out")
    assert code == 0
    assert "All holds." in out
    code, out, _ = run(capsys, "verify", tmp_path / "out", "--json")
    assert json.loads(out)["holds"] is True
    code, out, _ = run(capsys, "ledger", "show", home / "budget.sqlite")
    assert "trips-2022-02" in out
    code, out, _ = run(capsys, "ledger", "show", home / "budget.sqlite", "--json")
    assert json.loads(out)["entries"][0]["name"] == "trips-2022-02"


def test_a_changed_table_answers_1(home, tmp_path, capsys):
    run(capsys, "publish", home / "plan.toml", "--out", tmp_path / "out")
    path = tmp_path / "out" / "table.csv"
    path.write_bytes(path.read_bytes().replace(b",0\r\n", b",1\r\n", 1))
    code, out, _ = run(capsys, "verify", tmp_path / "out")
    assert code == 1
    assert "WRONG" in out
    code, out, _ = run(capsys, "verify", tmp_path / "out", "--json")
    assert code == 1
    assert json.loads(out)["holds"] is False


WRONG_PLANS = {
    "no such plan": None,
    "a fault": ('epsilon = "1"', "epsilon = 0.1"),
    "no source": ('"trips.csv"', '"none.csv"'),
    "no domain": ('"zones.csv"', '"none.csv"'),
    "no ledger": ('"budget.sqlite"', '"none.sqlite"'),
    "no column": ('["Borough", "Zone"]', '["Borough", "Zoen"]'),
    "withheld": ('epsilon = "1"', 'epsilon = "1"\nsplit = { root = "1" }'),
}


@pytest.mark.parametrize("case", WRONG_PLANS)
def test_a_wrong_plan_answers_2(home, tmp_path, capsys, case):
    if WRONG_PLANS[case] is None:
        (home / "plan.toml").unlink()
    else:
        furnished(home, changed(PLAN, WRONG_PLANS[case]))
    code, out, err = run(capsys, "publish", home / "plan.toml", "--out", tmp_path / "out")
    assert (code, out) == (2, "")
    assert err.startswith("holdfast: ")
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "words", [["publish"], ["unknown"], ["publish", "p.toml"], ["--what"], ["ledger"], []]
)
def test_wrong_words_answer_2(capsys, words):
    assert run(capsys, *words)[0] == 2


def test_over_budget_answers_3(home, tmp_path, capsys):
    furnished(home, changed(PLAN, ('epsilon = "1"', 'epsilon = "11"')))
    code, _, err = run(capsys, "publish", home / "plan.toml", "--out", tmp_path / "out")
    assert code == 3
    assert "left" in err


def test_the_same_name_with_another_plan_answers_2(home, tmp_path, capsys):
    run(capsys, "publish", home / "plan.toml", "--out", tmp_path / "one")
    furnished(home, changed(PLAN, ('epsilon = "1"', 'epsilon = "2"')))
    assert run(capsys, "publish", home / "plan.toml", "--out", tmp_path / "two")[0] == 2


def test_a_ledger_that_cannot_be_trusted_answers_4(home, tmp_path, capsys):
    (home / "budget.sqlite.witness").unlink()
    code, _, err = run(capsys, "publish", home / "plan.toml", "--out", tmp_path / "out")
    assert code == 4
    assert "witness" in err


def test_a_fact_that_the_data_contradict_answers_4(home, tmp_path, capsys):
    text = changed(
        PLAN,
        ('"add-remove"', '"replace-one"'),
        ("nonnegative = true\n", "nonnegative = true\ntotal = 61\n"),
    )
    furnished(home, text)
    code, _, err = run(capsys, "publish", home / "plan.toml", "--out", tmp_path / "out")
    assert code == 4
    assert "60" not in err.replace("61", "")


def test_what_no_room_foresaw_is_told_by_its_kind_alone(home, tmp_path, capsys, monkeypatch):
    def breaks(*words, **more):
        raise RuntimeError("canary-4711")

    monkeypatch.setattr(commands, "publish_plan", breaks)
    code, out, err = run(capsys, "publish", home / "plan.toml", "--out", tmp_path / "out")
    assert code == 4
    assert "RuntimeError" in err
    assert "canary" not in out + err


def test_ledger_words(tmp_path, capsys):
    place = tmp_path / "b.sqlite"
    code, out, _ = run(capsys, "ledger", "create", place, "--rho", "1", "--unit", "person")
    assert code == 0
    assert "rho 1," in out
    assert run(capsys, "ledger", "create", place, "--epsilon", "1")[0] in (2, 4)
    assert run(capsys, "ledger", "create", tmp_path / "c", "--epsilon", "1e9")[0] == 2
    assert run(capsys, "ledger", "create", tmp_path / "c")[0] == 2
    code, out, _ = run(capsys, "ledger", "backup", place, tmp_path / "copy")
    assert code == 0
    code, out, _ = run(capsys, "ledger", "move", place, tmp_path / "moved.sqlite")
    assert code == 0
    assert run(capsys, "ledger", "show", tmp_path / "moved.sqlite")[0] == 0


def test_a_rehearsal(home, tmp_path, capsys):
    (home / "trips.csv").unlink()
    words = ("publish", home / "plan.toml", "--out", tmp_path / "out", "--rehearse")
    code, out, _ = run(capsys, *words)
    assert code == 0
    assert "REHEARSAL" in out
    assert "epsilon 0," in str(hf.Ledger(home / "budget.sqlite").spent)


def shell(*words, folder: Path) -> subprocess.CompletedProcess:
    command = Path(sys.executable).with_name("holdfast")
    return subprocess.run(
        [str(command), *words], capture_output=True, text=True, check=False, cwd=folder, timeout=120
    )


def test_the_command_as_installed(tmp_path):
    done = shell("--help", folder=tmp_path)
    assert done.returncode == 0
    for word in ("demo", "preview", "publish", "verify", "ledger", "exit codes"):
        assert word in done.stdout
    assert shell("--version", folder=tmp_path).stdout == f"holdfast {hf.__version__}\n"


def test_files_beside_the_data_are_not_taken_for_code(home):
    """A file `csv.py` or `numpy.py` in the working folder must not run."""
    for name in ("csv.py", "numpy.py", "enum.py", "holdfast.py"):
        (home / name).write_text("raise SystemExit('it ran')")
    done = shell("publish", "plan.toml", "--out", "out", folder=home)
    assert (done.returncode, done.stderr) == (0, "")


CANARY = "canary4711"


def with_markers(home: Path) -> None:
    """Put a marker into every private cell that the plan does not name as public."""
    lines = [f"{b},{z},{CANARY}{i}" for i, ((b, z), n) in enumerate(ROWS.items()) for _ in range(n)]
    strange = [f"{CANARY},{CANARY},x", f'"{CANARY}', f"A,{CANARY}", f"{CANARY}" * 50, ",,,,,"]
    text = "\n".join(["Borough,Zone,note", *lines, *strange, ""])
    (home / "trips.csv").write_text(text)


def trace(home: Path) -> list[str]:
    """Return every file below a folder that holds the marker, but for the data themselves."""
    found = []
    for path in home.rglob("*"):
        if path.is_file() and path.name != "trips.csv" and CANARY.encode() in path.read_bytes():
            found.append(path.name)
    return found


BREAKS = [
    ('"trips.csv"', '"none.csv"'),
    ('["Borough", "Zone"]', '["Borough", "note"]'),
    ('levels = ["Borough", "Zone"]', 'levels = ["Borough", "Zone"]\ncount = "note"'),
    ('levels = ["Borough", "Zone"]', 'levels = ["Borough", "Zone"]\ncount = "nothing"'),
    ('levels = ["Borough", "Zone"]', 'levels = ["Borough", "Zone"]\nlabel = "note"'),
    ('levels = ["Borough", "Zone"]', 'levels = ["Borough", "Zone"]\nkey = { note = "Zone" }'),
    ('epsilon = "1"', 'epsilon = "1"\nunit = { column = "note", rows = 2 }'),
    ('epsilon = "1"', 'epsilon = "1"\nunit = { column = "nobody", rows = 2 }'),
    ('epsilon = "1"', 'epsilon = "900"'),
    ('"add-remove"', '"replace-one"'),
    ("nonnegative = true", "nonnegative = true\ntotal = 5"),
    ("sums = true", "sums = true"),
]


@pytest.mark.parametrize("pair", BREAKS, ids=lambda pair: pair[1][-30:])
def test_no_marker_of_a_row_leaves(home, tmp_path, capsys, monkeypatch, pair):
    """Provoked errors and good runs: what is printed, every file written, temporary files."""
    spill = tmp_path / "spill"
    spill.mkdir()
    monkeypatch.setenv("TMPDIR", str(spill))
    with_markers(home)
    text = changed(PLAN, pair) if pair[0] != pair[1] else PLAN
    (home / "plan.toml").write_text(text)
    _, out, err = run(capsys, "publish", home / "plan.toml", "--out", home / "out")
    assert CANARY not in out + err
    assert trace(home) == []
    assert trace(spill) == []


def test_the_marker_test_barks(home):
    """A report that shows a row is seen."""
    with_markers(home)
    (home / "log.txt").write_text((home / "trips.csv").read_text())
    assert trace(home) == ["log.txt"]


PAIRS, CHUNKS = 200, 4
STRANGE = ["A,a", "Z,z", "", '"', "A,b,c,d", "NULL,NULL", "\x00", "é,ü", "=1,+1", "a" * 5000]


def answer(home: Path, rows, name: str, capsys) -> tuple[int, str, tuple[str, ...]]:
    """Return exit code, standard error, and the files left, for rows given in order."""
    (home / "trips.csv").write_text("\n".join(["Borough,Zone", *rows, ""]))
    (home / "plan.toml").write_text(changed(PLAN, ("trips-2022-02", name)))
    code, _, err = run(capsys, "publish", home / "plan.toml", "--out", home / "out")
    files = tuple(sorted(str(p.relative_to(home)) for p in home.rglob("*") if p.is_file()))
    return code, err, files


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_neighbouring_data_answer_alike(tmp_path, capsys, chunk):
    """One row more or less, of any kind, 200 pairs: the same exit code, errors and files."""
    home = tmp_path / "home"
    furnished(home, epsilon="1000")
    answers = set()
    for number in range(chunk, PAIRS, CHUNKS):
        rows = ["A,a"] * (number % 4) + ["C,d"] * (number % 3)
        more = [*rows, STRANGE[number % len(STRANGE)]]
        answers |= {answer(home, each, f"{number}-{len(each)}", capsys) for each in (rows, more)}
    first, *others = answers
    assert others == [], [*zip(first, others[0], strict=True)]
    assert {code for code, _, _ in answers} == {0}


def test_the_environment_names_no_secret():
    """Keys come by file, never by an argument that `ps` shows, nor by a variable."""
    source = Path(commands.__file__).with_name("main.py").read_text()
    assert "password" not in source
    assert "environ" not in source
    assert os.environ is not None


COMMAND = [str(Path(sys.executable).with_name("holdfast")), "publish", "plan.toml", "--out", "out"]
PRIVATE = ("holdfast-spill-", "holdfast-new-")  # folders of mode 0700 that the next count removes


def outside(folder: Path) -> list[str]:
    """Return files with the marker that lie in no private folder."""
    return [
        str(path)
        for path in folder.rglob("*")
        if path.is_file()
        and path.name != "trips.csv"
        and not any(part.startswith(PRIVATE) for part in path.relative_to(folder).parts)
        and CANARY.encode() in path.read_bytes()
    ]


@pytest.mark.parametrize("milliseconds", [60, 120, 180, 240, 300, 400, 500, 650])
def test_a_killed_run_leaves_no_marker_and_spends_nothing_twice(home, tmp_path, milliseconds):
    """kill -9 at moments spread over a run; then the same command again."""
    with_markers(home)
    spill = tmp_path / "spill"
    spill.mkdir()
    words = {**os.environ, "TMPDIR": str(spill)}
    started = subprocess.Popen(
        COMMAND, cwd=home, env=words, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with contextlib.suppress(subprocess.TimeoutExpired):
        started.wait(milliseconds / 1000)
    started.kill()
    out, err = started.communicate()
    assert CANARY.encode() not in out + err
    assert outside(home) == outside(spill) == []
    again = subprocess.run(COMMAND, cwd=home, env=words, capture_output=True, check=False)
    assert again.returncode in (0, 3)  # published, or the name was burnt
    assert str(hf.Ledger(home / "budget.sqlite").spent).startswith("epsilon 1,")
    assert (home / "out").exists() == (again.returncode == 0)


@pytest.mark.parametrize("kibibytes", [4, 16, 64, 120, 400])
def test_a_full_disk_leaves_no_marker_and_no_half_release(home, tmp_path, kibibytes):
    """Files can grow to so much and no farther; the folder is whole or absent."""
    with_markers(home)
    spill = tmp_path / "spill"
    spill.mkdir()
    most = kibibytes * 1024
    done = subprocess.run(
        COMMAND,
        cwd=home,
        env={**os.environ, "TMPDIR": str(spill)},
        capture_output=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
    )
    assert CANARY.encode() not in done.stdout + done.stderr
    assert b"Traceback" not in done.stderr
    assert outside(home) == outside(spill) == []
    assert (home / "out").exists() == (done.returncode == 0)
    if done.returncode == 0:
        assert all(finding.holds for finding in hf.verify(home / "out"))
