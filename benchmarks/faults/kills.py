"""kill -9 at each step of a release, and at any moment."""

import os
import signal
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.faults.site import Paper, Site, ended, forked
from benchmarks.faults.tally import Tally
from holdfast.foundation.errors import HoldfastError
from holdfast.privacy.ledger import private_files, sqlite_store
from holdfast.privacy.ledger.ledger import Ledger
from holdfast.privacy.ledger.sqlite_store import SqliteStore


class Points:
    """Numbers the steps of this process, and ends it at one of them; only in a forked child."""

    def __init__(self, stop: int) -> None:
        self.stop, self.passed = stop, 0

    def point(self) -> None:
        self.passed += 1
        if self.passed == self.stop:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, owner: Any, name: str) -> None:
        """Have a point before and after a function."""
        kept = getattr(owner, name)

        def stepped(*arguments: Any, **words: Any) -> Any:
            self.point()
            found = kept(*arguments, **words)
            self.point()
            return found

        setattr(owner, name, stepped)

    def within_writes(self) -> None:
        """Have a point in the middle of each write to a file of ours."""
        kept = private_files._write

        def halves(number: int, content: bytes) -> None:
            kept(number, content[: len(content) // 2])
            self.point()
            kept(number, content[len(content) // 2 :])

        private_files._write = halves

    def install(self) -> None:
        self.within_writes()
        for owner, name in (
            (os, "fsync"),
            (os, "ftruncate"),
            (os, "urandom"),
            (os, "mkdir"),
            (sqlite_store, "_read"),
            (sqlite_store, "_write"),
            (SqliteStore, "make"),
            (SqliteStore, "read"),
            (SqliteStore, "change"),
            (SqliteStore, "output"),
            (Path, "write_bytes"),
            (Path, "replace"),
        ):
            self.around(owner, name)
        if "psycopg" in _loaded():
            from holdfast.privacy.ledger.postgres_store import PostgresStore

            for name in ("make", "read", "change", "output", "_read", "_write"):
                self.around(PostgresStore, name)


def _loaded() -> set[str]:
    import sys

    return set(sys.modules)


def killed_at(stop: int, work: Callable[[], object]) -> bool:
    """Do the work in a child that dies at a step; return whether it came so far."""

    def steps() -> None:
        Points(stop).install()
        work()

    code = ended(forked(steps))
    if code not in (0, -signal.SIGKILL):
        raise RuntimeError(f"the child failed by itself, with {code}")
    return code != 0


def opened_release(site: Site, name: str) -> bytes:
    """Open the ledger and release, as a program does that runs once."""
    return site.release(site.open(), name)


def judged(site: Site, name: str, before: int) -> tuple[list[str], str]:
    """Return what is wrong after a release was cut off, and how it ended."""
    faults = list[str]()
    try:
        ledger = site.open()
        spent = _spent(ledger) - before
        drawn, published = site.draws(name), (site.published / name).exists()
        if spent not in (0, 1) or ((drawn or published) and spent != 1):
            faults.append(f"spent {spent} with {len(drawn)} draws")
        answers = [site.answer(ledger, name), site.answer(site.open(), name)]
    except HoldfastError as error:
        return [f"shut: {error}"], "shut"
    if answers[0] != answers[1]:
        faults.append("two answers")
    if _spent(ledger) - before != 1:
        faults.append(f"spent {_spent(ledger) - before} in the end")
    if len(site.draws(name)) > 1:
        faults.append("drawn twice")
    path = site.published / name
    if (path.read_bytes() if path.exists() else None) != answers[0]:
        faults.append("another file than answer")
    if answers[0] is None:
        return faults, "burnt"
    return faults, "same bytes" if spent else "no debit yet"


def _spent(ledger: Ledger) -> int:
    return int(ledger.spent.epsilon or 0)


def at_each_step(sites: Site, rounds: int, stride: int = 1) -> Tally:
    """Kill a release at each of its steps, so many times, and ask for it twice again."""
    tally, steps = Tally(f"kill -9 at each step x {rounds}"), 0
    for round_ in range(rounds):
        site, names, reached = sites.another(round_), 0, True
        site.create(epsilon=1_000_000)
        while reached:
            steps, names = 1 + names * stride, names + 1
            name = f"release-{names}"
            reached = killed_at(steps, partial(opened_release, site, name))
            faults, end = judged(site, name, before=names - 1)
            tally.count(faults, end if reached else "finished")
            if faults and end == "shut":
                return tally  # it opens no more: each further step would fail
        tally.count(site.faults(spent=names))
    tally.figures = f"{steps - 1} steps" + (f", every {stride}th" if stride > 1 else "")
    return tally


def at_any_moment(sites: Site, moments: int, each: int = 50) -> Tally:
    """Kill a release at moments spread evenly over somewhat more than the time it takes."""
    tally = Tally(f"kill -9 at {moments} moments")
    for start in range(0, moments, each):
        site = sites.another(start)
        site.create(epsilon=1_000_000)
        longest = 1.3 * _time_of(site)
        for number in range(start, min(start + each, moments)):
            name = f"release-{number}"
            child = forked(partial(opened_release, site, name))
            time.sleep(longest * (number * 37 % moments) / moments)
            os.kill(child, signal.SIGKILL)
            finished = ended(child) == 0
            faults, end = judged(site, name, before=number - start + 5)
            tally.count(faults, "finished" if finished else end)
        tally.count(site.faults(spent=min(each, moments - start) + 5))
    return tally


def _time_of(site: Site) -> float:
    """Return the median time of five releases, each in a process of its own."""
    times = list[float]()
    for number in range(5):
        start = time.perf_counter()
        ended(forked(partial(opened_release, site, f"timed-{number}")))
        times.append(time.perf_counter() - start)
    return sorted(times)[2]


def while_moving(folder: Path, rounds: int) -> Tally:
    """Kill a move at each step: never can both places spend, and what was spent is not lost."""
    tally = Tally(f"kill -9 at each step of a move x {rounds}")
    for round_ in range(rounds):
        stop, reached = 0, True
        while reached:
            stop += 1
            old = Site(folder / f"{round_}-{stop}")
            new = Site(old.folder / "new")
            ledger = old.create(epsilon=10)
            old.release(ledger, "first")
            new.folder.mkdir()
            moved = (new.place, new.key, new.witness)

            def move(ledger: Ledger = ledger, moved: Any = moved) -> None:
                ledger.move(moved[0], key=moved[1], witness=moved[2])

            reached = killed_at(stop, move)
            if reached:
                tally.count(*_judged_move(old, new))
    return tally


def _judged_move(old: Site, new: Site) -> tuple[list[str], str]:
    live = [site for site in (old, new) if _spends(site)]
    end = f"{len(live)} live"
    if not live:  # cut short: what the move left behind is removed, and it is done again
        for path in new.folder.iterdir():
            path.unlink()
        old.open().move(new.place, key=new.key, witness=new.witness)
        live = [site for site in (old, new) if _spends(site)]
    faults = [] if len(live) == 1 else [f"{len(live)} places spend"]
    if live and _spent(live[0].open()) != 2:
        faults.append("another sum")
    return faults, end


def _spends(site: Site) -> bool:
    try:
        site.open().spend("after-the-crash", certificate=Paper())
    except HoldfastError:
        return False
    return True


def while_restoring(folder: Path, rounds: int) -> Tally:
    """Kill a restore at each step: done again where it was cut short, it forgets no debit."""
    tally = Tally(f"kill -9 at each step of a restore x {rounds}")
    for round_ in range(rounds):
        stop, reached = 0, True
        while reached:
            stop += 1
            site = Site(folder / f"{round_}-{stop}")
            ledger = site.create(epsilon=10)
            site.release(ledger, "first")
            ledger.backup(site.folder / "backup")
            site.release(ledger, "second")
            Path(site.place).unlink()

            def restore(site: Site = site) -> Ledger:
                kept = {"key": site.key, "witness": site.witness}
                return Ledger.restore(site.folder / "backup", site.place, **kept)

            reached = killed_at(stop, restore)
            if reached:
                tally.count(*_judged_restore(site, restore))
    return tally


def _judged_restore(site: Site, restore: Callable[[], Ledger]) -> tuple[list[str], str]:
    try:
        site.open()
        end = "restored"
    except HoldfastError:
        for rest in ("", "-wal", "-shm"):
            Path(f"{site.place}{rest}").unlink(missing_ok=True)
        end = "restored again"
    try:
        ledger = site.open() if end == "restored" else restore()
        found = (_spent(ledger), len(ledger.entries), site.answer(ledger, "first") is not None)
    except HoldfastError as error:
        return [f"refused in the end: {error}"], end
    return ([] if found == (2, 2, True) else [f"found {found}"]), end


def while_making(folder: Path, rounds: int) -> Tally:
    """Kill a creation at each step: the ledger opens with nothing spent, or is clearly refused."""
    tally = Tally(f"kill -9 at each step of a creation x {rounds}")
    for round_ in range(rounds):
        stop, reached = 0, True
        while reached:
            stop += 1
            site = Site(folder / f"{round_}-{stop}")
            reached = killed_at(stop, lambda site=site: site.create(epsilon=10))  # type: ignore[misc]
            if not reached:
                continue
            try:
                tally.count([] if _spent(site.open()) == 0 else ["spent"], "made")
            except HoldfastError:
                tally.count([], "refused")
    return tally
