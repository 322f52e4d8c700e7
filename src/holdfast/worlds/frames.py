"""Columns of any dataframe: pandas, polars, pyarrow, DuckDB. The keeper of `narwhals`.

A frame of the public list may be described in an error; one of counts may not.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.foundation.errors import BadTree, Fault, shown

Columns = Mapping[str, Any]


def columns_of(frame: Any, names: Sequence[str]) -> Columns:
    """Return the named columns, as arrays of whole numbers or floats, else as lists."""
    if isinstance(frame, Mapping):
        _check_names(names, list(frame))
        return {name: frame[name] for name in names}
    if hasattr(frame, "fetchnumpy"):  # a DuckDB relation; the usual way would ask for pyarrow
        _check_names(names, list(frame.columns))
        return {name: _unmasked(column) for name, column in _fetched(frame, names).items()}
    import narwhals as nw

    try:
        known = nw.from_native(frame)
    except TypeError:
        found = f"a {type(frame).__name__}"
        asked = "a dataframe, or a mapping from column to values"
        raise BadTree(
            Fault("frame", asked, found, "Give pandas, polars, pyarrow or DuckDB.")
        ) from None
    known = known.lazy().collect() if isinstance(known, nw.LazyFrame) else known
    _check_names(names, known.columns)
    return {name: _values(known[name]) for name in names}


def _check_names(names: Sequence[str], known: Sequence[str]) -> None:
    """Refuse columns that the frame does not have."""
    missing = [name for name in names if name not in known]
    if missing or not names or isinstance(names, str):
        asked = "a list of columns of the frame, top level first"
        found = ", ".join(shown(name) for name in missing) or shown(names)
        remedy = "The frame has: " + ", ".join(shown(name) for name in known) + "."
        raise BadTree(Fault("levels", asked, found, remedy))


def _values(series: Any) -> Any:
    """Return a column's values: an array where numbers are complete, else a list."""
    if series.dtype.is_numeric() and not series.null_count():
        return series.to_numpy()
    return series.to_list()


def _fetched(relation: Any, names: Sequence[str]) -> Mapping[str, Any]:
    """Return the columns of a DuckDB relation."""
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    fetched: Mapping[str, Any] = relation.project(", ".join(quoted)).fetchnumpy()
    return fetched


def _unmasked(column: Any) -> Any:
    """Return an array, or a list with None where the array is masked."""
    return column.tolist() if hasattr(column, "mask") and column.mask.any() else column
