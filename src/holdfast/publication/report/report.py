"""A release as one page that a reader needs nothing else for: no script, no request, no clock.

Claim.      The same release gives the same bytes, and all text in them is text.
Reason.     docs/decisions/0011-the-report.md
Checked by. tests/publication/report/test_report.py
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from holdfast.publication.report import stylesheet
from holdfast.publication.report.adjustment import adjustment
from holdfast.publication.report.derivation import derivation
from holdfast.publication.report.figures import figures
from holdfast.publication.report.holding import holding
from holdfast.publication.report.markup import FORMULA, Html, joined, label, tag
from holdfast.publication.report.nodes import first_part, is_cut, later_parts, nodes_table
from holdfast.publication.report.numerals import grouped, measure, percent
from holdfast.publication.report.picture import picture
from holdfast.publication.report.promise import first_line, limits, meaning, terms
from holdfast.publication.report.reported import Reported

__all__ = ["Reported", "fragment", "page"]

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
STAMP = "REHEARSAL: invented numbers"
COLUMNS = (
    "level",
    "numbers",
    "mean absolute error",
    "standard deviation",
    "half-width",
    "how known",
)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page: its name within it, its heading, what it says."""

    anchor: str
    heading: str
    content: Html


def page(reported: Reported) -> str:
    """Return a release as one self-contained page."""
    sections = list(_sections(reported))
    named = [tag("li", tag("a", each.heading, href=f"#{each.anchor}")) for each in sections]
    contents = tag("nav", tag("ul", *named), class_="contents", aria_label="Contents")
    watermark = tag("div", STAMP, class_="watermark", aria_hidden="true")
    shown = (_section(each, each.anchor) for each in sections)
    main = tag("main", _opening(reported), contents, *shown)
    marked = [watermark] if reported.rehearsal else []
    body = tag("body", main, *marked, class_="holdfast")
    return f"<!DOCTYPE html>\n{tag('html', _head(reported), body, lang='en-GB')}\n"


def fragment(reported: Reported) -> str:
    """Return the same for a notebook: one element that brings its look and changes no other."""
    style = tag("style", Html(stylesheet.scoped()))
    sections = [_section(each) for each in _sections(reported)]
    return tag("div", style, _opening(reported), *sections, class_="holdfast")


def _head(reported: Reported) -> Html:
    """Return the head: nothing may be fetched, run or sent."""
    title = f"{'REHEARSAL: ' if reported.rehearsal else ''}{reported.name}"
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("link", rel="icon", href="data:,"),
        tag("title", title),
        tag("style", Html(stylesheet.of_page())),
    )


def _opening(reported: Reported) -> Html:
    """Return the title, and in the first line who is protected at what cost."""
    stamp = [tag("p", STAMP, class_="stamp", role="note")] if reported.rehearsal else []
    heading = tag("h1", tag("bdi", reported.name))
    line = tag("p", first_line(reported), class_="first")
    said = [tag("p", meaning(reported.certificate))]
    if reported.rehearsal:
        invented = (
            "This is a rehearsal. The numbers below come from invented counts: no data were read "
            "and nothing was spent. What is said of errors and of the certificate is what a "
            "release by this plan would carry."
        )
        said.insert(0, tag("p", invented))
    return joined([*stamp, heading, line, *said])


def _section(section: Section, anchor: str | None = None) -> Html:
    """Return a section under its heading."""
    return tag("section", tag("h2", section.heading), section.content, id=anchor)


def _sections(reported: Reported) -> Iterator[Section]:
    """Yield the sections in the order of the page."""
    yield Section("published", "What was published", _published(reported))
    yield Section("rules", "What must hold", holding(reported))
    yield Section("errors", "The error to expect", _errors(reported))
    yield Section("views", "What the two views did", adjustment(reported))
    yield Section("certificate", "The certificate", _certificate(reported))
    parts = [nodes_table(reported, part) for part in later_parts(reported.tree)]
    if parts:
        further = joined([*_cut(reported), *parts])
        yield Section("numbers", "The numbers", further)


