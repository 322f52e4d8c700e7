"""The labels of one level: read once, checked, and kept as codes into a vocabulary."""

import math
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.foundation.errors import Fault, shown

Label = str | int
Integers = npt.NDArray[np.int64]
NONE = -1
ABSENT = -2  # the code of a label that a column does not have
MISSING = ("NAType", "NaTType")  # what pandas writes where there is nothing
LONGEST = 1000
MOST_STRANGE = 3
REMEDY = "Correct the public list of leaves."


@dataclass(frozen=True, slots=True)
class Column:
    """The labels of one level, row by row: `vocabulary[code]`, or NONE where the row has ended."""

    name: str
    codes: Integers
    vocabulary: Sequence[Label] | Integers

    def label(self, code: int) -> Label:
        """Return the label of a code, as plain Python has it."""
        label = self.vocabulary[code]
        return int(label) if isinstance(label, int | np.integer) else label

    def code(self, label: object) -> int:
        """Return the code of a label, or ABSENT."""
        if type(label) not in (str, int):
            return ABSENT
        if isinstance(self.vocabulary, np.ndarray):
            found = np.flatnonzero(self.vocabulary == label)
            return int(found[0]) if found.size else ABSENT
        return self.vocabulary.index(label) if label in self.vocabulary else ABSENT


def column_of(name: str, values: Any, faults: list[Fault]) -> Column:
    """Return a column from an array or a list; what is wrong with it is added to `faults`."""
    if isinstance(values, np.ma.MaskedArray):
        values = values.tolist()
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu" and values.ndim == 1:
        return _whole_numbers(name, values, faults)
    if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__len__"):
        faults.append(Fault(name, "a list of labels", f"a {type(values).__name__}", REMEDY))
        return Column(name, np.empty(0, dtype=np.int64), ())
    listed = values.tolist() if isinstance(values, np.ndarray) else list(values)
    if not set(map(type, listed)) <= {str, int}:
        listed = [_plain(value) for value in listed]
    seen: dict[Any, int] = {}
    codes = np.array([seen.setdefault(label, len(seen)) for label in listed], dtype=np.int64)
    missing = seen.get(None, NONE)
    vocabulary = [label for label in seen if label is not None]
    if missing != NONE:
        codes = np.where(codes == missing, NONE, codes - (codes > missing))
    faults.extend(_faults_of(name, vocabulary))
    return Column(name, codes, vocabulary)


@dataclass(frozen=True, slots=True)
class _Strange:
    """A value that cannot be a label; its text keeps True apart from 1."""

    kind: str
    text: str

    def __str__(self) -> str:
        return self.text


def _plain(value: Any) -> Any:
    """Return a label as plain Python has it, None where there is none, else a strange value."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return int(value)
    missing = value is None or type(value).__name__ in MISSING
    if missing or (isinstance(value, float) and math.isnan(value)):
        return None
    return _Strange(type(value).__name__, shown(value))


def _whole_numbers(name: str, values: npt.NDArray[Any], faults: list[Fault]) -> Column:
    """Return a column of whole numbers without a Python object for each."""
    if not values.size:
        return Column(name, np.empty(0, dtype=np.int64), ())
    low, high = int(values.min()), int(values.max())
    if high > np.iinfo(np.int64).max:
        faults.append(Fault(name, "labels below 2**63", shown(high), REMEDY))
        return Column(name, np.zeros(values.size, dtype=np.int64), (0,))
    if high - low <= 4 * values.size:
        return Column(name, values.astype(np.int64) - low, range(low, high + 1))
    vocabulary, codes = np.unique(values.astype(np.int64), return_inverse=True)
    return Column(name, codes.reshape(-1), vocabulary)


def _faults_of(name: str, vocabulary: list[Any]) -> list[Fault]:
    """Return what is wrong with the distinct labels of a level."""
    names = [label for label in vocabulary if isinstance(label, str)]
    strange = [label for label in vocabulary if isinstance(label, _Strange)]
    faults = [
        Fault(name, "names or whole numbers", f"a {label.kind} ({label})", _remedy(label.kind))
        for label in strange[:MOST_STRANGE]
    ]
    if any(isinstance(label, int) and abs(label) >= 2**63 for label in vocabulary):
        faults.append(Fault(name, "whole numbers of 64 bits", "a larger one", REMEDY))
    if names and len(names) + len(strange) < len(vocabulary):
        found = "names and whole numbers together"
        faults.append(Fault(name, "labels of one type", found, REMEDY))
    faults += [
        Fault(name, asked, shown(label), REMEDY) for label in names if (asked := _asked_of(label))
    ]
    return faults + _twins(name, names)


def _remedy(kind: str) -> str:
    """Return what to do about a label of a strange type."""
    if kind == "float":
        return "Write whole numbers; in pandas, gaps need the type Int64."
    return REMEDY


def _asked_of(label: str) -> str:
    """Return what a name lacks, or nothing."""
    if not label.strip():
        return "a name that is not empty"
    if len(label) > LONGEST:
        return f"a name of at most {LONGEST} characters"
    if not label.isprintable():
        return "a name of printable characters"
    return ""


def _twins(name: str, vocabulary: list[str]) -> list[Fault]:
    """Return names that look the same and differ only in how Unicode writes them."""
    seen: dict[str, str] = {}
    faults = []
    for label in vocabulary:
        if label.isascii():
            continue
        twin = seen.setdefault(unicodedata.normalize("NFC", label), label)
        if twin != label:
            found = f"{shown(twin)} and {shown(label)}"
            faults.append(Fault(name, "names that differ to the eye", found, REMEDY))
    return faults


def recoded(mine: Column, theirs: Column) -> Integers:
    """Return their labels as my codes; NONE stays, a label I do not know becomes ABSENT."""
    known = {mine.label(code): code for code in range(len(mine.vocabulary))}
    table = [known.get(theirs.label(code), ABSENT) for code in range(len(theirs.vocabulary))]
    return np.array([*table, NONE], dtype=np.int64)[theirs.codes]
