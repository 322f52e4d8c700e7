"""What passed and what failed."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Tally:
    """How many cases of one kind passed, how many failed and why, and how they ended."""

    name: str
    passed: int = 0
    failures: list[str] = field(default_factory=list)
    ends: Counter[str] = field(default_factory=Counter)
    figures: str = ""

    def count(self, faults: list[str], end: str = "") -> None:
        """Count one case, which passed where it has no faults."""
        self.failures += ["; ".join(faults)] if faults else []
        self.passed += not faults
        self.ends[end] += bool(end)

    def __str__(self) -> str:
        ends = ", ".join(f"{count} {end}" for end, count in self.ends.most_common() if count)
        rest = "; ".join(part for part in (ends, self.figures, *self.failures[:3]) if part)
        return f"{self.name:46} {self.passed:5} passed, {len(self.failures)} failed  ({rest})"


@contextmanager
def replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Have another value stand at a name, for a saboteur, and in what is forked meanwhile."""
    kept = owner.__dict__[name]
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, kept)
