"""A CSV file as lines: each line is one row or none, whatever stands in the others.

A usual reader lets a quoted cell go on over the end of a line, so one quote that is never closed
changes how all rows after it are read, and one person more than their own row.

Claim.      Changing one line changes at most one row.
Reason.     docs/theory/counting.md#csv-line-by-line
Checked by. tests/data/test_csv_lines.py
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from holdfast.foundation.errors import BadDeclaration, Fault, raise_all, shown

LONGEST_HEADER: Final = 1 << 20
LONGEST_LINE: Final = 1 << 21
MOST_COLUMNS: Final = 2000
CELL: Final = '(?:"(?:[^"]|"")*"|[^",]*)'
MOST_REPEATED: Final = 500  # RE2 takes a thousand, nested ones together
BOM: Final = b"\xef\xbb\xbf"
REMEDY: Final = "Write UTF-8 with commas, double quotes and a header line, or Parquet."


def header_of(path: Path) -> list[str]:
    """Return the names in the first line, which is public; no row is read."""
    with path.open("rb") as file:
        line = file.readline(LONGEST_HEADER + 1)
    if len(line) > LONGEST_HEADER:
        found = f"more than {LONGEST_HEADER} bytes"
        raise BadDeclaration(Fault("source", "a header line", found, REMEDY))
    try:
        text = line.removeprefix(BOM).rstrip(b"\r\n").decode()
    except UnicodeDecodeError:
        text = "\0"
    names = cells_of(text) if text.isprintable() else None
    if not names or not all(names):
        asked, found = "a first line with a name for every column", "another first line"
        raise BadDeclaration(Fault("source", asked, found, REMEDY))
    if len(names) > MOST_COLUMNS:
        asked, found = f"at most {MOST_COLUMNS} columns", str(len(names))
        raise BadDeclaration(Fault("source", asked, found, "Write Parquet."))
    faults = [
        Fault("source", "each column once", shown(name), "Rename one of them.")
        for name in dict.fromkeys(names)
        if names.count(name) > 1
    ]
    raise_all(BadDeclaration, faults)
    return names


def cells_of(line: str) -> list[str] | None:
    """Return the cells of one line, or None where it is malformed."""
    if not re.fullmatch(f"{CELL}(?:,{CELL})*", line):
        return None
    cells = [cell for _, cell in re.findall(f"(^|,)({CELL})", line)]
    return [cell[1:-1].replace('""', '"') if cell[:1] == '"' else cell for cell in cells]


def rows(file: str, header: Sequence[str], names: Sequence[str]) -> str:
    """Return SQL for the named columns of the well-formed lines; `file` is a quoted path.

    A line without quotes is split at its commas; only one with quotes is matched, which is slow.
    """
    lines = (
        f"SELECT line, string_split(line, ',') AS parts, contains(line, '\"') AS quoted "
        f"FROM read_csv({file}, auto_detect=false, columns={{'line': 'VARCHAR'}}, skip=1, "
        "header=false, delim='\x01', quote='', escape='', comment='', compression='none', "
        f"ignore_errors=true, strict_mode=false, max_line_size={LONGEST_LINE})"
    )
    width = len(header)
    matches = f"regexp_full_match(line, '{CELL}{_repeated(width - 1)}')"
    good = f"CASE WHEN quoted THEN {matches} ELSE len(parts) = {width} END"
    chosen = ", ".join(_cell(header.index(name), name) for name in dict.fromkeys(names))
    return f"SELECT {chosen} FROM ({lines}) WHERE line IS NOT NULL AND {good}"


def _cell(place: int, name: str) -> str:
    """Return SQL for one cell of a line, nothing where it is empty."""
    before = "(?:" + CELL + ",)"
    pattern = "^" + "".join(f"{before}{{{times}}}" for times in _split(place)) + f"({CELL})"
    found = f"regexp_extract(line, '{pattern}', 1)"
    bare = f"replace(substr({found}, 2, length({found}) - 2), '\"\"', '\"')"
    unquoted = f"CASE WHEN starts_with({found}, '\"') THEN {bare} ELSE {found} END"
    cell = f"CASE WHEN quoted THEN {unquoted} ELSE parts[{place + 1}] END"
    quoted_name = '"' + name.replace('"', '""') + '"'
    return f"nullif({cell}, '') AS {quoted_name}"


def _repeated(times: int) -> str:
    """Return the pattern of so many further cells."""
    return "".join(f"(?:,{CELL}){{{part}}}" for part in _split(times))


def _split(times: int) -> list[int]:
    """Return numbers that a pattern may repeat and that add up."""
    whole, rest = divmod(times, MOST_REPEATED)
    return [MOST_REPEATED] * whole + ([rest] if rest else [])
