"""The public list of leaves as people have it: paths, columns, or pairs of child and parent."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from holdfast.foundation.errors import BadTree, Fault, raise_all, shown
from holdfast.worlds.labels import REMEDY, Column, Label, column_of

Read = tuple[list[Column], list[Fault]]


def from_columns(columns: Mapping[str, Any]) -> Read:
    """Return columns of one length, and what is wrong with their labels."""
    faults: list[Fault] = []
    read = [column_of(name, values, faults) for name, values in columns.items()]
    lengths = {column.codes.size for column in read}
    if len(lengths) > 1:
        faults.append(Fault("columns", "columns of one length", str(sorted(lengths)), REMEDY))
        raise BadTree(*faults)
    return read, faults


def from_paths(paths: Iterable[Sequence[Label]]) -> Read:
    """Return one column for each level of the paths, named by its number."""
    listed = _listed(paths, "paths")
    strange = [path for path in listed if not isinstance(path, tuple | list)]
    if strange:
        found = f"a {type(strange[0]).__name__} ({shown(strange[0])})"
        remedy = 'Write a path as a tuple: ("Bronx", "Allerton"), or ("Bronx",).'
        raise BadTree(Fault("path", "a tuple of labels", found, remedy))
    depth = max((len(path) for path in listed), default=0)
    levels = {
        f"level {level + 1}": [path[level] if level < len(path) else None for path in listed]
        for level in range(depth)
    }
    faults = [
        Fault("path", "a label at every level", f"None in {shown(str(tuple(path)))}", REMEDY)
        for path in listed
        if any(label is None for label in path)
    ]
    raise_all(BadTree, faults)
    return from_columns(levels)


def from_pairs(pairs: Any, root: str) -> Read:
    """Return the columns of a list of (child, parent); names are unique in the whole tree."""
    listed = _listed(pairs.items() if isinstance(pairs, Mapping) else pairs, "pairs")
    if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in listed) or not all(
        isinstance(name, str | int) for pair in listed for name in pair
    ):
        remedy = 'Write for example {"Allerton": "Bronx", "Bronx": "NYC"}.'
        raise BadTree(Fault("pairs", "names of child and parent", "something else", remedy))
    parent_of = dict(listed)
    faults = [
        Fault(shown(child), "one parent", "two lines for it", REMEDY)
        for child in sorted(_repeated([child for child, _ in listed]), key=str)
    ]
    if root in parent_of:
        faults.append(Fault(shown(root), "a root without a parent", "a parent", REMEDY))
    raise_all(BadTree, faults)
    parents = set(parent_of.values())
    loose = sorted((name for name in parents if name != root and name not in parent_of), key=str)
    faults += [
        Fault(shown(name), "a parent for every node but the root", "an orphan", REMEDY)
        for name in loose
    ]
    raise_all(BadTree, faults)
    _refuse_cycles(parent_of, root)
    leaves = [child for child in parent_of if child not in parents]
    return from_paths([_path(child, parent_of, root) for child in leaves])


def _listed(values: Any, subject: str) -> list[Any]:
    """Return the items of a list, or refuse what is none."""
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise BadTree(Fault(subject, "a list", f"a {type(values).__name__}", REMEDY))
    return list(values)


def _repeated(names: list[Any]) -> set[Any]:
    """Return the names that come more than once."""
    seen: set[Any] = set()
    return {name for name in names if name in seen or seen.add(name)}  # type: ignore[func-returns-value]


def _refuse_cycles(parent_of: Mapping[Any, Any], root: str) -> None:
    """Refuse nodes from which the root is never reached, with one cycle by name."""
    reach = {root}
    for start in parent_of:
        walk: list[Any] = []
        name = start
        while name not in reach:
            if name in walk:
                cycle = " -> ".join(map(shown, [*walk[walk.index(name) :], name]))
                raise BadTree(Fault("parents", "a tree", f"a cycle: {cycle}", REMEDY))
            walk.append(name)
            name = parent_of[name]
        reach.update(walk)


def _path(name: Any, parent_of: Mapping[Any, Any], root: str) -> tuple[Label, ...]:
    """Return the labels from the root's child down to this node."""
    answer: list[Label] = []
    while name != root:
        answer.append(name)
        name = parent_of[name]
    return tuple(reversed(answer))
