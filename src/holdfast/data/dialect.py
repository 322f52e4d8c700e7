"""What the engines' SQL has in common, and the few words in which they differ."""

from abc import ABC, abstractmethod
from enum import Enum
from typing import ClassVar, Final

EXACT: Final = 2**53  # every whole number up to here is a float too
WHOLE: Final = "^-?[0-9]{1,18}(?:[.]0*)?"  # 18 digits stay within 64 bits
DIGITS: Final = 18


class Kind(Enum):
    """What the cells of a column are."""

    WHOLE = "whole numbers"
    DECIMAL = "decimal numbers"
    FLOAT = "floats"
    TEXT = "text"
    TRUTH = "true or false"
    DAY = "days"


COUNTABLE = frozenset({Kind.WHOLE, Kind.DECIMAL, Kind.FLOAT, Kind.TEXT})


class Dialect(ABC):
    """The words of one engine; each takes and returns SQL, and none raises on any cell."""

    float_type: ClassVar[str] = "DOUBLE"
    text_type: ClassVar[str] = "VARCHAR"

    @abstractmethod
    def name(self, column: str) -> str:
        """Return the quoted name of a column."""

    @abstractmethod
    def plain(self, column: str, kind: Kind) -> str:
        """Return a column so that equal cells are the same bytes, whatever its collation."""

    @abstractmethod
    def matches_whole(self, cell: str) -> str:
        """Return whether the whole text is a whole number of at most 18 digits."""

    @abstractmethod
    def hashed(self, text: str) -> str:
        """Return the SHA-256 of a text, in an order that every engine shares."""

    @abstractmethod
    def up_to(self, count: str) -> str:
        """Return one row for each of 1, ..., count, which is at least 1."""

    def integer(self, cell: str) -> str:
        """Return a cell as a number of 64 bits, or NULL where it has no room."""
        return f"TRY_CAST({cell} AS BIGINT)"

    def added(self, cell: str) -> str:
        """Return the sum of whole numbers, in more than 64 bits."""
        return f"sum({cell})"

    def is_integer(self, cell: str, kind: Kind) -> str:
        """Return whether a number has no fraction."""
        return f"{cell} % 1 = 0"

    def whole(self, cell: str, kind: Kind) -> str:
        """Return the whole number that a cell stands for, or NULL."""
        match kind:
            case Kind.WHOLE:
                return self.integer(cell)
            case Kind.DECIMAL | Kind.FLOAT:
                small = f"abs(CAST({cell} AS {self.float_type})) <= {EXACT}"
                test = f"{small} AND {self.is_integer(cell, kind)}"
                return f"CASE WHEN {test} THEN {self.integer(cell)} END"
            case Kind.TEXT:
                number = self.integer(f"split_part({cell}, '.', 1)")
                return f"CASE WHEN {self.matches_whole(cell)} THEN {number} END"
            case Kind.TRUTH | Kind.DAY:
                return self.integer("NULL")

    def text(self, cell: str, kind: Kind) -> str:
        """Return the text that a cell stands for, or NULL."""
        match kind:
            case Kind.TEXT:
                return cell
            case Kind.WHOLE | Kind.DAY:
                return self.written(cell)
            case Kind.DECIMAL | Kind.FLOAT:
                return self.written(self.whole(cell, kind))
            case Kind.TRUTH:
                return f"CASE WHEN {cell} THEN 'true' WHEN NOT {cell} THEN 'false' END"

    def written(self, cell: str) -> str:
        """Return a cell as text."""
        return f"CAST({cell} AS {self.text_type})"
