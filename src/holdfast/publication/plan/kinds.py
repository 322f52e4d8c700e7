"""The kinds of values that a plan has; each refuses what it does not take.

Reason.     docs/theory/plans.md#how-a-plan-is-read
Checked by. tests/publication/plan/test_reading.py
"""

import re
from fractions import Fraction
from typing import Any

from holdfast.foundation.errors import BadPlan, Fault, shown
from holdfast.foundation.exact import between, exact, whole

LONGEST = 1000
NUMBER = re.compile(r"[0-9]{1,6}(\.[0-9]{1,18})?")
SUBJECT = "value"  # the place is named by who asks


def text(value: Any) -> str:
    """Return printable text of some length."""
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise _refused("printable text", value, 'Write it in quotes: "...".')
    if len(value) > LONGEST:
        raise _refused(f"at most {LONGEST} characters", value, "Write less.")
    return value


def texts(value: Any) -> tuple[str, ...]:
    """Return a list of texts, each once."""
    if not isinstance(value, list) or not value:
        raise _refused("a list of texts", value, 'Write ["...", "..."].')
    listed = tuple(map(text, value))
    if len(set(listed)) < len(listed):
        raise _refused("each text once", "a text that comes twice", "Name it once.")
    return listed


def flag(value: Any) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        raise _refused("true or false", value, "Write it without quotes.")
    return value


def number(value: Any) -> Fraction:
    """Return an exact number above 0, from a decimal in quotes or a whole number."""
    if isinstance(value, str) and not NUMBER.fullmatch(value):
        raise _refused("an exact decimal", value, 'Write for example "0.5".')
    if isinstance(value, float):
        raise _refused("an exact decimal in quotes", "a float", f'Write "{value:.12g}".')
    found = exact(value, SUBJECT)
    if found <= 0:
        raise _refused("a number above 0", value, 'Write for example "1".')
    return found


def chance(value: Any) -> Fraction:
    """Return a number strictly between 0 and 1."""
    return between(number(value), SUBJECT, 0, 1)


def count(value: Any) -> int:
    """Return a whole number of at least 1."""
    return _whole(value, 1)


def total(value: Any) -> int:
    """Return a whole number of at least 0."""
    return _whole(value, 0)


def _whole(value: Any, least: int) -> int:
    if type(value) is not int:
        raise _refused("a whole number", value, "Write it without quotes and without a point.")
    return whole(value, SUBJECT, least=least, most=2**62)


def _refused(asked: str, found: Any, remedy: str) -> BadPlan:
    return BadPlan(Fault(SUBJECT, asked, shown(found), remedy))
