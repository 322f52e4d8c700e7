"""Published columns as Parquet and back, and nothing left behind.

If this failed, the two tables of a release would differ.
"""

import tempfile
from pathlib import Path

import numpy as np
import pytest

from holdfast.data.parquet_file import columns_of_parquet, parquet_of
from holdfast.foundation.errors import HoldfastError

COLUMNS = {"Borough": ["", "A", "Zürich, '\""], "value": np.array([1, -(2**62), 0])}


def test_there_and_back(tmp_path):
    path = tmp_path / "table.parquet"
    path.write_bytes(parquet_of(COLUMNS))
    found = columns_of_parquet(path)
    assert list(found) == list(COLUMNS)
    assert found["Borough"].tolist() == COLUMNS["Borough"]
    assert found["value"].tolist() == COLUMNS["value"].tolist()
    assert found["value"].dtype == np.int64


def test_the_same_columns_are_the_same_bytes():
    assert parquet_of(COLUMNS) == parquet_of(COLUMNS)
    assert parquet_of(COLUMNS) != parquet_of({**COLUMNS, "value": np.array([1, 2, 0])})


def test_nothing_is_left_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    parquet_of(COLUMNS)
    assert list(Path(tmp_path).iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"PAR1", b"x" * 100])
def test_what_is_no_parquet_is_refused(tmp_path, content):
    path = tmp_path / "table.parquet"
    path.write_bytes(content)
    with pytest.raises(HoldfastError):
        columns_of_parquet(path)
