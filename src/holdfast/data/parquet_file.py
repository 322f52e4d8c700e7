"""A published table as a Parquet file, and back: public values, written by the engine.

Reason.     docs/theory/plans.md#what-is-written
Checked by. tests/data/test_parquet_file.py
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from holdfast.data.duckdb_engine import asked
from holdfast.data.failure import unreadable
from holdfast.data.spill import spill_folder


def parquet_of(columns: Mapping[str, Sequence[str] | Any]) -> bytes:
    """Return columns of texts and of whole numbers as the bytes of a Parquet file."""
    with spill_folder() as folder:
        target = folder / "table.parquet"
        connection = duckdb.connect(config={"threads": "1"})  # the same file every time
        try:
            connection.register("published", {k: _array(v) for k, v in columns.items()})
            connection.execute(
                "COPY published TO ? (FORMAT parquet, COMPRESSION zstd)", [str(target)]
            )
        finally:
            connection.close()
        return target.read_bytes()


def columns_of_parquet(path: Path) -> dict[str, Any]:
    """Return the columns of such a file, as arrays."""

    def read() -> dict[str, Any]:
        connection = duckdb.connect()
        try:
            rows = connection.execute("SELECT * FROM read_parquet(?)", [str(path)])
            return {name: np.asarray(column) for name, column in rows.fetchnumpy().items()}
        finally:
            connection.close()

    return asked(read, unreadable("table.parquet"))


def _array(column: Sequence[str] | Any) -> Any:
    return column if isinstance(column, np.ndarray) else np.array(column, dtype=object)
