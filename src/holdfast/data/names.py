"""Columns asked for by name, with the nearest name where one is missing."""

import difflib
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from holdfast.foundation.errors import Fault, shown

MOST_NAMED: Final = 12


def missing(subject: str, names: Iterable[str], known: Collection[str]) -> Iterator[Fault]:
    """Yield a fault for each name that is not among the known ones, with advice."""
    for name in dict.fromkeys(names):
        if name not in known:
            yield Fault(subject, "a column that is there", shown(name), advice(name, known))


def advice(name: str, known: Collection[str]) -> str:
    """Return the nearest known name as a question, or what names there are.

    >>> advice("Zona", ["Zone", "Borough"])
    "Did you mean 'Zone'?"
    """
    near = difflib.get_close_matches(name, known, n=1)
    near = near or [other for other in known if other.lower() == name.lower()]
    if near:
        return f"Did you mean {shown(near[0])}?"
    listed = list(map(shown, known))
    more = ", ..." if len(listed) > MOST_NAMED else ""
    return f"There are: {', '.join(listed[:MOST_NAMED])}{more}."
