"""Where long work says how far it has come. It is told public things only: stages and counts.

>>> silent("messages", 1, 10)
"""

from typing import Protocol, TextIO

WIDTH = 24


class Progress(Protocol):
    """Something that is told: of this stage, so many steps of so many are done."""

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Take the news."""


def silent(stage: str, done: int, total: int) -> None:
    """Say nothing."""


class Bar:
    """A bar on a terminal, one line a stage; on anything else it says nothing."""

    __slots__ = ("_last", "_stream")

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._last = ("", -1)

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Draw the bar where a hundredth more is done."""
        percent = 100 * done // total if total else 100
        if not self._stream.isatty() or (stage, percent) == self._last:
            return
        self._last = (stage, percent)
        full = WIDTH * percent // 100
        end = "\n" if percent == 100 else ""
        self._stream.write(f"\r{stage:<20} [{'#' * full:<{WIDTH}}] {percent:3d} %{end}")
        self._stream.flush()
