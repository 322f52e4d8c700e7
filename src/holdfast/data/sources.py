"""Where rows lie: a closed family, parsed from the address in the plan.

Files are local and regular, and lie where the path says: no address of the network, no link, no
pattern that stands for several files.

Claim.      No address makes an engine open anything but the one file or table that it names.
Reason.     docs/theory/counting.md#sources
Checked by. tests/data/test_sources.py
"""

import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from holdfast.foundation.errors import BadDeclaration, Fault, shown

Table = tuple[str, ...]
SPARK, POSTGRES = "spark:", ("postgresql://", "postgres://")
PATTERNS = "*?[]{}"
FORMS = ".parquet, .csv, .duckdb, postgresql://...#schema.table or spark:table"
REMEDY_TABLE = "Write schema.table, at most three names with dots between."


@dataclass(frozen=True, slots=True)
class ParquetFile:
    """A Parquet file."""

    path: Path


@dataclass(frozen=True, slots=True)
class CsvFile:
    """A CSV file: commas, double quotes, a header, UTF-8, one line a row."""

    path: Path


@dataclass(frozen=True, slots=True)
class DuckdbFile:
    """A table of a DuckDB file; without a name, its only one."""

    path: Path
    table: Table


@dataclass(frozen=True, slots=True)
class PostgresTable:
    """A table of a PostgreSQL server."""

    address: str
    table: Table


@dataclass(frozen=True, slots=True)
class SparkTable:
    """A table or view of the user's own Spark session."""

    table: Table


File = ParquetFile | CsvFile | DuckdbFile
Source = File | PostgresTable | SparkTable


def source_of(text: Any, folder: Path) -> Source:
    """Return the source of an address; a relative path starts from the folder."""
    if not isinstance(text, str) or not text.strip() or not text.isprintable():
        raise _refusal("source", FORMS, text, "Name a file or a table.")
    if text.startswith(SPARK):
        return SparkTable(_table(text.removeprefix(SPARK)))
    if text.startswith(POSTGRES):
        return _postgres(text)
    path, _, table = text.partition("#") if ".duckdb#" in text else (text, "", "")
    file = _checked(path, "source", folder)
    match file.suffix.lower():
        case ".parquet":
            return ParquetFile(file)
        case ".csv":
            return CsvFile(file)
        case ".duckdb":
            return DuckdbFile(file, _table(table) if table else ())
    raise _refusal("source", FORMS, text, "Save the rows as Parquet or CSV.")


def domain_of(text: str, folder: Path) -> ParquetFile | CsvFile:
    """Return the file of the public list of leaves."""
    file = _checked(text, "domain", folder)
    match file.suffix.lower():
        case ".parquet":
            return ParquetFile(file)
        case ".csv":
            return CsvFile(file)
    raise _refusal("domain", ".parquet or .csv", text, "Save the list as CSV.")


def faults_of_domain(text: Any) -> Iterator[Fault]:
    """Yield what is wrong with the form of the domain's path."""
    try:
        domain_of(text, Path("/"))
    except BadDeclaration as error:
        yield from error.faults


def check_file(path: Path, subject: str) -> None:
    """Refuse what is no regular file: a link, a folder, a pipe, a device, nothing at all."""
    try:
        mode = path.lstat().st_mode
        found = "" if stat.S_ISREG(mode) else "a link" if stat.S_ISLNK(mode) else "no regular file"
        if not found:
            with path.open("rb"):
                pass
    except FileNotFoundError:
        found = "nothing there"
    except PermissionError:
        found = "a file that may not be read"
    except (OSError, ValueError):
        found = "a path that cannot be opened"
    if found:
        asked = "a regular file that can be read"
        remedy = f"{shown(path.name)}: give the path of the file itself."
        raise BadDeclaration(Fault(subject, asked, found, remedy))


def _checked(text: Any, subject: str, folder: Path) -> Path:
    """Return an absolute path, refusing addresses of the network and patterns."""
    if not isinstance(text, str) or not text.strip() or not text.isprintable():
        raise _refusal(subject, "the path of a file", text, "Name a file.")
    scheme, colon, _ = text.partition(":")
    if colon and scheme.isalnum():
        raise _refusal(subject, "a local file", text, "Bring the file here first.")
    if set(text) & set(PATTERNS):
        raise _refusal(subject, "one file", text, f"Rename it without any of {PATTERNS}.")
    return folder.absolute() / text


def _postgres(text: str) -> PostgresTable:
    """Return a table of a server; the plan is public and takes no password."""
    address, _, table = text.partition("#")
    try:
        parts = urlsplit(address)
        secret = parts.password is not None
    except ValueError:
        raise _refusal("source", FORMS, "another address", "See the manual.") from None
    if secret or "password" in dict(parse_qsl(parts.query, keep_blank_values=True)):
        remedy = "Put the password into ~/.pgpass: a plan is public."
        raise _refusal("source", "an address without a password", "one with a password", remedy)
    return PostgresTable(address, _table(table))


def _table(text: str) -> Table:
    """Return the parts of a table's name."""
    parts = tuple(text.split("."))
    if not all(parts) or len(parts) > 3:
        raise _refusal("source", "the name of a table", text, REMEDY_TABLE)
    return parts


def _refusal(subject: str, asked: str, found: Any, remedy: str) -> BadDeclaration:
    return BadDeclaration(Fault(subject, asked, shown(found), remedy))
