"""Every engine gives the counts that the rules say, and tells what is public and wrong."""

import os
import random
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from holdfast.data import question
from holdfast.data.counting import count, describe
from holdfast.data.declaration import Declaration, Person
from holdfast.data.domain import read_domain
from holdfast.foundation.errors import BadDeclaration
from holdfast.foundation.randomness import seeded, tape
from tests.data.places import ENGINES, Rows, as_csv
from tests.plain import counting as plain

BESIDE = Path(__file__).parents[3] / "shared"
SHARED = Path(os.environ.get("HOLDFAST_SHARED", BESIDE)) / "data"
LEAVES = [("north", 1), ("north", 2), ("south", 1), ("south", 30), ("true", 4), ("2022-02-01", 5)]
DOMAIN = "side,zone\n" + "".join(f"{side},{zone}\n" for side, zone in LEAVES)
SIDES = {
    "text": ["north", "south", "North", " north", "", None, "nörth", "'; --", "true", "\x00"[:0]],
    "truth": [True, False, None],
    "day": [date(2022, 2, 1), date(1, 1, 1), None],
}
ZONES = {
    "whole": [1, 2, 30, 4, 5, -1, 0, 2**62, None],
    "float": [
        1.0,
        2.0,
        4.0,
        30.0,
        -0.0,
        1.5,
        float("nan"),
        float("inf"),
        float("-inf"),
        1e300,
        None,
    ],
    "decimal": [Decimal("1.00"), Decimal("5.00"), Decimal("1.50"), Decimal("-2.00"), None],
    "text": ["1", "1.0", "01", "1.", "30", "30.00", "x", " 1", "1 ", "1e0", "+1", "1\n", "", None]
    + ["9" * 18, "9" * 19, "１", "1.5", "0x1", "-1", "NaN"],
}
COUNTS = {
    "whole": [1, 0, -3, 7, 2**53, 2**53 + 1, 2**63 - 1, None],
    "float": [1.0, 2.5, float("nan"), float("inf"), -1.0, -0.0, 2.0**53, 1e300, None],
    "decimal": [Decimal("3.00"), Decimal("2.50"), Decimal("-1.00"), None],
    "text": ["3", "3.0", "-3", "x", "", None, "9" * 19, "4.", "1,000", "1_0"],
}
CASES = [
    ("text", "whole", "whole", "whole"),
    ("text", "text", "text", "text"),
    ("truth", "float", "float", "float"),
    ("day", "decimal", "decimal", "whole"),
]
PERSONS = {
    "whole": [1, 2, 3, None],
    "text": ["ann", "bob", "", None, "bob "],
    "float": [1.0, 2.0, 1.5, float("nan"), None],
}


def rows_of(case, size=300):
    """Return rows of random cells, the same ones every time."""
    draw = random.Random(str(case))
    side, zone, number, person = case
    columns = {"side": side, "zone": zone, "number": number, "person": person}
    pools = (SIDES[side], ZONES[zone], COUNTS[number], PERSONS[person])
    return Rows(columns, [tuple(map(draw.choice, pools)) for _ in range(size)])


def declared(source, **others):
    return Declaration(source, ("side", "zone"), "domain.csv", **others)


def counted(declaration, folder, key=5):
    domain = read_domain(declaration, folder)
    return count(declaration, domain, folder, tape([key])).open_inside_a_mechanism().tolist()


def expected(held, engine, **others):
    """Return the plain twin's counts."""
    rows = as_csv(held) if engine == "csv" else held.rows
    if others.pop("count", None):
        rows = [((side, zone), plain.weight(n), person) for side, zone, n, person in rows]
    else:
        rows = [((side, zone), 1, person) for side, zone, _, person in rows]
    return plain.counts(rows, LEAVES, **others)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "domain.csv").write_text(DOMAIN)
    return tmp_path


@pytest.mark.parametrize("case", CASES, ids="-".join)
@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_counts_as_the_rules_say(places, folder, engine, case):
    """Else the same plan would publish another table on a server."""
    held = rows_of(case)
    source = places(engine).source(engine, held)
    key = f"{5:064x}"
    for others, twin in [
        ({}, {}),
        ({"count": "number"}, {"count": True}),
        ({"outside": ("south", "30")}, {"outside": 3}),
        ({"person": Person("person", 3)}, {"bound": 3, "key": key}),
        (
            {"person": Person("person", 20), "count": "number", "outside": "30"},
            {"bound": 20, "key": key, "count": True, "outside": 3},
        ),
    ]:
        found = counted(declared(source, **others), folder)
        assert found == expected(held, engine, **twin), others
    assert sum(expected(held, engine)) > 0


@pytest.mark.parametrize("engine", ENGINES)
def test_a_key_stands_for_the_path(places, folder, engine):
    """Rows may carry a code alone; the domain supplies the levels, the code need not be one."""
    (folder / "domain.csv").write_text("side,zone,code\nnorth,a,7\nnorth,b,8\nsouth,a,007\n")
    held = Rows({"code": "text"}, [("7",), ("8",), ("8",), ("007",), ("7.0",), (None,)])
    key = (("code", "code"),)
    source = places(engine).source(engine, held)
    assert counted(declared(source, key=key), folder) == [1, 2, 1]


@pytest.mark.parametrize("engine", ENGINES)
def test_no_rows_are_zero_counts(places, folder, engine):
    source = places(engine).source(engine, Rows({"side": "text", "zone": "whole"}, []))
    assert counted(declared(source), folder) == [0] * len(LEAVES)


