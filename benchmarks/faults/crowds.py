"""Many processes at one ledger."""

import time
from collections.abc import Callable
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
    times = sorted(float(line.split(" ", 1)[0]) for line in lines)
    ends = [line.split(" ", 1)[1] for line in lines]
    granted, due = ends.count("granted"), min(budget, workers * attempts)
    tally.count([] if granted == due else [f"{granted} granted"], "granted = budget")
    for end in ends:
        tally.count([end] if end.startswith("failed") else [])
    tally.count(site.faults(spent=due))
    at = [times[int(share * (len(times) - 1))] * 1000 for share in (0.5, 0.99, 1)]
    tally.figures = (
        f"{granted} granted; p50 {at[0]:.1f} ms, p99 {at[1]:.0f} ms, most {at[2]:.0f} ms; "
        f"{took:.1f} s in all"
    )
    return tally


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
