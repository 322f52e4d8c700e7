"""The fields of one section of a plan, read one by one; each fault is kept, none is raised.

Reason.     docs/theory/plans.md#how-a-plan-is-read
Checked by. tests/publication/plan/test_reading.py
"""

import difflib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from holdfast.foundation.errors import Fault, HoldfastError, shown

Value = TypeVar("Value")
Other = TypeVar("Other")


class Fields:
    """What a section holds, and the faults found in it so far."""

    __slots__ = ("_asked", "_found", "_section", "faults")

    def __init__(self, section: str, found: object, faults: list[Fault]) -> None:
        self.faults = faults
        self._section = section
        self._asked: list[str] = []
        self._found: Mapping[str, Any] = {}
        if isinstance(found, Mapping):
            self._found = found
        elif found is not None:
            self.fault("", "a table of keys and values", shown(found), f"Write [{section}].")

    def take(self, key: str, read: Callable[[Any], Value], default: Other) -> Value | Other:
        """Return what a key says, or the default where it is not there or says nothing right."""
        self._asked.append(key)
        if key not in self._found:
            return default
        try:
            return read(self._found[key])
        except HoldfastError as error:
            self.faults += [self._placed(key, fault) for fault in error.faults]
        return default

    def need(self, key: str, read: Callable[[Any], Value], example: str) -> Value | None:
        """Return what a key says; that it is missing is a fault."""
        if key not in self._found:
            self._asked.append(key)
            self.fault(key, "a value", "none", f"Write {key} = {example}.")
            return None
        return self.take(key, read, None)

    def has(self, key: str) -> bool:
        """Return whether the section says anything of a key."""
        return key in self._found

    def fault(self, key: str, asked: str, found: str, remedy: str) -> None:
        """Keep a fault."""
        self.faults.append(Fault(self._place(key), asked, found, remedy))

    def close(self) -> None:
        """Keep a fault for every key that nobody asked for."""
        for key in self._found:
            if key not in self._asked:
                near = did_you_mean(str(key), self._asked)
                self.fault(str(key)[:40], "a known key", shown(str(key)), near)

    def _place(self, key: str) -> str:
        return f"[{self._section}] {key}".strip()

    def _placed(self, key: str, fault: Fault) -> Fault:
        return Fault(self._place(key), fault.asked, fault.found, fault.remedy)


def did_you_mean(found: str, known: Sequence[str]) -> str:
    """Return the nearest known word as a question, or all of them."""
    near = difflib.get_close_matches(found, known, 1)
    return f"Did you mean {near[0]}?" if near else f"Known: {', '.join(known)}."
