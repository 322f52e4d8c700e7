"""Check a release from its files alone: the sums themselves, the derivation, every digest.

Claim.      A release that passes obeys every rule it names, and its certificate follows from the
            numbers it gives, on the tree it spells.
Reason.     docs/theory/plans.md#what-verify-checks
Checked by. tests/publication/checking/test_verify.py
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from holdfast.data.parquet_file import columns_of_parquet
from holdfast.foundation.errors import BadRecord, Fault, HoldfastError
from holdfast.foundation.signature import is_signed
from holdfast.privacy.certificate.certificate import Certificate
from holdfast.privacy.certificate.record import read
from holdfast.publication.checking.derivation import check_derivation
from holdfast.publication.checking.read_table import PublishedTable, read_table, rows_of
from holdfast.publication.writing.record import FORMAT, VERSION
from holdfast.worlds.invariant import Invariant, nonnegative, total

LARGEST = 1 << 32
RECORD, SIGNATURE = "record.json", "signature.json"
TABLE, PARQUET = "table.csv", "table.parquet"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was checked: whether it holds, and what was found."""

    check: str
    holds: bool
    found: str


def verify(folder: str | Path) -> tuple[Finding, ...]:
    """Return all that was checked, in order; what cannot be read fails its check."""
    return tuple(_Checks(Path(folder)).run())


