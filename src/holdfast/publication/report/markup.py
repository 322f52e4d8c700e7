"""Text into markup: the one place where either becomes the other.

Whatever is not `Html` already is escaped by `tag`; there is no other way to write markup. A
character that would not show itself (a mark that turns the direction of text, a line break, half
a character) is written by its number.

Claim.      No text becomes markup, and none changes the direction of what stands beside it.
Reason.     docs/decisions/0011-the-report.md#escaping
Checked by. tests/publication/report/test_markup.py
"""

import unicodedata
from collections.abc import Iterable
from html import escape

EMPTY = frozenset({"meta", "link", "line", "circle", "rect", "path"})
FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # the last four are wide
LONGEST, FIRST, LAST = 120, 90, 24  # characters of a name, and what is left of a longer one


class Html(str):
    """Markup that may be written as it stands."""

    __slots__ = ()


def visible(text: str) -> str:
    """Return a text with what would not show written by its number.

    >>> visible("a" + chr(0x202E) + "b")
    'a[U+202E]b'
    """
    if text.isprintable():
        return text
    return "".join(char if _shows(char) else f"[U+{ord(char):04X}]" for char in text)


def _shows(char: str) -> bool:
    """Return whether a character shows itself; a space of any width does."""
    return char.isprintable() or unicodedata.category(char) == "Zs"


def markup(text: object) -> Html:
    """Return markup as it is, and anything else as escaped text.

    An apostrophe stays one: every attribute stands between double quotes.
    """
    if isinstance(text, Html):
        return text
    return Html(escape(visible(str(text))).replace("&#x27;", "'"))


def joined(parts: Iterable[object], between: str = "") -> Html:
    """Return all parts as markup, one after the other."""
    return Html(between.join(map(markup, parts)))


def tag(tag_name: str, *children: object, **attributes: object) -> Html:
    """Return an element; `class_` stands for class, `_` for `-`, and None leaves one out.

    >>> tag("b", "1 < 2", title='"')
    '<b title="&quot;">1 &lt; 2</b>'
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{markup(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    if tag_name in EMPTY:
        return Html(f"<{tag_name}{written}/>")
    return Html(f"<{tag_name}{written}>{joined(children)}</{tag_name}>")


def label(name: object) -> Html:
    """Return a name amid a sentence, kept apart from the direction of its script."""
    return tag("bdi", cell(name))


def cell(name: object) -> str:
    """Return a name for a cell; one that a spreadsheet would take for a formula is quoted.

    Of a very long name the middle is left out.
    """
    text = str(name)
    if len(text) > LONGEST:
        text = f"{text[:FIRST]}\N{HORIZONTAL ELLIPSIS}{text[-LAST:]}"
    return f"'{text}" if isinstance(name, str) and text.startswith(FORMULA) else text
