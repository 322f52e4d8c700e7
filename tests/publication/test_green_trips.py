"""Real rows, from the file to a release: green taxi trips of February 2022 by zone.

If this failed, the main job would not work on the data it is meant for. The rows lie beside the
checkout (../shared/data, or HOLDFAST_SHARED); where they do not, the test says so.
"""

import csv
import os
from collections import defaultdict
from pathlib import Path

import duckdb
import pytest

import holdfast as hf

SHARED = Path(os.environ.get("HOLDFAST_SHARED", Path(__file__).parents[3] / "shared")) / "data"
TRIPS, ZONES = SHARED / "green_tripdata_2022-02.parquet", SHARED / "taxi_zone_lookup.csv"
PLAN = """
[data]
source = "{trips}"
levels = ["Borough", "LocationID"]
domain = "{zones}"
key = {{ PULocationID = "LocationID" }}
label = "Zone"
root = "New York"
[privacy]
epsilon = "{epsilon}"
[rules]
sums = true
nonnegative = true
[release]
ledger = "budget.sqlite"
name = "green"
"""
pytestmark = pytest.mark.skipif(not TRIPS.exists(), reason=f"the rows are not at {TRIPS}")


def released(folder: Path, epsilon: str) -> list[dict[str, str]]:
    """Publish, verify, and return the rows of the table as a spreadsheet reads them."""
    folder.mkdir()
    hf.Ledger.create(folder / "budget.sqlite", epsilon="1000")
    (folder / "plan.toml").write_text(PLAN.format(trips=TRIPS, zones=ZONES, epsilon=epsilon))
    hf.publish(folder / "plan.toml", folder / "out")
    assert [finding for finding in hf.verify(folder / "out") if not finding.holds] == []
    with (folder / "out" / "table.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_sum_holds_in_a_spreadsheet(tmp_path):
    below: dict[str, int] = defaultdict(int)
    named: dict[str, int] = {}
    for row in released(tmp_path / "one", "1"):
        value = int(row["value"])
        assert int(row["lower"]) <= value <= int(row["upper"])
        assert value >= 0
        if row["LocationID"]:
            below[row["Borough"]] += value
        else:
            named[row["Borough"]] = value
    whole = named.pop("")
    assert named == dict(below)
    assert whole == sum(named.values())


def test_counts_are_those_of_plain_sql(tmp_path):
    """At epsilon 900 noise is 0 but for a chance of e**-300 a node."""
    found = {
        row["LocationID"]: int(row["value"])
        for row in released(tmp_path / "sharp", "900")
        if row["LocationID"]
    }
    plain = duckdb.sql(f"SELECT PULocationID, count(*) FROM '{TRIPS}' GROUP BY 1").fetchall()
    for zone, count in plain:
        assert found.get(str(zone), count) == count
    assert sum(found.values()) == sum(count for zone, count in plain if str(zone) in found)
    assert sum(found.values()) > 60_000
