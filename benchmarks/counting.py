"""Counting against plain DuckDB SQL for the same group-by, in one run, turn by turn.

Run: python -m benchmarks.counting yellow_2022-01_zone_hour.parquet

The file holds rides by zone and hour; it is expanded to three million rows, one a ride. Plain SQL
is a connection and a group-by, nothing else: no domain, no zero counts, no file that is shut off.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import narwhals as nw

import holdfast as hf
from holdfast.data.counting import count
from holdfast.data.declaration import Declaration, Person
from holdfast.data.domain import Domain, read_domain

ROWS = 3_000_000
TURNS = 15
MARK = 1.2
ZONE = "pickup_location_id"
PERSONS = 400_000
LIST = f"SELECT DISTINCT {ZONE} % 7 AS part, {ZONE} AS zone FROM rides ORDER BY ALL"
RIDES = (
    f"CREATE TABLE rides AS SELECT {ZONE}, (row_number() OVER ()) * 7919 % {PERSONS} AS rider, "
    "'word' AS remark FROM (SELECT * FROM given, unnest(range(rides)) UNION ALL "
    "SELECT * FROM given, unnest(range(rides)) LIMIT {})"
)


def expand(file: str, folder: Path) -> None:
    """Write three million rows as Parquet, CSV and a DuckDB file, and the public list."""
    with duckdb.connect(str(folder / "rides.duckdb")) as connection:
        connection.execute(f"CREATE TEMP TABLE given AS SELECT * FROM '{file}'")
        connection.execute(RIDES.format(ROWS))
        connection.execute(f"COPY rides TO '{folder}/rides.parquet'")
        connection.execute(f"COPY rides TO '{folder}/rides.csv'")
        connection.execute(f"COPY ({LIST}) TO '{folder}/zones.csv'")


def plain_sql(source: str, attach: bool = False) -> None:
    """Count by zone as anyone would."""
    with duckdb.connect() as connection:
        if attach:
            connection.execute(f"ATTACH '{source}' AS data (READ_ONLY)")
        held = "data.rides" if attach else f"'{source}'"
        connection.execute(f"SELECT {ZONE}, count(*) FROM {held} GROUP BY 1").fetchall()


def lazy_frame(source: str) -> None:
    """Count by zone through narwhals' lazy expression, the other candidate."""
    with duckdb.connect() as connection:
        frame = nw.from_native(connection.sql(f"SELECT * FROM '{source}'"))
        frame.group_by(ZONE).agg(nw.len().alias("n")).to_native().fetchall()


def declared(source: Path, person: Person | None = None) -> Declaration:
    return Declaration(
        str(source), ("part", "zone"), "zones.csv", key=((ZONE, "zone"),), person=person
    )


def medians(acts: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Return the median seconds of each act; the acts take turns."""
    times: dict[str, list[float]] = {name: [] for name in acts}
    for _ in range(TURNS):
        for name, act in acts.items():
            start = time.perf_counter()
            act()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(found) for name, found in times.items()}


def report(folder: Path) -> None:
    chance = hf.system_chance()
    first = declared(folder / "rides.parquet")
    domain: Domain = read_domain(first, folder)
    print(f"{ROWS:,} rows, {len(domain.tree.leaves)} leaves, medians of {TURNS} turns")
    for kind in ("parquet", "duckdb", "csv"):
        source = folder / f"rides.{kind}"
        acts: dict[str, Callable[[], object]] = {
            "plain SQL": lambda s=source, k=kind: plain_sql(str(s), k == "duckdb"),  # type: ignore[misc]
            "count": lambda s=source: count(declared(s), domain, folder, chance),  # type: ignore[misc]
        }
        if kind == "parquet":
            acts["narwhals"] = lambda: lazy_frame(str(folder / "rides.parquet"))
            bound = declared(source, Person("rider", 3))
            acts["count, 3 a rider"] = lambda d=bound: count(d, domain, folder, chance)  # type: ignore[misc]
        found = medians(acts)
        for name, seconds in found.items():
            ratio = seconds / found["plain SQL"]
            print(f"{kind:8} {name:18} {seconds * 1000:8.1f} ms  {ratio:5.2f} times plain")
        if kind == "parquet":
            verdict = "reached" if found["count"] <= MARK * found["plain SQL"] else "missed"
            print(f"mark of {MARK} times: {verdict}")


def peak(folder: Path, what: str) -> None:
    """Print the largest memory of one count in a process of its own."""
    source = folder / "rides.parquet"
    person = Person("rider", 3) if what == "bound" else None
    if what == "plain":
        plain_sql(str(source))
    else:
        declaration = declared(source, person)
        count(declaration, read_domain(declaration, folder), folder, hf.system_chance())
    status = Path("/proc/self/status").read_text()  # getrusage tells the parent's peak too
    kilobytes = int(status.partition("VmHWM:")[2].split()[0])
    print(f"peak memory, {what:6} {kilobytes / 1024:8.0f} MiB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--peak", choices=["plain", "count", "bound"])
    arguments = parser.parse_args()
    if arguments.peak:
        peak(Path(arguments.file), arguments.peak)
        return
    with tempfile.TemporaryDirectory() as name:
        expand(arguments.file, Path(name))
        report(Path(name))
        for what in ("plain", "count", "bound"):
            line = [sys.executable, "-m", "benchmarks.counting", name, "--peak", what]
            subprocess.run(line, check=True)


if __name__ == "__main__":
    main()
