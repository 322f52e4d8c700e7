"""The same rows in each kind of place that a plan can name."""

import csv
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import count
from pathlib import Path

import duckdb
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq

ENGINES = ("parquet", "csv", "duckdb", "postgres", "spark")
NUMBERS = count()
ARROW = {
    "whole": pa.int64(),
    "float": pa.float64(),
    "text": pa.string(),
    "truth": pa.bool_(),
    "day": pa.date32(),
    "decimal": pa.decimal128(12, 2),
}
POSTGRES = {
    "whole": "bigint",
    "float": "double precision",
    "text": "text",
    "truth": "boolean",
    "day": "date",
    "decimal": "numeric(12,2)",
}
SPARK = {**POSTGRES, "float": "double", "text": "string", "decimal": "decimal(12,2)"}


@dataclass(frozen=True)
class Rows:
    """Columns by name, each with its type, and rows of plain values."""

    columns: dict[str, str]
    rows: list[tuple]


class Places:
    """Writes rows where an engine finds them, and returns the plan's word for it."""

    def __init__(self, folder: Path, address: str = "", session=None):
        self.folder, self.address, self.session = folder, address, session

    def source(self, engine: str, held: Rows) -> str:
        name = f"rows_{next(NUMBERS)}"
        return getattr(self, f"_{engine}")(name, held)

    def _table(self, held):
        columns = list(zip(*held.rows, strict=True)) or [()] * len(held.columns)
        arrays = [
            pa.array(column, ARROW[kind], from_pandas=False)
            for column, kind in zip(columns, held.columns.values(), strict=True)
        ]
        return pa.table(dict(zip(held.columns, arrays, strict=True)))

    def _parquet(self, name, held):
        pq.write_table(self._table(held), self.folder / f"{name}.parquet")
        return f"{name}.parquet"

    def _csv(self, name, held):
        with (self.folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(held.columns)
            writer.writerows([_written(cell) for cell in row] for row in held.rows)
        return f"{name}.csv"

    def _duckdb(self, name, held):
        table = self._table(held)
        with duckdb.connect(self.folder / f"{name}.duckdb") as connection:
            connection.register("given", table)
            connection.execute("CREATE TABLE trips AS SELECT * FROM given")
        return f"{name}.duckdb"

    def _postgres(self, name, held):
        listed = ", ".join(f'"{column}" {POSTGRES[kind]}' for column, kind in held.columns.items())
        marks = ", ".join(["%s"] * len(held.columns))
        with psycopg.connect(self.address) as connection:
            connection.execute(f"CREATE TABLE {name} ({listed})")
            connection.cursor().executemany(f"INSERT INTO {name} VALUES ({marks})", held.rows)
        return f"{self.address}#public.{name}"

    def _spark(self, name, held):
        schema = ", ".join(f"`{column}` {SPARK[kind]}" for column, kind in held.columns.items())
        self.session.createDataFrame(held.rows, schema).createOrReplaceTempView(name)
        return f"spark:{name}"


def _written(cell):
    """Return a cell as a CSV file has it."""
    match cell:
        case None:
            return ""
        case bool():
            return str(cell).lower()
        case date():
            return cell.isoformat()
        case float() | int() | Decimal() | str():
            return str(cell)


def as_csv(held: Rows) -> list[tuple]:
    """Return the rows as they are read from a CSV file: text, nothing where empty, one a line."""
    rows = [tuple(_written(cell) or None for cell in row) for row in held.rows]
    return [row for row in rows if not any("\n" in (cell or "") for cell in row)]
