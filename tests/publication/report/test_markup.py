"""Text is text: whatever it holds, a parser reads it back as it was."""

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from holdfast.publication.report.markup import (
    FORMULA,
    Html,
    cell,
    joined,
    label,
    markup,
    tag,
    visible,
)


class Texts(HTMLParser):
    def __init__(self, written):
        super().__init__()
        self.tags, self.data, self.attributes = [], "", []
        self.feed(written)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.data += data


ANY = st.text(alphabet=st.characters(codec=None, exclude_categories=())) | st.sampled_from(
    ["</p><script>", '" onload="x', "&lt;", "&#60;b>", "<!--", "]]>", "\u202e", "\x00", "\ud800"]
)


@given(ANY)
def test_text_and_attributes_are_read_back(text):
    read = Texts(tag("p", text, title=text))
    assert read.tags == ["p"]
    assert read.data == visible(text)
    assert read.attributes == [("title", visible(text))]


@given(ANY)
def test_what_is_shown_can_be_written_in_utf_8_and_turns_nothing(text):
    shown = visible(text)
    shown.encode()
    assert not any(0x202A <= ord(char) <= 0x202E or 0x2066 <= ord(char) <= 0x2069 for char in shown)
    assert "\n" not in shown


@given(ANY)
def test_no_cell_begins_like_a_formula(text):
    assert not cell(text).startswith(FORMULA)


def test_whole_numbers_stay_numbers_and_long_names_are_cut():
    assert cell(-5) == "-5"
    assert cell("-5") == "'-5"
    assert len(cell("x" * 1000)) == 115
    assert cell("x" * 120) == "x" * 120


def test_markup_is_not_escaped_twice():
    inner = tag("b", "<")
    assert markup(inner) is inner
    assert tag("p", inner, "<") == "<p><b>&lt;</b>&lt;</p>"
    assert joined(["<", inner], ", ") == "&lt;, <b>&lt;</b>"
    assert label("<") == "<bdi>&lt;</bdi>"


def test_an_f_string_of_markup_is_text_again():
    """Who joins markup by hand sees it escaped at once: no unsafe text can pass for it."""
    assert not isinstance(f"{tag('b', 'x')}", Html)
    assert tag("p", f"{tag('b', 'x')}") == "<p>&lt;b&gt;x&lt;/b&gt;</p>"