class _Checks:
    """The checks of one folder; a later one is left out where what it needs is not there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._record: dict[str, Any] = {}
        self._files: dict[str, bytes] = {}
        self._table: PublishedTable | None = None
        self._certificate: Certificate | None = None

    def run(self) -> Iterator[Finding]:
        """Yield each finding."""
        yield self._try("record", self._read_record)
        if not self._record:
            return
        for name in sorted(self._record["files"]):
            yield self._try(f"file {name}", partial(self._check_file, name))
        yield self._try("no other file", self._check_others)
        yield self._try("table", self._read_table)
        yield self._try("certificate", self._read_certificate)
        if self._table is not None:
            yield self._try("rules", self._check_rules)
            yield self._try("intervals", self._check_intervals)
            if PARQUET in self._record["files"]:
                yield self._try("the same in Parquet", self._check_parquet)
        if self._table is not None and self._certificate is not None:
            yield self._try("derivation", self._check_derivation)
        if (self._folder / SIGNATURE).exists():
            yield self._try("signature", self._check_signature)

    def _try(self, check: str, act: Callable[[], str]) -> Finding:
        """Return what a check found, or the fault that it raised."""
        try:
            return Finding(check, True, act())
        except HoldfastError as error:
            return Finding(
                check, False, "; ".join(f"{f.found}, not {f.asked}" for f in error.faults)
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            return Finding(check, False, "a record without what it must hold")

    def _content(self, name: str) -> bytes:
        """Return a file of the folder."""
        path = self._folder / name
        if path.is_symlink() or not path.is_file() or path.stat().st_size > LARGEST:
            raise _broken(name, "a file", "none, a link, or one too large")
        try:
            return path.read_bytes()
        except OSError:
            pass
        raise _broken(name, "a file that can be read", "one that cannot")

    def _read_record(self) -> str:
        try:
            record = json.loads(self._content(RECORD).decode("utf-8"))
        except (UnicodeDecodeError, ValueError, RecursionError):
            record = None
        if not isinstance(record, dict) or not isinstance(record.get("files"), dict):
            raise _broken(RECORD, "a record", "something else")
        if (record.get("format"), record.get("version")) != (FORMAT, VERSION):
            raise _broken(RECORD, f"{FORMAT}, version {VERSION}", "another format or version")
        if TABLE not in record["files"]:
            raise _broken(RECORD, f"the digest of {TABLE}", "none")
        self._record = record
        kind = "a rehearsal: its numbers are invented" if record["rehearsal"] else "a release"
        return f"{kind}, {record['name']}"

    def _check_file(self, name: str) -> str:
        if "/" in name or name.startswith("."):
            raise _broken(name, "the name of a file beside the record", "another")
        content = self._content(name)
        if hashlib.sha256(content).hexdigest() != self._record["files"][name]["sha256"]:
            raise _broken(name, "the digest in the record", "another: the file was changed")
        self._files[name] = content
        return f"{len(content)} bytes as recorded"

    def _check_others(self) -> str:
        known = {*self._record["files"], RECORD, SIGNATURE}
        others = sorted(entry.name for entry in self._folder.iterdir() if entry.name not in known)
        if others:
            raise _broken(others[0][:60], "files of the record alone", "a file it does not name")
        return "the record names all files"

    def _read_table(self) -> str:
        tree = self._record["tree"]
        found = read_table(self._content(TABLE), tree["levels"], tree["root"])
        if (found.tree.size, len(found.tree.leaves)) != (tree["nodes"], tree["leaves"]):
            raise _broken(TABLE, "as many nodes as the record says", "more or fewer")
        self._table = found
        return f"{found.tree.size} nodes, {len(found.tree.leaves)} leaves"

    def _read_certificate(self) -> str:
        self._certificate = read(self._record["certificate"])
        return repr(self._certificate)

    def _rules(self, table: PublishedTable) -> Invariant:
        """Return the rules that the plan in the record asks for."""
        asked = self._record["plan"]["rules"]
        rules = table.tree.sums()
        if asked["nonnegative"]:
            rules &= nonnegative()
        return rules if asked["total"] is None else rules & total(asked["total"])

    def _check_rules(self) -> str:
        table = self._table
        if table is None or self._certificate is None:
            raise _broken("rules", "a table and a certificate", "none that can be read")
        rules = self._rules(table)
        if set(rules.statements) != set(self._certificate.invariants):
            raise _broken("rules", "those of the certificate", "others in the plan")
        if not rules.holds(table.value):
            broken = [r for r in map(_alone(table), rules.rules) if not r.holds(table.value)]
            raise _broken("rules", "a table that obeys them", f"one that breaks {broken[0]!r}")
        return f"{', '.join(s.name for s in rules.statements)}: they hold, number by number"

    def _check_intervals(self) -> str:
        table = self._table
        if table is None:
            raise _broken("intervals", "a table", "none")
        if not ((table.lower <= table.value) & (table.value <= table.upper)).all():
            raise _broken("intervals", "intervals that hold their value", "one that does not")
        return "each holds its value"

    def _check_parquet(self) -> str:
        columns = columns_of_parquet(self._folder / PARQUET)
        rows = rows_of(self._content(TABLE))
        if list(columns) != rows[0] or any(len(c) != len(rows) - 1 for c in columns.values()):
            raise _broken(PARQUET, "the columns and rows of table.csv", "others")
        for place, column in enumerate(columns.values()):
            if [row[place] for row in rows[1:]] != [str(cell) for cell in column.tolist()]:
                raise _broken(PARQUET, "the cells of table.csv", "others")
        return "cell by cell"

    def _check_derivation(self) -> str:
        if self._table is None or self._certificate is None:
            raise _broken("derivation", "a table and a certificate", "none")
        rules = self._rules(self._table)
        return check_derivation(self._certificate, self._table.tree, rules, self._record["laws"])

    def _check_signature(self) -> str:
        words = json.loads(self._content(SIGNATURE).decode("utf-8"))
        public, signature = words["public_key"], words["signature"]
        if not is_signed(self._content(RECORD), public, signature):
            raise _broken(SIGNATURE, "a signature of this record", "one of something else")
        return f"the record is signed by {public}: compare it with the key you know"


def _alone(table: PublishedTable) -> Callable[[Any], Invariant]:
    return lambda rule: Invariant([rule])


def _broken(subject: str, asked: str, found: str) -> BadRecord:
    return BadRecord(Fault(subject, asked, found, "Ask for the release as it was published."))