def _published(reported: Reported) -> Html:
    """Return what was published: in a sentence, and the upper levels as a table."""
    tree, share = reported.tree, percent(Fraction(reported.confidence))
    wide = int(reported.wide.sum())
    said = [
        tag(
            "p",
            f"{grouped(tree.size)} numbers: ",
            label(tree.root),
            f" as the whole, and what it splits into, down to {grouped(tree.leaf_nodes.size)} "
            "leaves, which split no further.",
        ),
        tag(
            "p",
            "Each number carries noise on purpose, unless it is given as a fact. Beside it stand "
            "the lower and the upper end of an interval, which is made to contain the true count "
            f"in at least {share} of releases, one number at a time: of many intervals some miss.",
        ),
    ]
    if wide:
        counted = f"{grouped(wide)} of {grouped(tree.size)} intervals"
        remark = "wide for the number itself, so do not lean on that number alone."
        said.append(tag("p", f"The note “wide” stands beside {counted}: {remark}"))
    if _quoted(reported):
        said.append(
            tag(
                "p",
                "A name that begins like a formula carries an apostrophe before it, so that "
                "a spreadsheet takes it as a name.",
            )
        )
    first = nodes_table(reported, first_part(tree))
    later = [tag("p", "The other numbers stand at the end.")] if any(later_parts(tree)) else []
    return joined([*said, first, *later])


def _quoted(reported: Reported) -> bool:
    """Return whether a name of the tree begins like a formula."""
    names = [*reported.tree.level_names, reported.tree.root, *(reported.labels or ())]
    for column in reported.tree.columns:
        names += [name for name in column.vocabulary if isinstance(name, str)]
    return any(name.startswith(FORMULA) for name in names)


def _cut(reported: Reported) -> Iterator[Html]:
    """Yield that there is more than the page shows, where there is."""
    if is_cut(reported.tree):
        total = grouped(reported.tree.size)
        said = f"This page shows the upper levels and the first leaves. All {total} numbers are in "
        yield tag("p", said, tag("code", "table.csv"), ".")


def _errors(reported: Reported) -> Html:
    """Return the error to expect by level: a picture, and the same in figures."""
    share = Fraction(reported.confidence)
    said = (
        "How far a published number lies from the true count, because of the noise alone. "
        "Mistakes in the data themselves are not counted. The mean absolute error is the distance "
        f"on average; the half-width is a distance that noise exceeds in at most "
        f"{percent(1 - share)} of releases, as the {percent(share)} interval says."
    )
    exact = all(level.exact for level in reported.levels)
    known = "All figures follow from theory, before any data are read."
    if not exact:
        known = "Figures marked “simulated” come from trials on a public or an invented table."
    rows = (
        (
            reported.named(level.level),
            grouped(level.nodes),
            measure(level.mean_error),
            measure(level.standard_deviation),
            measure(level.half_width),
            "by theory" if level.exact else "simulated",
        )
        for level in reported.levels
    )
    figure = tag("figure", picture(reported), tag("figcaption", known))
    return joined([tag("p", said), figure, figures("The same in figures", COLUMNS, rows)])


def _certificate(reported: Reported) -> Html:
    """Return the certificate: its terms, its limits, its derivation."""
    reason = reported.certificate.reason
    return joined(
        [
            tag("p", "What is proven of this release, for whom, and why. Costs are rounded up."),
            terms(reported),
            tag("h3", "What this does not promise"),
            limits(reported),
            tag("h3", "Why it costs this much"),
            tag(
                "p",
                "Each step rests on the ones within it; the proofs are in Holdfast's documents.",
            ),
            derivation(reason),
            tag(
                "p",
                "Anyone can check this release without the data: ",
                tag("code", "holdfast verify"),
                " with the folder that this page lies in.",
            ),
        ]
    )
