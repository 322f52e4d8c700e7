"""The page: what it says, that nothing in it is live, and that breaking it is noticed."""

import hashlib
import re
from dataclasses import replace

import numpy as np
import pytest

import holdfast as hf
from holdfast.noise.sensitivity import Neighbours
from holdfast.privacy.certificate.certificate import Certificate, Promise
from holdfast.privacy.certificate.noise_reasons import Calibration
from holdfast.privacy.certificate.step_reasons import Update
from holdfast.publication.report import adjustment, holding, markup, report
from holdfast.publication.report.markup import cell
from holdfast.publication.report.nodes import first_part, later_parts
from holdfast.publication.report.numerals import grouped
from holdfast.publication.report.report import fragment, page
from holdfast.worlds.rules import Kind, Statement
from tests.publication.report.reading import Reading, faults_of
from tests.publication.report.samples import (
    EVERY,
    deep,
    nasty,
    plain,
    rehearsal,
    small,
    taxi,
    with_facts,
)


def text_of(reported):
    return re.sub(r"\s+", " ", "".join(Reading(page(reported)).words()).replace("\u202f", " "))


def rows_of(written):
    """The table rows of a page as lists of texts, a parser of its own kind."""
    rows = re.findall(r"<tr>(.*?)</tr>", written, flags=re.DOTALL)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, flags=re.DOTALL) for row in rows]


@pytest.mark.parametrize("name", EVERY)
def test_a_page_is_whole(name):
    reported = EVERY[name]()
    assert faults_of(page(reported), reported) == []


@pytest.mark.parametrize("name", EVERY)
def test_a_fragment_is_whole_and_brings_no_page(name):
    reported = EVERY[name]()
    written = fragment(reported)
    assert faults_of(written, reported, is_page=False) == []
    tags = {tag for tag, *_ in Reading(written).elements}
    assert not tags & {"html", "head", "body", "meta", "link", "main"}
    assert not any("id" in attributes for _, attributes, _ in Reading(written).elements)


@pytest.mark.parametrize("name", EVERY)
def test_the_same_release_gives_the_same_bytes(name):
    reported = EVERY[name]()
    again = replace(reported, value=reported.value.copy())
    assert page(reported).encode() == page(again).encode()


