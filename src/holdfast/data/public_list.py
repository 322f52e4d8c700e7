"""The file of the public list of leaves as columns; all of it may be shown."""

import csv
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from holdfast.data.names import missing
from holdfast.data.sources import CsvFile, ParquetFile, check_file, domain_of
from holdfast.foundation.errors import BadDeclaration, Fault, raise_all, shown
from holdfast.worlds.frames import columns_of

WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")
REMEDY = "Save the list again, as UTF-8 with commas and a header."


def read_list(path: str, folder: Path, names: Sequence[str]) -> Mapping[str, Any]:
    """Return the named columns of the list; repeated or missing columns are refused."""
    source = domain_of(path, folder)
    check_file(source.path, "domain")
    match source:
        case CsvFile():
            return _of_csv(source.path, names)
        case ParquetFile():
            return _of_parquet(source, names)


def _of_parquet(source: ParquetFile, names: Sequence[str]) -> Mapping[str, Any]:
    """Return columns of a Parquet file."""
    from holdfast.data import duckdb_engine  # 0.1 s that a CSV file does not need

    with duckdb_engine.opened(source, "domain") as table:
        raise_all(BadDeclaration, list(missing("domain", names, table.kinds())))
        return columns_of(table.relation(), names, BadDeclaration)


def _of_csv(path: Path, names: Sequence[str]) -> Mapping[str, Any]:
    """Return columns of a CSV file: whole numbers where every cell is one, else text."""
    header, *rows = _rows(path) or [[]]
    faults = list(missing("domain", names, header))
    faults += [
        Fault("domain", "each column once", shown(name), "Rename one of them.")
        for name in names
        if header.count(name) > 1
    ]
    ragged = [number for number, row in enumerate(rows, 2) if len(row) != len(header)]
    if ragged:
        found = f"row {ragged[0]} with another number"
        faults.append(Fault("domain", f"{len(header)} cells in every row", found, REMEDY))
    raise_all(BadDeclaration, faults)
    places = [header.index(name) for name in names]
    columns = zip(*([row[place] for place in places] for row in rows), strict=True)
    typed = [_typed(column) for column in columns] or [[] for _ in names]
    return dict(zip(names, typed, strict=True))


def _rows(path: Path) -> list[list[str]]:
    """Return the rows of a CSV file that are not blank."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            return [row for row in csv.reader(lines, strict=True) if row]
    except (csv.Error, UnicodeDecodeError, OSError):
        fault = Fault("domain", "a CSV file in UTF-8", "another file", REMEDY)
    raise BadDeclaration(fault)


def _typed(cells: Sequence[str]) -> list[str | int | None]:
    """Return whole numbers where all are written as one, else text; nothing where empty."""
    if all(not cell or WHOLE.fullmatch(cell) for cell in cells):
        return [int(cell) if cell else None for cell in cells]
    return [cell or None for cell in cells]
