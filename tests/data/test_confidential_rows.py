"""What rows hold changes counts and nothing else: a marker in every cell is found nowhere."""

import gc
import logging
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from holdfast.data import duckdb_engine
from holdfast.data.counting import count, describe
from holdfast.data.declaration import Declaration, Person
from holdfast.data.domain import read_domain
from holdfast.foundation.errors import HoldfastError, NotCounted
from holdfast.foundation.randomness import seeded
from tests.data.places import ENGINES, Rows

CANARY = "cAnArY4711"
NUMBER = 471147114711
KINDS = {"leaf": "text", "n": "whole", "who": "text"}
HELD = Rows(
    KINDS, [(CANARY, NUMBER, CANARY + "p"), ("a", NUMBER + 1, CANARY), (CANARY, None, None)]
)


def shown_by(error):
    """Return all that an error shows, with cause, context and the locals of no frame."""
    texts = []
    while error is not None:
        texts += [repr(error), str(error), *map(repr, vars(error).values())]
        texts += traceback.format_exception(type(error), error, None)
        error = error.__cause__ or error.__context__
    return "\n".join(texts)


def marked(text):
    return CANARY in text or str(NUMBER)[:8] in text


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "d.csv").write_text("leaf\na\nb\n")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return tmp_path


DECLARED = {
    "plain": {},
    "outside": {"outside": "b"},
    "count": {"count": "n"},
    "text as count": {"count": "who"},
    "person": {"person": Person("who", 1)},
    "number as leaf": {"key": (("n", "leaf"),)},
    "all": {"count": "n", "person": Person("who", 2), "outside": "b"},
}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_count_shows_nothing(places, folder, capfd, caplog, engine):
    """Seven declarations on rows full of markers: no error, no output, no log, no file."""
    caplog.set_level(logging.DEBUG)
    source = places(engine).source(engine, HELD)
    before = sorted(folder.rglob("*"))
    for others in DECLARED.values():
        declaration = Declaration(source, ("leaf",), "d.csv", **others)
        describe(declaration, folder)
        found = count(declaration, read_domain(declaration, folder), folder, seeded(1))
        assert repr(found) == "<confidential table of counts, 2 leaves>"
    out, err = capfd.readouterr()
    assert not marked(out + err + caplog.text)
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize("engine", ENGINES)
def test_provoked_errors_show_nothing(places, folder, monkeypatch, capfd, engine):
    """Each engine is made to stumble on a row, and its own text never gets out."""
    from holdfast.data import question

    source = places(engine).source(engine, HELD)
    declaration = Declaration(source, ("leaf",), "d.csv", count="n", person=Person("who", 1))
    domain = read_domain(declaration, folder)
    name = "`leaf`" if engine == "spark" else '"leaf"'
    whole = "BIGINT" if engine != "spark" else "DECIMAL(1, 0)"
    for trap in (
        f"CAST({name} AS {whole})",
        f"CAST(concat({name}, 'x') AS DATE)",
        f"CAST(concat('{CANARY}', {name}) AS DOUBLE PRECISION)".replace(
            "DOUBLE PRECISION", "DOUBLE" if engine == "spark" else "DOUBLE PRECISION"
        ),
    ):
        monkeypatch.setattr(
            question, "_read", lambda *_, t=trap: f"SELECT {t} AS c0, 1 AS w, {t} AS p FROM held"
        )
        with pytest.raises(NotCounted) as caught:
            count(declaration, domain, folder, seeded(1))
        assert not marked(shown_by(caught.value))
        assert caught.value.__cause__ is None
        assert caught.value.__context__ is None
    assert not marked("".join(capfd.readouterr())) or engine == "spark"


def test_the_canary_is_seen_where_the_boundary_is_left_out(places, folder, monkeypatch):
    """The saboteur: an engine's own error does show the row."""
    from holdfast.data import question

    source = places("parquet").source("parquet", HELD)
    declaration = Declaration(source, ("leaf",), "d.csv")
    domain = read_domain(declaration, folder)
    monkeypatch.setattr(duckdb_engine, "asked", lambda act, error: act())
    monkeypatch.setattr(question, "_read", lambda *_: 'SELECT CAST("leaf" AS DATE) c0 FROM held')
    with pytest.raises(duckdb.Error) as caught:
        count(declaration, domain, folder, seeded(1))
    assert marked(shown_by(caught.value))


def damaged(folder):
    """Yield files that hold the marker and cannot be read whole."""
    rows = pa.table({"leaf": [CANARY] * 5000, "n": list(range(5000)), "who": [CANARY] * 5000})
    whole = folder / "whole.parquet"
    pq.write_table(rows, whole, compression="none", use_dictionary=False)
    content = whole.read_bytes()
    for place, start in enumerate((4, 40, 400, len(content) - 60)):
        path = folder / f"damaged{place}.parquet"
        path.write_bytes(content[:start] + b"\xff" * 24 + content[start + 24 :])
        yield path.name
    for name, part in {"cut": content[:-9], "no": b"", "pickle": b"\x80\x04" + content}.items():
        (folder / f"{name}.parquet").write_bytes(part)
        yield f"{name}.parquet"
    (folder / "wrong.duckdb").write_bytes(content)
    yield "wrong.duckdb"
    (folder / "first.csv").write_bytes(CANARY.encode() + b"\xff,\x00\n")
    yield "first.csv"
    text = pa.StringArray.from_buffers(
        1, pa.py_buffer(b"\0\0\0\0\x0c\0\0\0"), pa.py_buffer(CANARY.encode() + b"\xff\xfe")
    )
    pq.write_table(pa.table({"leaf": text}), folder / "text.parquet")
    yield "text.parquet"


