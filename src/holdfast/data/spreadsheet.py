"""Texts that a spreadsheet would take for a formula: refused in public lists.

Quoting does not help: a spreadsheet takes the quotes away first (CWE-1236).
"""

import unicodedata
from collections.abc import Iterator
from typing import Final

from holdfast.foundation.errors import Fault, shown

STARTS: Final = "=+-@\u2212"
LONGEST: Final = 1000


def is_formula(text: str) -> bool:
    r"""Return whether the text could start a formula, also in full width or after a space.

    >>> [is_formula(text) for text in ("=1", " @x", "\uff0b1", "A-1", "1")]
    [True, True, True, False, False]
    """
    start = text.lstrip()[:1]
    return bool(start) and unicodedata.normalize("NFKC", start)[:1] in STARTS


def fault_of_text(subject: str, text: str) -> Iterator[Fault]:
    """Yield what is wrong with a public text that will stand in a table."""
    if is_formula(text):
        asked = "text that no spreadsheet takes for a formula"
        yield Fault(subject, asked, shown(text), "Start it with a letter or a digit.")
    elif len(text) > LONGEST:
        yield Fault(subject, f"at most {LONGEST} characters", shown(text), "Shorten it.")
    elif not text.isprintable():
        yield Fault(subject, "printable characters", shown(text), "Take the others out.")
