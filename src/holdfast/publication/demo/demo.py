"""The whole street on bundled real data: a ledger, two plans, two releases, both verified.

Run again with the same folder it gives the same bytes, and costs nothing.

Checked by. tests/publication/test_demo.py
"""

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from holdfast.foundation.errors import BadPlan, Fault, shown
from holdfast.foundation.progress import Progress, silent
from holdfast.privacy.ledger.ledger import Ledger
from holdfast.publication.checking.verify import verify
from holdfast.publication.plan.reading import read_plan
from holdfast.publication.publish import publish

DATA = ("taxi_zones.csv", "taxi_trips.csv", "counties.csv", "county_population.csv")
BUDGET = "3"
PLANS = {
    "taxi": """\
# Yellow taxi trips in New York, January 2022, by borough and zone.
[data]
source = "taxi_trips.csv"
levels = ["Borough", "LocationID"]
domain = "taxi_zones.csv"
key = { LocationID = "LocationID" }
label = "Zone"
count = "trips"                 # rows are counts already; one unit is one trip
outside = "drop"                # two codes name no zone
root = "New York"

[privacy]
epsilon = "1"
neighbours = "add-remove"

[rules]
sums = true
nonnegative = true

[release]
ledger = "budget.sqlite"
name = "demo-taxi"
""",
    "counties": """\
# People in the counties of the United States, 2020.
[data]
source = "county_population.csv"
levels = ["state", "county"]
domain = "counties.csv"
key = { county = "county" }
label = "name"
count = "population"            # one unit is one person
root = "United States"

[privacy]
epsilon = "1"
neighbours = "add-remove"

[rules]
sums = true
nonnegative = true

[release]
ledger = "budget.sqlite"
name = "demo-counties"
""",
}


def demonstrate(out: Path, progress: Progress = silent) -> Iterator[str]:
    """Yield what is done, line by line."""
    _furnish(out)
    yield f"In {out}: public lists, counts, two plans (taxi.toml, counties.toml)."
    ledger = out / "budget.sqlite"
    if not ledger.exists():
        Ledger.create(ledger, epsilon=BUDGET)
    yield f"A ledger with epsilon {BUDGET} for both: {ledger}"
    for name in PLANS:
        folder = out / f"{name}-release"
        done = publish(read_plan(out / f"{name}.toml"), folder, progress=progress)
        yield ""
        yield f"{name}: {done.kind}, {done.certificate!r}"
        yield from _first_rows(folder / "table.csv")
        findings = verify(folder)
        wrong = [finding.check for finding in findings if not finding.holds]
        yield f"verify: {len(findings) - len(wrong)} checks hold, {len(wrong)} fail"
        yield f"report: {folder / 'report.html'}"
    yield ""
    yield f"The ledger now: {Ledger(ledger)!r}"
    yield f"Change a number in {out / 'taxi-release' / 'table.csv'} and run: holdfast verify on it."


def _furnish(out: Path) -> None:
    """Put data and plans into the folder; what is there and alike is left."""
    if out.exists() and not out.is_dir():
        asked, found = "a folder", shown(str(out))
        raise BadPlan(Fault("--out", asked, found, "Name another folder."))
    out.mkdir(parents=True, exist_ok=True)
    source = files("holdfast.publication.demo") / "data"
    contents = {name: (source / name).read_bytes() for name in DATA}
    contents |= {f"{name}.toml": text.encode() for name, text in PLANS.items()}
    for name, content in contents.items():
        path = out / name
        if path.exists() and path.read_bytes() != content:
            asked, found = "the demo's own file, or none", f"another at {shown(str(path))}"
            raise BadPlan(Fault("--out", asked, found, "Name another folder."))
        path.write_bytes(content)


def _first_rows(table: Path, count: int = 8) -> Iterator[str]:
    """Yield the first rows of a published table."""
    lines = table.read_text(encoding="utf-8").splitlines()[: count + 1]
    yield from (f"  {line}" for line in lines)
