"""One flipped bit, anywhere."""

import shutil
import sqlite3
from pathlib import Path

from benchmarks.faults.site import Site
from benchmarks.faults.tally import Tally
from holdfast.foundation.errors import HoldfastError

NAMES = ("first", "second", "third")


def flipped(folder: Path, flips: int, *, log: bool) -> Tally:
    """Flip bits spread evenly over the ledger, its log, witness and key; each in a fresh copy.

    A case passes where the ledger is refused, or every sum and all bytes are right. With a log,
    SQLite's log holds the last debits, and stands over most pages of the file.
    """
    tally = Tally(f"{flips} flipped bits" + (", log kept" if log else ""))
    kept, outputs = folder / "kept", _made(Site(folder / "whole"), folder / "kept", log=log)
    files = [path for path in sorted(kept.glob("budget*")) if not path.name.endswith("-shm")]
    bits = [(file, bit) for file in files for bit in range(8 * file.stat().st_size)]
    for number in range(flips):
        file, bit = bits[(number * len(bits) + len(bits) // 2) // flips]
        copy = Site(folder / "copy")
        shutil.rmtree(copy.folder, ignore_errors=True)
        shutil.copytree(kept, copy.folder)
        (copy.folder / "budget.sqlite-shm").unlink(missing_ok=True)
        content = bytearray((copy.folder / file.name).read_bytes())
        content[bit // 8] ^= 1 << bit % 8
        (copy.folder / file.name).write_bytes(content)
        tally.count(*_judged(copy, outputs))
    tally.figures = f"of {len(bits)} in {len(files)} files"
    return tally


def _made(site: Site, kept: Path, *, log: bool) -> dict[str, bytes]:
    """Make a ledger and copy its folder, with SQLite's log or without; return its bytes."""
    ledger = site.create(epsilon=10)
    reader = sqlite3.connect(site.place)
    outputs = {name: site.release(ledger, name, size=3000) for name in NAMES[:2]}
    if log:  # while another reads, SQLite keeps its log
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM events").fetchall()
    outputs[NAMES[2]] = site.release(ledger, NAMES[2], size=3000)
    ledger.spend("booked", epsilon="0.5")
    if not log:
        reader.close()
        ledger.verify()  # its last connection empties the log
    shutil.copytree(site.folder, kept)
    reader.close()
    return outputs


def _judged(site: Site, outputs: dict[str, bytes]) -> tuple[list[str], str]:
    """Open a flipped ledger; an error of another kind than ours ends the whole run."""
    faults, refused = list[str](), False
    try:
        ledger = site.open()
        sums = (str(ledger.spent), str(ledger.total), len(ledger.entries))
        if sums != ("epsilon 3.5, delta 0", "epsilon 10, delta 0.000000000001", 4):
            faults.append(f"wrong sums {sums}")
    except HoldfastError:
        return [], "refused"
    for name, output in outputs.items():
        try:
            if site.answer(ledger, name) != output:
                faults.append("wrong bytes")
        except HoldfastError:
            refused = True
    return faults, "bytes refused" if refused else "harmless"
