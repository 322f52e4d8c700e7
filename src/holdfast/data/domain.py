"""The public tree of a declaration, and what stands beside its leaves.

Claim.      The digest is the same for two lists exactly where they name the same leaves in the
            same order, whether whole numbers are written as numbers or as text.
Reason.     docs/theory/counting.md#the-domain
Checked by. tests/data/test_domain.py
"""

import hashlib
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from holdfast.data.declaration import Declaration
from holdfast.data.public_list import read_list
from holdfast.data.spreadsheet import fault_of_text
from holdfast.foundation.errors import BadDeclaration, Fault, raise_all, shown
from holdfast.worlds.hierarchy import Hierarchy
from holdfast.worlds.labels import NONE, Label

MOST_NAMED = 3
REMEDY = "Correct the public list of leaves."
Keys = tuple[tuple[Label, ...], ...]


@dataclass(frozen=True, eq=False)
class Domain:
    """The public tree; in the order of its leaves, a label and what rows are matched by.

    `keys` holds one tuple a column of the declaration's key; without a key it is None, and rows
    are matched by their path.
    """

    tree: Hierarchy
    labels: tuple[str, ...] | None
    digest: str
    keys: Keys | None = None


def read_domain(declaration: Declaration, folder: Path) -> Domain:
    """Return the domain in the file that the declaration names."""
    theirs = [name for _, name in declaration.key]
    label = [declaration.label] if declaration.label is not None else []
    names = list(dict.fromkeys([*declaration.levels, *theirs, *label]))
    columns = read_list(declaration.domain, folder, names)
    levels = {name: columns[name] for name in declaration.levels}
    tree = Hierarchy.from_frame(levels, declaration.levels, declaration.root)
    faults = [fault for column in tree.columns for fault in _formulas(column)]
    labels = _labels(declaration.label, columns, tree, faults)
    keys = tuple(_ordered(columns[name], tree) for name in theirs) if theirs else None
    if keys is not None:
        faults += _faults_of_keys(theirs, keys)
    raise_all(BadDeclaration, faults)
    return Domain(tree, labels, digest_of(tree), keys)


def digest_of(tree: Hierarchy) -> str:
    """Return the SHA-256 of the leaves' paths: a JSON array of texts each, a line each."""
    answer = hashlib.sha256()
    for path in zip(*texts_of(tree), strict=True):
        labels = list(itertools.takewhile(bool, path))
        line = json.dumps(labels, ensure_ascii=False, separators=(",", ":"))
        answer.update(line.encode() + b"\n")
    return answer.hexdigest()


def texts_of(tree: Hierarchy) -> list[list[str]]:
    """Return for each level below the root the leaves' labels as text, empty below a short one."""
    nodes, depths = tree.leaf_nodes, tree.levels
    answer = []
    for depth in range(tree.depth - 1, 0, -1):
        column, here = tree.columns[depth - 1], depths[nodes] == depth
        texts = np.array([str(column.label(code)) for code in range(len(column.vocabulary))])
        texts = np.append(texts.astype(object), "")
        answer.append(texts[np.where(here, tree.arrays.codes[nodes], NONE)].tolist())
        nodes = np.where(here, tree.arrays.parents[nodes], nodes)
    return answer[::-1]


def _ordered(values: Any, tree: Hierarchy) -> tuple[Any, ...]:
    """Return a column of the list in the order of the leaves, as plain Python values."""
    listed = values.tolist() if isinstance(values, np.ndarray) else list(values)
    rows = np.argsort(tree.arrays.leaf_of_row, kind="stable")
    return tuple(listed[row] for row in rows.tolist())


def _formulas(column: Any) -> Iterator[Fault]:
    """Yield the first few labels of a level that a spreadsheet would calculate."""
    if isinstance(column.vocabulary, list):
        names = (name for name in column.vocabulary if isinstance(name, str))
        yield from _first(fault for name in names for fault in fault_of_text(column.name, name))


def _labels(
    name: str | None, columns: Mapping[str, Any], tree: Hierarchy, faults: list[Fault]
) -> tuple[str, ...] | None:
    """Return the texts beside the leaves; what is wrong with them is added to `faults`."""
    if name is None:
        return None
    values = ["" if value is None else value for value in _ordered(columns[name], tree)]
    strange = [v for v in values if isinstance(v, bool) or not isinstance(v, str | int)]
    if strange:
        faults.append(Fault(name, "text or whole numbers", shown(strange[0]), REMEDY))
    names = dict.fromkeys(value for value in values if isinstance(value, str))
    faults.extend(_first(fault for text in names for fault in fault_of_text(name, text)))
    return tuple(str(value) for value in values)


def _faults_of_keys(names: Sequence[str], keys: Keys) -> Iterator[Fault]:
    """Yield what keeps a key from naming one leaf."""
    for name, column in zip(names, keys, strict=True):
        kinds = set(map(type, column))
        if None in column or "" in column:
            yield Fault(name, "a key at every leaf", "one without", REMEDY)
        elif not kinds <= {str, int}:
            yield Fault(name, "names or whole numbers", "something else", REMEDY)
        elif len(kinds) > 1:
            yield Fault(name, "keys of one type", "names and whole numbers together", REMEDY)
    seen: set[tuple[Label, ...]] = set()
    for key in zip(*keys, strict=True):
        if key in seen:
            found = shown("/".join(map(str, key)))
            yield Fault("key", "a key that names one leaf", f"{found} twice", REMEDY)
            return
        seen.add(key)


def _first(faults: Iterable[Fault]) -> list[Fault]:
    return list(itertools.islice(faults, MOST_NAMED))
