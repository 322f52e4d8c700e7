"""Faults that a ledger survives, each line with how many cases passed and how many failed.

Run: python -m benchmarks.ledger_faults [--short]

The full form needs root, for small disks, and a PostgreSQL that it can start.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.faults import crowds, disks, edits, flips, kills, rollbacks
from benchmarks.faults.saboteurs import SABOTEURS, caught
from benchmarks.faults.server import place_in, server
from benchmarks.faults.site import Site
from benchmarks.faults.tally import Tally

Fault = Callable[[Path], Tally]
SIZES = [20, 40, 60, 70, *range(80, 400, 20)]  # KiB: a ledger alone takes some 90


def on_a_file(full: bool) -> Iterator[Fault]:
    """Yield each fault of a ledger in SQLite."""
    rounds, moments, flip_count = (20, 1000, 1000) if full else (1, 50, 150)
    yield lambda folder: kills.at_each_step(Site(folder), rounds)
    yield lambda folder: kills.at_any_moment(Site(folder), moments)
    yield lambda folder: kills.while_making(folder, rounds)
    yield lambda folder: kills.while_moving(folder, rounds)
    yield lambda folder: kills.while_restoring(folder, rounds)
    yield lambda folder: crowds.budget_held(Site(folder), 8, 50, 200)
    yield lambda folder: crowds.same_names(Site(folder), 8, 20)
    yield lambda folder: crowds.killed_crowd(Site(folder), 8, *((300, 300) if full else (50, 50)))
    if full:
        yield lambda folder: crowds.budget_held(Site(folder), 32, 100, 1000)
        yield lambda folder: disks.full_disk(folder, SIZES)
        yield lambda folder: disks.full_disk(folder, list(range(4, 24, 4)), "witness")
        yield disks.read_only
    yield lambda folder: disks.limited_files(folder, SIZES if full else SIZES[::4])
    yield lambda folder: flips.flipped(folder, flip_count, log=False)
    yield lambda folder: flips.flipped(folder, flip_count, log=True)
    yield edits.edited
    yield rollbacks.rolled_back
    yield lambda folder: rollbacks.after_a_fork(Site(folder), 8)


def on_a_server(full: bool, address: str) -> Iterator[Fault]:
    """Yield each fault of a ledger in PostgreSQL; each has a ledger of its own there."""
    names = iter(f"ledger{number}" for number in range(1000))

    def site(folder: Path) -> Site:
        return Site(folder, place_in(address, next(names)))

    yield lambda folder: kills.at_each_step(site(folder), *((3, 1) if full else (1, 3)))
    yield lambda folder: kills.at_any_moment(site(folder), 200 if full else 10)
    yield lambda folder: crowds.budget_held(site(folder), 8, 50, 200)
    yield lambda folder: crowds.same_names(site(folder), 8, 20)
    yield lambda folder: crowds.killed_crowd(site(folder), 8, *((100, 100) if full else (20, 20)))
    if full:
        yield lambda folder: crowds.budget_held(site(folder), 32, 100, 1000)
    yield lambda folder: edits.edited(
        folder, {name: site(folder / str(number)) for number, name in enumerate(edits.EDITS)}
    )
    yield lambda folder: rollbacks.after_a_fork(site(folder), 8)


def run(title: str, faults: Iterator[Fault], folder: Path) -> int:
    """Print a line for each fault; return how many cases failed."""
    print(title)
    failed = 0
    for number, fault in enumerate(faults):
        tally = fault(folder / title.split()[0] / str(number))
        print(f"  {tally}", flush=True)
        failed += len(tally.failures)
    return failed


def main() -> int:
    full = "--short" not in sys.argv
    with tempfile.TemporaryDirectory(prefix="holdfast-faults-") as name:
        folder = Path(name)
        failed = run("SQLite", on_a_file(full), folder)
        with server() as address:
            failed += run("PostgreSQL", on_a_server(full, address), folder)
        twins = (lambda folder, twin=twin: caught(twin, folder) for twin in SABOTEURS)
        failed += run("Saboteurs, which must be caught", twins, folder)
    print(f"{failed} failed")
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
