"""Numbers as a reader meets them: thin spaces between thousands, a true minus.

Checked by. tests/publication/report/test_numerals.py
"""

from fractions import Fraction

THIN, MINUS = "\N{NARROW NO-BREAK SPACE}", "\N{MINUS SIGN}"
SMALLEST = 0.001
RAISED = {
    ord("-"): 0x207B,
    **{ord(digit): 0x2070 + int(digit) for digit in "0456789"},
    **dict(zip(map(ord, "123"), (0xB9, 0xB2, 0xB3), strict=True)),
}


def grouped(number: int) -> str:
    """Return a whole number.

    >>> grouped(-1234567).encode("ascii", "replace")
    b'?1?234?567'
    """
    return f"{number:,}".replace(",", THIN).replace("-", MINUS)


def measure(number: float) -> str:
    """Return a size in about three digits; whole numbers in full.

    >>> [measure(x) for x in (0, 3.0, 0.12345, 1.2345, 12.345, 123.45, 1e-9)]
    ['0', '3', '0.123', '1.23', '12.3', '123', 'under 0.001']
    """
    size = abs(number)
    if size == int(size):
        return grouped(int(number))
    if size < SMALLEST:
        return f"under {SMALLEST}"
    decimals = sum(size < limit for limit in (1, 10, 100))
    return f"{number:,.{decimals}f}".replace(",", THIN).replace("-", MINUS)


def signed(number: float) -> str:
    """Return a size with its sign."""
    return f"+{measure(number)}" if number > 0 else measure(number)


def power_of_ten(exponent: int) -> str:
    """Return 10 to a power: in full where that is short."""
    if 0 <= exponent <= 5:
        return grouped(10**exponent)
    if -3 <= exponent < 0:
        return f"{10.0**exponent:g}"
    return "10" + str(exponent).translate(RAISED)


def percent(share: Fraction) -> str:
    """Return a share as people write it.

    >>> percent(Fraction("0.95")), percent(Fraction("0.999"))
    ('95%', '99.9%')
    """
    return f"{float(100 * share):.10g}%"
