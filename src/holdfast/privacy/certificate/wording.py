"""A certificate in words: for a terminal, a notebook, a report.

The first line says what is protected and at what cost; the derivation follows, causes below
what they lead to.

Reason.     docs/theory/certificates.md#the-words
Checked by. tests/privacy/certificate/test_wording.py
"""

from collections.abc import Iterator
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING

from holdfast.foundation.bounds import shown_above
from holdfast.foundation.errors import brief
from holdfast.privacy.certificate.cost import Cost, EpsilonCost
from holdfast.privacy.certificate.reasons import Reason, parts_of
from holdfast.worlds.rules import Kind

if TYPE_CHECKING:
    from holdfast.privacy.certificate.certificate import Certificate

LONG, SHORT = 12, 64


def number(value: Fraction) -> str:
    """Return a fraction as people write it, or in digits rounded up where it is long."""
    short = max(value.numerator.bit_length(), value.denominator.bit_length()) <= SHORT
    text = brief(value) if short else ""
    return text if text and len(text) <= LONG and "about" not in text else shown_above(value, 9)


def cost_in_words(cost: Cost) -> str:
    """Return a cost in one phrase."""
    if isinstance(cost, EpsilonCost):
        parts = [f"epsilon {number(cost.epsilon)}"]
        parts += [f"delta {shown_above(cost.modelled)}"] if cost.modelled else []
        parts += [f"numerical delta {shown_above(cost.numerical)}"] if cost.numerical else []
        return ", ".join(parts)
    off = f", within {shown_above(cost.numerical)} in total variation" if cost.numerical else ""
    return f"rho {number(cost.rho)} (zCDP){off}"


def first_line(certificate: "Certificate") -> str:
    """Return what is protected, at what cost, under which relation."""
    cost = cost_in_words(certificate.cost)
    return f"each {certificate.unit} is protected, {cost}, {certificate.neighbours}"


def in_full(certificate: "Certificate") -> str:
    """Return the certificate as lines of text."""
    structural = [each.name for each in certificate.invariants if each.kind is not Kind.FACT]
    lines = [
        f"Certificate: {first_line(certificate)}",
        f"  neighbours   {certificate.pairs}",
        f"  holds        {', '.join(structural) or 'nothing'}",
    ]
    if certificate.facts:
        lines.append(f"  given        {', '.join(certificate.facts)}: these are not protected,")
        lines.append("               and the promise is for pairs of data sets that share them")
    lines.append(f"  sampler      {certificate.sampler}")
    lines.append("  one state is released; the reasons:")
    return "\n".join([*lines, *_tree(certificate.reason, "  ")])


def _tree(reason: Reason, indent: str) -> Iterator[str]:
    """Yield a reason and, indented, what it rests on."""
    yield f"{indent}- {reason.name}: {cost_in_words(reason.cost)}"
    yield f"{indent}    {reason.said}"
    yield f"{indent}    {reason.proof}"
    for part in parts_of(reason):
        yield from _tree(part, indent + "  ")


def in_html(certificate: "Certificate") -> str:
    """Return the certificate as a fragment of a page; labels are escaped."""
    return f'<pre class="certificate">{escape(in_full(certificate))}</pre>'
