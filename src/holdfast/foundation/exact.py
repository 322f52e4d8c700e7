"""Exact numbers from what a person may write, within stated limits.

Accepted: whole numbers, `Fraction`, finite `Decimal`, decimal strings such as "0.1", and finite
floats at their exact binary value. Everything else is refused at once, before any arithmetic:
`True`, "1e9", "1_000", "0x10", digits of other scripts, not-a-number, infinities, and numbers
of more than `MOST_BITS` bits, whose powers could take minutes.
"""

import math
import re
from decimal import Decimal
from fractions import Fraction
from numbers import Integral

from holdfast.foundation.errors import BadParameter, Fault, shown

DECIMAL = re.compile(r"[+-]?[0-9]{1,40}(\.[0-9]{1,40})?")
MOST_BITS = 1100  # a float needs up to 1074 bits below the point
REMEDY = 'Use a whole number, a Fraction, or a decimal string such as "0.000001".'


def exact(value: object, subject: str) -> Fraction:
    """Return the exact value of a number written by a person.

    >>> exact("0.1", "epsilon"), exact(0.5, "epsilon"), exact(3, "epsilon")
    (Fraction(1, 10), Fraction(1, 2), Fraction(3, 1))
    """
    number = _read(value)
    if number is None:
        raise BadParameter(Fault(subject, "an exact finite number", shown(value), REMEDY))
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > MOST_BITS:
        raise BadParameter(
            Fault(subject, f"a number of at most {MOST_BITS} bits", "a longer one", REMEDY)
        )
    return number


def _read(value: object) -> Fraction | None:
    """Return the exact value, or None where the form is refused."""
    match value:
        case bool():
            return None
        case Fraction():
            return value
        case str():
            return Fraction(value) if DECIMAL.fullmatch(value) else None
        case float():
            return Fraction(value) if math.isfinite(value) else None
        case Decimal():
            return _read_decimal(value)
        case Integral():
            return Fraction(int(value))
        case _:
            return None


def _read_decimal(value: Decimal) -> Fraction | None:
    """Return a Decimal exactly; one with a long exponent is refused before it is expanded."""
    _, digits, exponent = value.as_tuple()
    short = isinstance(exponent, int) and abs(exponent) <= 400 and len(digits) <= 400
    return Fraction(value) if short else None


def positive(value: object, subject: str) -> Fraction:
    """Return the exact value of a number above 0."""
    number = exact(value, subject)
    if number <= 0:
        raise BadParameter(Fault(subject, "a number above 0", shown(value), REMEDY))
    return number


def between(value: object, subject: str, low: int, high: int) -> Fraction:
    """Return the exact value of a number strictly between two whole numbers."""
    number = exact(value, subject)
    if not low < number < high:
        asked = f"a number strictly between {low} and {high}"
        raise BadParameter(Fault(subject, asked, shown(value), REMEDY))
    return number


def whole(value: object, subject: str, least: int | None = None, most: int | None = None) -> int:
    """Return a whole number within limits; "3" and 3.0 count as 3, True and 2.5 do not."""
    number = exact(value, subject)
    too_low = least is not None and number < least
    too_high = most is not None and number > most
    if number.denominator != 1 or too_low or too_high:
        asked = "a whole number"
        asked += f" of at least {least}" if least is not None else ""
        joint = " and" if least is not None else " of"
        asked += f"{joint} at most {most}" if most is not None else ""
        raise BadParameter(Fault(subject, asked, shown(value), "Use a whole number."))
    return number.numerator
