"""A plan as a frozen value: what to count, what must hold, what may be spent, what to write.

Everything in a plan is public.

Reason.     docs/theory/plans.md
Checked by. tests/publication/plan/test_reading.py
"""

import hashlib
import json
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from holdfast.data.declaration import Declaration
from holdfast.noise.budget import Budget
from holdfast.noise.law import Family

Split = tuple[tuple[str, Fraction], ...]  # sorted by level


@dataclass(frozen=True, slots=True)
class Privacy:
    """What may be spent, for which neighbours; `split` names levels, or is a word."""

    budget: Budget
    neighbours: str
    split: str | Split


@dataclass(frozen=True, slots=True)
class Rules:
    """What must hold of the table that is published."""

    nonnegative: bool
    total: int | None


@dataclass(frozen=True, slots=True)
class Method:
    """The family of noise, the street, and the sampler."""

    noise: Family
    street: tuple[str, ...]
    sampler: str


@dataclass(frozen=True, slots=True)
class Wish:
    """The ledger that pays, the name it is booked under, and the confidence of intervals."""

    ledger: str
    name: str
    interval: str


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole plan, and the folder that its paths are relative to."""

    data: Declaration
    privacy: Privacy
    rules: Rules
    method: Method
    release: Wish
    folder: Path

    def words(self) -> dict[str, Any]:
        """Return the plan as plain words: the same for plans that ask the same."""
        words = asdict(self)
        del words["folder"]
        return {key: _plain(value) for key, value in sorted(words.items())}

    def digest(self, domain: str) -> str:
        """Return the digest of what is asked, the digest of the domain's list among it."""
        text = json.dumps([self.words(), domain], sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def at(self, path: str) -> Path:
        """Return a path of the plan, relative to where the plan lies."""
        return self.folder / path


def _plain(value: Any) -> Any:
    """Return a value as JSON has it; fractions as text."""
    match value:
        case Fraction():
            return str(value)
        case dict():
            return {str(key): _plain(each) for key, each in value.items()}
        case tuple() | list():
            return [_plain(each) for each in value]
        case _:
            return value
