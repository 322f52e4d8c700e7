"""Many processes at one ledger."""

import os
import signal
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.faults.site import Site, ended, forked
from benchmarks.faults.tally import Tally
from holdfast.foundation.errors import HoldfastError, OverBudget


def crowd(workers: int, folder: Path, work: Callable[[int], list[str]]) -> list[list[str]]:
    """Have so many processes work at once; return the lines that each one wrote."""
    folder.mkdir(parents=True, exist_ok=True)

    def one(worker: int) -> None:
        (folder / str(worker)).write_text("\n".join(work(worker)))

    children = [forked(lambda worker=worker: one(worker)) for worker in range(workers)]  # type: ignore[misc]
    codes = [ended(child) for child in children]
    if any(codes):
        raise RuntimeError(f"workers failed by themselves: {codes}")
    return [(folder / str(worker)).read_text().split("\n") for worker in range(workers)]


def budget_held(site: Site, workers: int, attempts: int, budget: int) -> Tally:
    """Have processes ask for more than there is: granted is the budget exactly."""
    tally = Tally(f"{workers} processes x {attempts} on a budget of {budget}")
    site.create(epsilon=budget)

    def work(worker: int) -> list[str]:
        ledger, lines = None, []
        for attempt in range(attempts):
            start, end = time.perf_counter(), "granted"
            try:
                ledger = ledger or site.open()
                ledger.spend(f"{worker}-{attempt}", epsilon=1)
            except OverBudget:
                end = "refused"
            except HoldfastError as error:
                end = f"failed:{error}".replace("\n", " ")
            lines.append(f"{time.perf_counter() - start} {end}")
        return lines

    began = time.perf_counter()
    lines = [line for lines in crowd(workers, site.folder / "crowd", work) for line in lines]
    took = time.perf_counter() - began
    ends = [line.split(" ", 1)[1] for line in lines]
    granted, due = ends.count("granted"), min(budget, workers * attempts)
    tally.count([] if granted == due else [f"{granted} granted"], "granted = budget")
    for end in ends:
        tally.count([end] if end.startswith("failed") else [])
    tally.count(site.faults(spent=due))
    tally.figures = f"{granted} granted{_waits(lines, 'granted')}{_waits(lines)}; {took:.1f} s"
    return tally


def _waits(lines: list[str], end: str = "") -> str:
    """Return how long calls took: those that ended so, or all."""
    times = sorted(float(line.split(" ", 1)[0]) for line in lines if line.endswith(end))
    if not times:
        return ""
    p50, p99, most = (times[int(share * (len(times) - 1))] * 1000 for share in (0.5, 0.99, 1))
    return f"; {end or 'all'}: p50 {p50:.1f} ms, p99 {p99:.0f} ms, most {most:.0f} ms"


def same_names(site: Site, workers: int, names: int) -> Tally:
    """Have processes ask for the same releases: each is drawn once, and all get its bytes."""
    tally = Tally(f"{workers} processes, the same {names} names")
    site.create(epsilon=10 * names)

    def work(worker: int) -> list[str]:
        ledger, lines = site.open(), []
        for number in range(names):
            answer = site.answer(ledger, f"name-{number}")
            while answer is None:  # another process draws it at this moment
                time.sleep(0.001)
                answer = site.answer(ledger, f"name-{number}")
            lines.append(answer.hex())
        return lines

    answers = crowd(workers, site.folder / "crowd", work)
    for number in range(names):
        drawn = site.draws(f"name-{number}")
        given = {lines[number] for lines in answers}
        tally.count([] if {*drawn} == given and len(drawn) == 1 else [f"{len(drawn)} draws"])
    tally.count(site.faults(spent=names))
    tally.figures = f"{names} debits, {workers * names} equal answers"
    return tally


def killed_crowd(site: Site, workers: int, names: int, kills: int) -> Tally:
    """Have processes ask for the same releases while one after the other is killed and replaced.

    Each name is drawn once at most, its file is what every later call gives, and what is spent is
    what was debited.
    """
    tally = Tally(f"{workers} processes, {kills} of them killed")
    site.create(epsilon=10 * names)

    def work(first: int) -> None:
        ledger = site.open()
        for number in range(names):
            site.answer(ledger, f"name-{(first + number) % names}")

    children = [forked(partial(work, number)) for number in range(workers)]
    for number in range(kills):
        time.sleep(0.002 + 0.02 * (number * 37 % kills) / kills)
        os.kill(children[0], signal.SIGKILL)
        code = ended(children.pop(0))
        tally.count([] if code in (0, -signal.SIGKILL) else ["a worker failed by itself"])
        children.append(forked(partial(work, number * names // kills)))
    for child in children:
        tally.count(["a worker failed by itself"] if ended(child) else [])
    ledger = site.open()
    for number in range(names):
        name = f"name-{number}"
        answer, path = site.answer(ledger, name), site.published / name
        kept = path.read_bytes() if path.exists() else None
        drawn = site.draws(name)
        right = kept == answer and len(drawn) <= 1 and (answer is None or answer.hex() == drawn[0])
        tally.count(
            [] if right else [f"{name} is wrong"], "burnt" if answer is None else "answered"
        )
    tally.count(site.faults(spent=names))
    return tally
