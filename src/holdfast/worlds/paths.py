"""The paths of nodes, made one by one as they are looked at."""

from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np
import numpy.typing as npt

from holdfast.worlds.growth import Arrays, path_of
from holdfast.worlds.labels import Column, Label

Path = tuple[Label, ...]
SHOWN = 3


class Paths(Sequence[Path]):
    """A sequence of path tuples; it holds node numbers, not tuples."""

    __slots__ = ("_arrays", "_columns", "_nodes")

    def __init__(
        self, arrays: Arrays, columns: Sequence[Column], nodes: npt.NDArray[np.int64] | range
    ) -> None:
        self._arrays = arrays
        self._columns = columns
        self._nodes = nodes

    def __len__(self) -> int:
        return len(self._nodes)

    @overload
    def __getitem__(self, index: int) -> Path: ...
    @overload
    def __getitem__(self, index: slice) -> "Paths": ...
    def __getitem__(self, index: int | slice) -> "Path | Paths":
        if isinstance(index, slice):
            return Paths(self._arrays, self._columns, self._nodes[index])
        return path_of(self._arrays, self._columns, int(self._nodes[index]))

    def __iter__(self) -> Iterator[Path]:
        return (path_of(self._arrays, self._columns, int(node)) for node in self._nodes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(other) != len(self):
            return NotImplemented if not isinstance(other, Sequence) else False
        return all(mine == yours for mine, yours in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        first = ", ".join(map(repr, self[:SHOWN]))
        more = ", ..." if len(self) > SHOWN else ""
        return f"<{len(self)} paths: {first}{more}>"