def refusal(act):
    """Return the error of ours that an act ends in, if it does."""
    try:
        act()
    except HoldfastError as error:
        return error
    return None


def test_damaged_files_show_nothing(folder, capfd):
    refused = 0
    for name in damaged(folder):
        declaration = Declaration(name, ("leaf",), "d.csv")
        domain = read_domain(declaration, folder)
        for act in (
            lambda d=declaration: describe(d, folder),
            lambda d=declaration, o=domain: count(d, o, folder, seeded(1)),
        ):
            error = refusal(act)
            refused += error is not None
            assert not marked(shown_by(error))
            assert isinstance(error and error.__context__, HoldfastError | None)
    assert refused >= 12
    assert not marked("".join(capfd.readouterr()))
    assert list((folder / "temporary").iterdir()) == []


def test_a_small_file_of_a_great_many_rows_is_counted(folder):
    """A file of few bytes may stand for millions of rows; they are not expanded."""
    path = folder / "bomb.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT 'a' AS leaf FROM range(20000000)) TO '{path}'")
    assert path.stat().st_size < 200_000
    declaration = Declaration("bomb.parquet", ("leaf",), "d.csv")
    found = count(declaration, read_domain(declaration, folder), folder, seeded(1))
    assert found.open_inside_a_mechanism().tolist() == [20_000_000, 0]


WORLD = """
import sys
from pathlib import Path
from holdfast.data.counting import count, describe
from holdfast.data.declaration import Declaration, Person
from holdfast.data.domain import read_domain
from holdfast.foundation.randomness import system_chance
for name in sys.argv[2:]:
    declaration = Declaration(name, ("leaf",), "d.csv", count="n", person=Person("who", 2))
    folder = Path(sys.argv[1])
    describe(declaration, folder)
    print(repr(count(declaration, read_domain(declaration, folder), folder, system_chance())))
"""
BASE = ["a,1,ann", "b,2,bob", "a,1,"]
ADDED = [
    "a,1,eve",
    "a,-1,eve",
    "a,NaN,eve",
    "a,1e999,eve",
    "a,99999999999999999999999,eve",
    "nowhere,1,eve",
    ",,",
    '"a,1,eve',
    'a,1,"eve',
    "a,1",
    "a,1,eve,more",
    "a\x00,1,eve",
    "=cmd,1,eve",
    "a,1," + "e" * 100_000,
    f"{CANARY},{NUMBER},{CANARY}",
    "a,9223372036854775807,eve",
    "a,1,\x01",
    "a,0x10,eve",
    "ａ,１,eve",
    "a,1_000,eve",
]


def test_neighbouring_data_end_alike(folder):
    """Twenty pairs that differ in one row: the same exit, the same output, the same files."""
    names = ["base.csv"]
    (folder / "base.csv").write_text("leaf,n,who\n" + "\n".join(BASE) + "\n")
    for place, line in enumerate(ADDED):
        names.append(f"pair{place}.csv")
        (folder / names[-1]).write_text("leaf,n,who\n" + "\n".join([*BASE, line]) + "\n")
    before = sorted(folder.rglob("*"))
    line = [sys.executable, "-c", WORLD, str(folder), *names]
    done = subprocess.run(line, capture_output=True, text=True, check=False, cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == ["<confidential table of counts, 2 leaves>"] * 21
    assert sorted(folder.rglob("*")) == before


def test_importing_the_room_loads_no_engine():
    """Help and preview must not wait for an engine that they do not use."""
    code = (
        "import sys, holdfast, holdfast.data.counting, holdfast.data.domain; "
        "print([m for m in ('duckdb', 'psycopg', 'pyspark') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_no_object_keeps_the_rows(places, folder):
    """After a count nothing in the process holds a cell."""
    source = places("csv").source("csv", HELD)
    declaration = Declaration(source, ("leaf",), "d.csv")
    count(declaration, read_domain(declaration, folder), folder, seeded(1))
    gc.collect()
    module = sys.modules[__name__].__dict__
    texts = [o for o in gc.get_objects() if isinstance(o, list | tuple) and o is not HELD.rows]
    strange = [o for o in texts if any(isinstance(x, str) and x == CANARY + "p" for x in o)]
    assert all(o in HELD.rows or o is module for o in strange)


def test_files_of_the_room_are_where_the_plan_lies(folder):
    (folder / "deep").mkdir()
    (folder / "deep" / "rows.csv").write_text("leaf\na\n")
    declaration = Declaration("deep/rows.csv", ("leaf",), "d.csv")
    describe(declaration, folder)
    assert Path(folder / "deep").is_dir()
