"""A page read back: its elements and texts, and what is wrong with it."""

import re
from html.parser import HTMLParser
from itertools import pairwise

from holdfast.publication.report.markup import cell, visible
from holdfast.publication.report.report import STAMP

TAGS = frozenset(
    re.split(
        r"\s+",
        "html head meta link title style body main nav section div p span strong bdi code "
        "h1 h2 h3 ul ol li dl dt dd a table caption thead tbody tr th td figure figcaption "
        "svg desc text line circle rect",
    )
)
ATTRIBUTES = frozenset(
    re.split(
        r"\s+",
        "lang charset http-equiv content name rel href class id role aria-label aria-hidden "
        "tabindex scope colspan data-name width height x y x1 x2 y1 y2 cx cy r dx text-anchor",
    )
)
VOID = {"meta", "link", "line", "circle", "rect"}
HEADINGS = (
    "What was published",
    "What must hold",
    "The error to expect",
    "What the two views did",
    "The certificate",
)
ADDRESS = re.compile(r"https?:|//|url\(|@import|javascript:|expression\(", re.IGNORECASE)


class Reading(HTMLParser):
    """Elements with their attributes, in order; texts with the element that they stand in."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.texts, self.unclosed, self.wrong = [], [], [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs), tuple(self.unclosed)))
        if tag not in VOID:
            self.unclosed.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs), tuple(self.unclosed)))

    def handle_endtag(self, tag):
        if not self.unclosed or self.unclosed.pop() != tag:
            self.wrong.append(f"</{tag}> closes nothing")

    def handle_data(self, data):
        self.texts.append((self.unclosed[-1] if self.unclosed else "", data))

    def handle_comment(self, data):
        self.wrong.append("a comment")

    def words(self, *tags):
        """All text, or that directly in some elements."""
        return [text for tag, text in self.texts if (not tags or tag in tags) and tag != "style"]


def faults_of(page, reported, is_page=True):
    """What is wrong with a page; nothing, if all is well."""
    read = Reading(page)
    checks = [_elements, _headings, _tables, _drawings, _names, _stamp]
    checks += [_head, _anchors] if is_page else []
    return [*read.wrong, *read.unclosed, *(f for check in checks for f in check(read, reported))]


def _elements(read, _):
    for tag, attributes, _ in read.elements:
        if tag not in TAGS:
            yield f"an element <{tag}>"
        for name, value in attributes.items():
            if name not in ATTRIBUTES:
                yield f"an attribute {name} of <{tag}>"
            if name == "href" and value != "data:," and not re.fullmatch("#[a-z]+", value):
                yield f"a link to {value}"
            free = name in ("aria-label", "data-name")
            if not free and ADDRESS.search(value or ""):
                yield f"an address in {name}"
    styles = [text for tag, text in read.texts if tag == "style"]
    if len(styles) != 1 or ADDRESS.search(styles[0]):
        yield "not one style sheet without addresses"


def _head(read, _):
    metas = [attributes for tag, attributes, _ in read.elements if tag == "meta"]
    policies = [a["content"] for a in metas if a.get("http-equiv") == "Content-Security-Policy"]
    if policies != ["default-src 'none'; style-src 'unsafe-inline'; img-src data:"]:
        yield "no policy, or another"
    tags = [tag for tag, *_ in read.elements]
    if "style" in tags and tags.index("meta") > tags.index("style"):
        yield "a style before the policy"
    if not any("width=device-width" in a.get("content", "") for a in metas):
        yield "no viewport"
    if read.elements[0][1].get("lang") != "en-GB":
        yield "no language"


def _headings(read, reported):
    levels = [int(tag[1]) for tag, *_ in read.elements if re.fullmatch("h[1-6]", tag)]
    if levels[:1] != [1] or levels.count(1) != 1:
        yield "not one title first"
    if any(after > before + 1 for before, after in pairwise(levels)):
        yield "a heading level is left out"
    wanted = [*HEADINGS, *(["The numbers"] if reported.tree.size > 60 else [])]
    if read.words("h2") != wanted:
        yield f"sections {read.words('h2')}"
    if read.words("h3") != ["What this does not promise", "Why it costs this much"]:
        yield "parts of the certificate"


def _anchors(read, _):
    there = [a["id"] for tag, a, _ in read.elements if tag == "section"]
    linked = [a["href"].removeprefix("#") for tag, a, _ in read.elements if tag == "a"]
    if len(set(there)) != len(there) or linked != there:
        yield "contents that are not those of the page"


def _tables(read, _):
    for tag, attributes, above in read.elements:
        if tag == "th" and attributes.get("scope") != ("col" if "thead" in above else "row"):
            yield "a header without scope"
        if tag == "table" and "div" not in above:
            yield "a table that cannot scroll"
    tags = [tag for tag, *_ in read.elements]
    if tags.count("caption") != tags.count("table"):
        yield "a table without a caption"


def _drawings(read, reported):
    drawings = [a for tag, a, above in read.elements if tag == "svg" and "svg" not in above]
    if [a.get("role") for a in drawings] != ["img"]:
        yield "not one drawing that is an image"
    told = "".join(read.words("desc"))
    if not all(reported.named(level.level) in told for level in reported.levels):
        yield "a drawing that is not told"
    if [a["class"] for tag, a, _ in read.elements if tag == "circle"].count("mean") != (
        len(reported.levels) + 1
    ):
        yield "a level that is not drawn"


def _names(read, reported):
    cells = set(read.words("th", "td"))
    shown = [path[-1] for path in reported.tree.paths[1:60]] + list(reported.labels or ())[:20]
    for name in shown:
        if visible(cell(name)) not in cells:
            yield f"the name {ascii(name)[:40]} is not shown as text"
    if reported.name and visible(reported.name) not in read.words("bdi"):
        yield "the title is not the release's name"


def _stamp(read, reported):
    count = sum(text == STAMP for text in read.words("p", "div"))
    if bool(count) != reported.rehearsal:
        yield "a stamp too many, or none"
    captions = read.words("caption")
    if reported.rehearsal and not any(text.startswith("REHEARSAL") for text in captions):
        yield "a table that does not say it is invented"