@pytest.mark.parametrize("engine", ENGINES)
def test_public_faults_are_told_all_at_once(places, folder, engine):
    held = Rows({"side": "text", "zone": "whole", "flag": "truth"}, [("north", 1, True)])
    source = places(engine).source(engine, held)
    key = (("sidr", "side"), ("zone", "zone"))
    others = {"key": key, "count": "flag" if engine != "csv" else "nothing", "outside": "east"}
    with pytest.raises(BadDeclaration) as caught:
        describe(declared(source, **others, person=Person("persn", 1)), folder)
    text = str(caught.value)
    assert "Did you mean 'side'?" in text
    assert "'persn'" in text
    assert "no such leaf" in text
    assert ("flag" if engine != "csv" else "nothing") in text
    assert len(caught.value.faults) == 4
    describe(declared(source), folder)


@pytest.mark.parametrize("engine", ["duckdb", "postgres", "spark"])
def test_a_table_that_is_not_there_is_a_public_fault(places, folder, engine):
    source = places(engine).source(engine, Rows({"side": "text", "zone": "whole"}, []))
    head = source.partition("#")[0] if engine != "spark" else "spark:"
    wrong = head + ("#trip" if engine == "duckdb" else "#nothing"[engine == "spark" :])
    with pytest.raises(BadDeclaration, match="source"):
        describe(declared(wrong), folder)


def test_a_server_that_is_not_there_is_a_public_fault(folder):
    with pytest.raises(BadDeclaration, match="OperationalError"):
        describe(declared("postgresql://x@127.0.0.1:1/x#t"), folder)


@pytest.mark.parametrize(
    ("module", "library", "source"),
    [
        ("postgres_engine", "psycopg", "postgresql://h/d#t"),
        ("spark_engine", "pyspark.sql", "spark:t"),
    ],
)
def test_an_engine_that_is_not_installed_is_named(folder, monkeypatch, module, library, source):
    monkeypatch.delitem(sys.modules, f"holdfast.data.{module}", raising=False)
    monkeypatch.delattr(f"holdfast.data.{module}", raising=False)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(BadDeclaration, match=f"'{library}'.*pip install 'holdfast"):
        describe(declared(source), folder)


@pytest.mark.parametrize("engine", ENGINES)
def test_sums_beyond_64_bits_are_cut(places, folder, engine):
    """A sum that had no room would stop the engine, and so tell of the rows."""
    held = Rows({"side": "text", "zone": "whole", "n": "whole"}, [("north", 1, 2**53)] * 600)
    source = places(engine).source(engine, held)
    found = counted(declared(source, count="n"), folder)
    assert found == [2**62 // 6, 0, 0, 0, 0, 0]


SABOTEURS = {
    "fractions are rounded": ("dialect.Dialect.is_integer", lambda self, cell, kind: "TRUE"),
    "any text is a number": (
        "duckdb_engine.DuckdbDialect.matches_whole",
        lambda self, cell: "TRUE",
    ),
    "counts have no end": ("question.EXACT", 2**63 - 1),
    "text loses its spaces": (
        "dialect.Dialect.text",
        lambda self, cell, kind: f"trim(CAST({cell} AS VARCHAR))",
    ),
}


def differs(folder, places):
    """Return whether some count differs from the twin's."""
    for case in CASES:
        held = rows_of(case)
        source = places("parquet").source("parquet", held)
        found = counted(declared(source, count="number"), folder)
        if found != expected(held, "parquet", count=True):
            return True
    return False


@pytest.mark.parametrize("sabotage", SABOTEURS)
def test_the_twin_barks(places, folder, monkeypatch, sabotage):
    assert not differs(folder, places)
    target, value = SABOTEURS[sabotage]
    monkeypatch.setattr(f"holdfast.data.{target}", value)
    assert differs(folder, places)


def test_question_shows_no_key():
    asked = question.Question((), None, Person("p", 1), None, "feed")
    assert "feed" not in repr(asked)


GREEN = SHARED / "green_tripdata_2022-02.parquet"
ZONES_LIST = SHARED / "taxi_zone_lookup.csv"


@pytest.mark.parametrize("engine", ["parquet", "duckdb", "postgres", "spark"])
def test_green_trips_equal_plain_sql(places, tmp_path, engine):
    """The counts of New York's own file, against the engine's own group-by."""
    if not GREEN.exists():
        pytest.skip(f"no {GREEN}: the real trips lie beside the checkout, and are not there")
    query = f"SELECT \"PULocationID\", count(*) FROM '{GREEN}' GROUP BY 1"
    plain_sql = dict(duckdb.sql(query).fetchall())
    source = str(GREEN)
    if engine != "parquet":
        rows = duckdb.sql(f"SELECT \"PULocationID\" FROM '{GREEN}'").fetchall()
        source = places(engine).source(engine, Rows({"PULocationID": "whole"}, rows))
    key = (("PULocationID", "LocationID"),)
    declaration = Declaration(source, ("Borough", "LocationID"), str(ZONES_LIST), key=key)
    describe(declaration, tmp_path)
    domain = read_domain(declaration, tmp_path)
    found = count(declaration, domain, tmp_path, seeded(1)).open_inside_a_mechanism()
    assert found.tolist() == [plain_sql.get(zone, 0) for _, zone in domain.tree.leaves]
    assert found.sum() == sum(plain_sql.values()) == 69_399
