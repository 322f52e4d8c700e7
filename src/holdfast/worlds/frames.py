"""Columns of any dataframe: pandas, polars, pyarrow, DuckDB. The keeper of `narwhals`.

A foreign engine's own error may print the rows it stumbled on, so none gets through: this is the
one place of the house that catches every exception, and it tells the class of it alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from holdfast.foundation.errors import BadTree, Fault, HoldfastError, shown

Columns = Mapping[str, Any]
WIDE = ("HUGEINT", "DECIMAL")  # what NumPy would turn into floats without a word


def columns_of(frame: Any, names: Iterable[str], kind: type[HoldfastError] = BadTree) -> Columns:
    """Return the named columns, as arrays of whole numbers or floats, else as lists."""
    try:
        return _read(frame, _names(names))
    except HoldfastError as error:
        raise kind(*error.faults) from None
    except Exception as error:  # noqa: BLE001  see above
        failure = type(error).__name__
    raise kind(
        Fault("frame", "a frame that can be read", f"a failure ({failure})", "Read it alone first.")
    )


def _names(names: Any) -> list[str]:
    """Return the names of columns, refusing what is no list of different names."""
    listed = [] if isinstance(names, str) or not hasattr(names, "__iter__") else list(names)
    good = all(isinstance(name, str) and name.isprintable() for name in listed)
    if not listed or not good or len(set(listed)) < len(listed):
        asked = "a list of different columns of the frame, top level first"
        found = ", ".join(map(shown, listed)) or shown(names)
        remedy = 'Write for example ["Borough", "Zone"].'
        raise BadTree(Fault("columns", asked, found or "nothing", remedy))
    return listed


def _read(frame: Any, names: Sequence[str]) -> Columns:
    """Return the columns of a mapping, a DuckDB relation, or any other dataframe."""
    if isinstance(frame, Mapping):
        _check_names(names, list(frame))
        return {name: frame[name] for name in names}
    if hasattr(frame, "fetchnumpy") and hasattr(frame, "project"):
        _check_names(names, list(frame.columns))
        return _fetched(frame, names)  # the usual way would ask for pyarrow
    import narwhals as nw

    known = nw.from_native(frame, pass_through=True)
    if not isinstance(known, nw.DataFrame | nw.LazyFrame):
        asked, found = "a dataframe, or a mapping from column to values", type(frame).__name__
        raise BadTree(Fault("frame", asked, found, "Give pandas, polars, pyarrow or DuckDB."))
    table = known.lazy().collect() if isinstance(known, nw.LazyFrame) else known
    _check_names(names, table.columns)
    return {name: _values(table[name]) for name in names}


def _check_names(names: Sequence[str], known: Sequence[Any]) -> None:
    """Refuse columns that the frame does not have."""
    missing = [name for name in names if name not in known]
    if missing:
        found = ", ".join(map(shown, missing))
        remedy = "The frame has: " + ", ".join(map(shown, known)) + "."
        raise BadTree(Fault("columns", "columns of the frame", found, remedy))


def _values(series: Any) -> Any:
    """Return a column's values: an array where numbers are complete, else a list."""
    if (series.dtype.is_integer() or series.dtype.is_float()) and not series.null_count():
        return series.to_numpy()
    return series.to_list()


def _fetched(relation: Any, names: Sequence[str]) -> Columns:
    """Return the columns of a DuckDB relation, all from one execution."""
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    chosen = relation.project(", ".join(quoted))
    if any(wide in str(kind) for kind in chosen.types for wide in WIDE):
        rows = chosen.fetchall()
        return {name: [row[place] for row in rows] for place, name in enumerate(names)}
    return {name: _unmasked(column) for name, column in chosen.fetchnumpy().items()}


def _unmasked(column: Any) -> Any:
    """Return an array, or a list with None where the array is masked."""
    if not hasattr(column, "mask"):
        return column
    return column.tolist() if column.mask.any() else column.data
