"""The numbers of a reason as JSON has them, and back.

Fractions are written as texts, so that nothing is rounded; laws as objects.

Reason.     docs/theory/certificates.md#the-record
Checked by. tests/privacy/certificate/test_record.py
"""

import re
from collections.abc import Sequence
from dataclasses import fields
from fractions import Fraction
from typing import Any, get_args

from holdfast.foundation.errors import BadCertificate, Fault
from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.law import DiscreteLaw

Words = dict[str, Any]
FRACTION = re.compile(r"[0-9]{1,340}(\.[0-9]{1,100}|/[1-9][0-9]{0,340})?")
MOST_PLACES = 80


def text_of(number: Fraction) -> str:
    """Return a fraction exactly: as a decimal where it is one of at most 80 places.

    >>> text_of(Fraction(3)), text_of(Fraction(1, 40)), text_of(Fraction(1, 3))
    ('3', '0.025', '1/3')
    """
    places = next((n for n in range(MOST_PLACES) if 10**n % number.denominator == 0), None)
    if places is None:
        return str(number)
    digits = str(number * 10**places).rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}" if places else digits


def write_number(value: Any) -> Any:
    """Return a number, a text, a law, or a list of these, as JSON has it."""
    match value:
        case Fraction():
            return text_of(value)
        case tuple():
            return [write_number(each) for each in value]
        case DiscreteGaussian(square):
            return {"law": "discrete Gaussian", "sigma squared": text_of(square)}
        case DiscreteLaplace(ratio=None, scale=Fraction() as scale):
            return {"law": "discrete Laplace", "scale": text_of(scale)}
        case DiscreteLaplace(ratio=Fraction() as ratio):
            return {"law": "discrete Laplace", "ratio": text_of(ratio)}
        case _:
            return value


def read_number(reason: type[Any], name: str, value: Any) -> Any:
    """Return a field of a reason, of the kind that the reason declares."""
    kind: Any = next(field.type for field in fields(reason) if field.name == name)
    if get_args(kind) and kind is not DiscreteLaw:
        (each, *_) = get_args(kind)
        if not isinstance(value, list) or not value:
            raise refused("a list")
        return tuple(_read_one(each, item) for item in value)
    return _read_one(kind, value)


def _read_one(kind: Any, value: Any) -> Any:
    if kind is Fraction:
        return fraction_of(value)
    if kind is DiscreteLaw:
        return _law_of(value)
    if type(value) is not kind or (kind is str and not value.isprintable()):
        raise refused("a whole number" if kind is int else "printable text")
    return value


def fraction_of(value: Any) -> Fraction:
    """Return the fraction of a text such as "3", "0.025" or "1/3"."""
    if not isinstance(value, str) or not FRACTION.fullmatch(value):
        raise refused("a fraction, written as text")
    return Fraction(value)


def _law_of(words: Any) -> DiscreteLaw:
    match words:
        case {"law": "discrete Gaussian", "sigma squared": square}:
            return DiscreteGaussian(fraction_of(square))
        case {"law": "discrete Laplace", "scale": scale}:
            return DiscreteLaplace(scale=fraction_of(scale))
        case {"law": "discrete Laplace", "ratio": ratio}:
            return DiscreteLaplace(ratio=fraction_of(ratio))
        case _:
            raise refused("a discrete law")


def check_keys(words: Any, keys: Sequence[str]) -> None:
    """Refuse what is no object with just these keys."""
    if not isinstance(words, dict) or set(words) != set(keys):
        raise refused(f"an object with the keys {', '.join(keys) or '(none)'}")


def refused(asked: str) -> BadCertificate:
    """Return the refusal of a record."""
    remedy = "Ask for the record as it was published."
    return BadCertificate(Fault("certificate record", asked, "something else", remedy))