def test_the_same_bytes_in_another_process(tmp_path):
    """Neither the order of sets nor a clock is in it: another process, another seed of hashes."""
    import os
    import subprocess
    import sys

    code = (
        "import hashlib; from tests.publication.report.samples import nasty; "
        "from holdfast.publication.report.report import page; "
        "print(hashlib.sha256(page(nasty()).encode()).hexdigest())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": "12345", "TZ": "Asia/Tokyo", "LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert done.stdout.strip() == hashlib.sha256(page(nasty()).encode()).hexdigest()


def test_the_first_line_says_who_is_protected_at_what_cost():
    read = Reading(page(small()))
    assert read.words("p")[0] == "Each row is protected, at a cost of epsilon 1."
    first = Reading(page(with_facts())).words("p")[0]
    assert first.startswith("Each person (with up to 3 rows) is protected, at a cost of rho ")
    words = Reading(page(rehearsal())).words("p")
    assert words[0] == "REHEARSAL: invented numbers"
    assert words[1].startswith("Each row would be protected")


def test_every_number_of_a_small_tree_is_shown():
    reported = small()
    rows = [row for row in rows_of(page(reported)) if len(row) >= 5]
    numbers = [row for row in rows if row[0] not in ("level", "level 1")][: reported.tree.size]
    shown = {
        tuple(x.replace("\u202f", "") for x in row if re.fullmatch("[0-9\u202f]+", x))
        for row in numbers
    }
    wanted = zip(reported.value, reported.lower, reported.upper, strict=True)
    assert {tuple(map(str, three)) for three in wanted} == shown


def test_a_tree_of_some_hundred_nodes_is_shown_whole_and_a_larger_one_is_cut():
    whole = text_of(taxi())
    assert "All 270 numbers" in whole
    assert "table.csv" not in whole
    cut = text_of(deep())
    assert "The upper levels: 57 of 2 745 numbers" in cut
    assert "The first 300 of 2 304 leaves" in cut
    assert "All 2 745 numbers are in table.csv." in cut


def test_labels_stand_beside_their_leaves():
    reported = taxi()
    rows = rows_of(page(reported))
    names = dict(zip(reported.tree.leaves, reported.labels, strict=True))
    for (borough, zone), label in names.items():
        beside = [row for row in rows if row[:2] == [str(borough), str(zone)]]
        assert [row[2] for row in beside] == [markup.markup(cell(label))]


@pytest.mark.parametrize("sizes", [(3,), (59,), (60,), (2, 40), (7, 90), (20, 30), (5, 6, 7, 5)])
def test_parts_show_every_node_or_say_so(sizes):
    paths = [()]
    for depth, size in enumerate(sizes):
        paths = [(*path, f"{depth}.{k}") for path in paths for k in range(size)]
    tree = hf.Hierarchy.from_paths(paths)
    first, later = first_part(tree), list(later_parts(tree))
    shown = set(first.nodes).union(*(part.nodes for part in later))
    assert first.nodes[0] == 0
    assert len(first.nodes) <= 60
    if tree.size <= 600:
        assert shown == set(range(tree.size))
    else:
        assert len(later[-1].nodes) == 300
    assert sum(len(part.nodes) for part in later) <= 600


def test_rules_are_said_and_looked_at_again():
    assert "holds Sums: every number is the sum" in text_of(small())
    assert "The total of New York is 36 140. Given as a fact" in text_of(with_facts())
    broken = replace(small(), value=small().value + np.eye(1, 13, dtype=np.int64)[0])
    assert "DOES NOT HOLD Sums" in text_of(broken)
    below = replace(small(), value=small().value - 10**8)
    assert "DOES NOT HOLD No count is below 0." in text_of(below)
    other = replace(with_facts(), value=with_facts().value * 2)
    assert "DOES NOT HOLD The total" in text_of(other)
    assert "No rule was asked for" in text_of(plain())


def test_a_rule_that_only_its_name_tells_is_not_said_to_hold():
    rule = Statement("beds <= <b>5</b>", Kind.FACT)
    law = hf.DiscreteLaplace.with_scale(2)
    moved = Update(Calibration((law, law), (0, 2), 1), (rule.name,))
    promise = Promise(Neighbours.REPLACE_ONE, 1, "row")
    certificate = Certificate(promise, (rule,) * 50, "independent draws: Exact()", moved)
    said = text_of(replace(small(), certificate=certificate))
    assert "required The rule beds <= <b>5</b>. Given as a fact" in said
    assert "holdfast verify checks it" in said
    assert "And 10 more, listed in record.json." in said
    assert holding.verdict(small(), rule) is None


def test_the_two_views_are_told_apart():
    said = text_of(small())
    assert "Revise: the noise was drawn from its law given that every sum holds." in said
    assert "nearest one where every sum holds and no count is below 0." in said
    assert "Before the update" in said
    unmoved = text_of(plain())
    assert "no update has moved them" in unmoved
    assert "Revise:" not in unmoved


def test_what_conditioning_on_inequalities_costs_is_not_called_free():
    tree = small().tree
    mechanism = hf.Mechanism.calibrate(tree, "discrete-laplace", epsilon="1")
    revised = mechanism.revise(tree.sums() & hf.nonnegative())
    said = text_of(replace(small(), certificate=revised.certificate, diagnosis=None))
    assert "This has a price" in said
    assert "costs nothing" not in said


def test_a_table_of_nothing_but_zeros_is_warned_of():
    diagnosis = replace(small().diagnosis, noise_dominates=True, binding=tuple("abcdefghijklmnop"))
    said = text_of(replace(small(), diagnosis=diagnosis))
    assert "Do not use these numbers." in said
    assert "Held with nothing to spare: a, b," in said
    assert "and 4 more." in said


def test_limits_are_said():
    for reported in (small(), with_facts(), taxi()):
        said = text_of(reported)
        for each in ("One state is released", "The rows are trusted", "Other releases", "public"):
            assert each in said
    assert "given as a fact is published as it is" in text_of(with_facts())
    assert "under two names is protected as two" in text_of(with_facts())


def test_wide_intervals_are_marked():
    reported = small()
    marked = [row for row in rows_of(page(reported)) if row[-1] == "wide"]
    assert len(marked) == int(reported.wide.sum()) > 0
    none = replace(reported, wide=np.zeros(13, dtype=bool))
    assert ">wide<" not in page(none)


def test_the_derivation_names_every_reason():
    for reported in (small(), with_facts(), deep()):
        read = Reading(page(reported))
        proofs = set(read.words("code"))
        for reason in reported.certificate.reasons:
            assert reason.name in read.words("strong")
            assert reason.proof in proofs


def test_names_that_begin_like_formulas_are_quoted_and_it_is_said():
    cells = Reading(page(nasty())).words("th", "td")
    assert not [text for text in cells if text.startswith(("=", "@", "+", "-"))]
    assert "'=HYPERLINK(1)" in cells
    assert "carries an apostrophe" in text_of(nasty())
    assert "carries an apostrophe" not in text_of(small())


def without_a_section(monkeypatch, heading):
    sections = report._sections
    kept = lambda each: (s for s in sections(each) if s.heading != heading)  # noqa: E731
    monkeypatch.setattr(report, "_sections", kept)


@pytest.mark.parametrize("place", range(5))
def test_saboteur_a_missing_section_is_caught(monkeypatch, place):
    headings = [section.heading for section in report._sections(small())]
    without_a_section(monkeypatch, headings[place])
    assert faults_of(page(small()), small())


def test_saboteur_escaping_off_is_caught(monkeypatch):
    monkeypatch.setattr(markup, "escape", lambda text: text)
    assert faults_of(page(nasty()), nasty())


def test_saboteur_one_name_written_as_markup_is_caught(monkeypatch):
    from holdfast.publication.report import nodes

    monkeypatch.setattr(nodes, "cell", lambda name: markup.Html(name))
    assert faults_of(page(nasty()), nasty())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("default-src 'none'", "default-src *"),
        ('<meta http-equiv="Content-Security-Policy"', '<meta name="policy"'),
        ("</main>", "<script>1</script></main>"),
        ("</main>", '<img src="x.png"></main>'),
        ("</main>", "</div></main>"),
        ("@page{", "@import x;@page{"),
        ("background:var(--paper)", "background:url(a.png)"),
        ('href="#errors"', 'href="https://example.org"'),
        ('scope="col"', 'scope="row"'),
        ('<p class="first"', '<p onclick="x" class="first"'),
        ("<h3>", "<h4>"),
        ('id="views"', 'id="rules"'),
        ('role="img"', ""),
    ],
)
def test_saboteurs_in_the_markup_are_caught(old, new):
    written = page(small())
    broken = written.replace(old, new)
    assert broken != written
    assert faults_of(broken.replace("</h3>", "</h4>") if old == "<h3>" else broken, small())


def test_saboteur_a_rehearsal_without_its_stamp_is_caught(monkeypatch):
    written = page(rehearsal())
    assert faults_of(written.replace(report.STAMP, "rehearsal"), rehearsal())
    assert faults_of(written, replace(rehearsal(), rehearsal=False))


def test_saboteur_a_step_said_to_be_free_is_seen(monkeypatch):
    """The check on prices reads what the page says of inequalities."""
    monkeypatch.setattr(adjustment, "_step", lambda _: iter(["it costs nothing"]))
    assert "costs nothing" in text_of(plain())


def test_numbers_are_grouped_by_thin_spaces():
    assert grouped(int(small().value[0])) in page(small())
    assert "\u202f" in grouped(int(small().value[0]))
