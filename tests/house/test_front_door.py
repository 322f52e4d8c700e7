"""Importing holdfast is quick, does nothing, and pulls in nothing heavy."""

import subprocess
import sys
from pathlib import Path

import pytest

import holdfast

HEAVY = (
    "numba",
    "duckdb",
    "ibis",
    "scipy",
    "matplotlib",
    "plotly",
    "altair",
    "pandas",
    "polars",
    "pyarrow",
    "narwhals",
    "cryptography",
    "random",
)


def loaded_by(statement: str) -> set[str]:
    """Return the top-level modules that a statement loads in a fresh interpreter."""
    script = f"import sys; before = set(sys.modules); {statement}; "
    script += "print(*{name.split('.')[0] for name in set(sys.modules) - before})"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_the_import_pulls_in_nothing_heavy():
    assert loaded_by("import holdfast") <= {"holdfast", "importlib", "typing"} | STANDARD
    assert not loaded_by("import holdfast") & set(HEAVY)


STANDARD = loaded_by("import importlib, typing")


def test_every_name_of_the_front_door_opens_without_the_heavy_ones():
    """NumPy and the cipher are all that it needs, but for the three words that read files."""
    names = sorted(set(holdfast.__all__) - {"preview", "publish", "verify"})
    statement = f"import holdfast; [getattr(holdfast, name) for name in {names}]"
    assert not loaded_by(statement) & (set(HEAVY) - {"cryptography", "random"})


def test_the_heavy_test_barks():
    assert loaded_by("import polars") & set(HEAVY)


def test_the_names_agree():
    assert sorted(holdfast.ROOMS) == holdfast.__all__
    assert all(getattr(holdfast, name) is not None for name in holdfast.__all__)
    assert set(holdfast.__all__) <= set(dir(holdfast))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'revise'"):
        _ = holdfast.revise


def test_importing_leaves_no_file(tmp_path):
    script = "import holdfast; [getattr(holdfast, name) for name in holdfast.__all__]"
    subprocess.run([sys.executable, "-B", "-c", script], cwd=tmp_path, check=True)
    assert list(tmp_path.iterdir()) == []


def test_the_types_are_shipped():
    assert Path(holdfast.__file__).with_name("py.typed").exists()
