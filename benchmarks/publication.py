"""A whole publication of the block groups of the United States: seconds and peak memory by stage.

Run: python -m benchmarks.publication FILE, the block groups' population in Parquet.
"""

import resource
import sys
import tempfile
import time
from pathlib import Path

import duckdb

from holdfast.privacy.ledger.ledger import Ledger
from holdfast.publication.checking.verify import verify
from holdfast.publication.plan.reading import read_plan
from holdfast.publication.preview import preview
from holdfast.publication.publish import prepare, publish

PLAN = """
[data]
source = "rows.parquet"
levels = ["state", "county", "tract", "block_group"]
domain = "leaves.parquet"
count = "population"
root = "United States"
[privacy]
epsilon = "1"
[rules]
sums = true
nonnegative = true
[release]
ledger = "budget.sqlite"
name = "block-groups"
"""


def furnish(source: Path, home: Path) -> None:
    """Put rows, public leaves, a plan and a ledger into a folder."""
    columns = duckdb.connect().execute(f"DESCRIBE FROM '{source}'").fetchall()
    columns = [name for name, *_ in columns]
    *levels, count = columns
    named = zip(levels, ("state", "county", "tract", "block_group"), strict=True)
    listed = ", ".join(f"CAST({old} AS VARCHAR) AS {new}" for old, new in named)
    rows = f"SELECT {listed}, {count} AS population FROM '{source}'"
    duckdb.sql(f"COPY ({rows}) TO '{home / 'rows.parquet'}'")
    duckdb.sql(f"COPY (SELECT {listed} FROM '{source}') TO '{home / 'leaves.parquet'}'")
    (home / "plan.toml").write_text(PLAN)
    Ledger.create(home / "budget.sqlite", epsilon="1")


def peak() -> float:
    """Return the most memory used so far, in GiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        furnish(Path(sys.argv[1]), home)
        plan = read_plan(home / "plan.toml")
        stages = {
            "prepare (tree, sampler, certificate)": lambda: prepare(plan),
            "publish (all of it)": lambda: publish(plan, home / "out"),
            "publish again (sealed bytes)": lambda: publish(plan, home / "again"),
            "verify": lambda: print(all(f.holds for f in verify(home / "out")), end=" "),
            "preview (every street)": lambda: preview(plan),
        }
        for stage, act in stages.items():
            start = time.perf_counter()
            act()
            print(f"{stage:40} {time.perf_counter() - start:7.1f} s   peak {peak():.2f} GiB")
        sizes = {p.name: p.stat().st_size for p in sorted((home / "out").iterdir())}
        print(", ".join(f"{file} {size / 2**20:.1f} MiB" for file, size in sizes.items()))


if __name__ == "__main__":
    main()
