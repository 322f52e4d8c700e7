"""The page in headless Chromium: nothing overflows, nothing is fetched, all figures are there."""

import re
import shutil

import pytest
from playwright.sync_api import sync_playwright

from holdfast.publication.report import stylesheet
from holdfast.publication.report.report import fragment, page
from tests.publication.report.samples import EVERY, deep, nasty, rehearsal, small, tall, taxi

WIDTHS = (360, 800, 1280)
PRINTED = 688  # an A4 sheet less its margins, at 96 dots an inch
MEASURE = """() => {
  const root = document.scrollingElement, picture = document.querySelector("svg.picture");
  const box = e => e.getBoundingClientRect(), frame = box(picture);
  const shown = e => box(e).width > 0 && box(e).height > 0;
  const all = (what, within) => [...(within || document).querySelectorAll(what)];
  const texts = all("text", picture).map(e => [e.textContent, box(e)]);
  const clash = ([a, p], [b, q]) => p.left < q.right - 1 && q.left < p.right - 1
    && p.top < q.bottom - 3 && q.top < p.bottom - 3;
  const sizes = all("p, td, th, li, text").filter(shown)
    .map(e => parseFloat(getComputedStyle(e).fontSize));
  return {
    wide: root.scrollWidth - window.innerWidth,
    scrolled: all(".scroll").filter(e => e.scrollWidth > e.clientWidth + 1).length,
    tables: all("table").filter(shown).length,
    marks: all("circle, rect", picture).filter(shown).length,
    outside: texts.filter(([_, b]) => b.right > frame.right + 1 || b.left < frame.left - 1)
      .map(t => t[0]),
    clashes: texts.flatMap((a, i) => texts.slice(i + 1).filter(b => clash(a, b))
      .map(b => [a[0], b[0]])),
    letters: Math.min(...sizes),
    paper: getComputedStyle(document.body).backgroundColor,
    ink: getComputedStyle(document.querySelector("h1")).color,
    run: window.ran === undefined ? "nothing" : "a script",
  };
}"""


def chromium():
    """Where Debian's Chromium is; without it these tests fail and say what to do."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.fail("no Chromium found: apt-get install chromium", pytrace=False)
    return path


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        yield started
        started.close()


class Shown:
    """A page as a browser shows it: what was measured, said on the console, asked for."""

    def __init__(self, browser, folder, written, width, **words):
        path = folder / "report.html"
        path.write_text(written, encoding="utf-8")
        media = words.pop("media", "screen")
        context = browser.new_context(viewport={"width": width, "height": 800}, **words)
        view = context.new_page()
        view.emulate_media(media=media, color_scheme=words.get("color_scheme", "light"))
        self.console, self.requests = [], []
        view.on("console", lambda message: self.console.append(message.text))
        view.on("pageerror", lambda error: self.console.append(str(error)))
        view.on("request", lambda request: self.requests.append(request.url))
        view.goto(path.as_uri())
        self.measured = view.evaluate(MEASURE)
        view.mouse.wheel(0, 3000)
        view.wait_for_function("() => window.scrollY > 0 || document.body.scrollHeight <= 800")
        stamps = view.locator(".stamp, .watermark").all()
        self.stamps = [stamp.bounding_box()["y"] for stamp in stamps if stamp.is_visible()]
        self.printed = view.pdf(prefer_css_page_size=True) if media == "print" else b""
        context.close()

    def faults(self, reported):
        """What is wrong with it; nothing, if all is well."""
        measured = self.measured
        tables = 3 if reported.diagnosis else 2
        checks = {
            "wider than the screen": measured["wide"] > 0,
            "a message on the console": self.console,
            "a request": [url for url in self.requests if not url.startswith(("file:", "data:"))],
            "a script has run": measured["run"] != "nothing",
            "a table is missing": measured["tables"] < tables - 1,
            "marks are missing": measured["marks"] != 2 * len(reported.levels) + 2,
            "words outside the drawing": measured["outside"],
            "words over words": measured["clashes"],
            "letters too small": measured["letters"] < 11.5,
        }
        return [f"{name}: {found}" for name, found in checks.items() if found]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", EVERY)
def test_a_page_fits_its_screen(browser, tmp_path, name, width):
    reported = EVERY[name]()
    shown = Shown(browser, tmp_path, page(reported), width)
    assert shown.faults(reported) == []


@pytest.mark.parametrize("name", EVERY)
def test_on_a_phone_no_table_needs_scrolling(browser, tmp_path, name):
    shown = Shown(browser, tmp_path, page(EVERY[name]()), 360)
    assert shown.measured["scrolled"] == 0


@pytest.mark.parametrize("name", EVERY)
def test_a_page_prints(browser, tmp_path, name):
    reported = EVERY[name]()
    shown = Shown(browser, tmp_path, page(reported), PRINTED, media="print")
    assert [fault for fault in shown.faults(reported) if "small" not in fault] == []
    assert shown.measured["scrolled"] == 0
    assert shown.printed.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type\s*/Page\b", shown.printed)) >= 2


@pytest.mark.parametrize("name", ["small", "rehearsal", "tall"])
def test_a_dark_screen_gets_dark_paper_and_a_printer_does_not(browser, tmp_path, name):
    written = page(EVERY[name]())
    dark = Shown(browser, tmp_path, written, 800, color_scheme="dark")
    assert dark.faults(EVERY[name]()) == []
    assert dark.measured["paper"] == "rgb(20, 24, 29)"
    assert dark.measured["ink"] == "rgb(230, 233, 236)"
    printed = Shown(browser, tmp_path, written, PRINTED, color_scheme="dark", media="print")
    assert printed.measured["paper"] == "rgb(255, 255, 255)"


def test_the_stamp_of_a_rehearsal_stays_in_sight(browser, tmp_path):
    for media, width in (("screen", 360), ("screen", 1280), ("print", PRINTED)):
        shown = Shown(browser, tmp_path, page(rehearsal()), width, media=media)
        assert any(0 <= top < 800 for top in shown.stamps)
    assert Shown(browser, tmp_path, page(small()), 360).stamps == []


def test_a_fragment_changes_nothing_around_it(browser, tmp_path):
    """A notebook's own headings and tables look the same with a report beside them."""
    probe = """() => [...document.querySelectorAll(".mine")].map(e => {
        const s = getComputedStyle(e); return [s.color, s.fontSize, s.margin, s.borderTopWidth];
    })"""
    mine = '<h2 class="mine">mine</h2><table class="mine"><tr><td class="mine">1</td></tr></table>'
    looks = []
    for within in ("", fragment(small())):
        view = browser.new_page(viewport={"width": 800, "height": 600})
        view.set_content(f"<!DOCTYPE html><body>{mine}<div>{within}</div></body>")
        looks.append(view.evaluate(probe))
        view.close()
    assert looks[0] == looks[1]


def test_saboteur_live_names_are_caught(browser, tmp_path, monkeypatch):
    """Even then the page's policy keeps a script from running and says so on the console."""
    from holdfast.publication.report import markup

    monkeypatch.setattr(markup, "escape", lambda text: text)
    shown = Shown(
        browser, tmp_path, page(small()).replace("</main>", "<script>ran=1</script>"), 800
    )
    assert shown.measured["run"] == "nothing"
    assert any("message" in fault for fault in shown.faults(small()))
    shown = Shown(browser, tmp_path, page(nasty()), 800)
    assert shown.faults(nasty())


@pytest.mark.parametrize(
    ("old", "new", "name", "width"),
    [
        ("overflow-x:auto", "overflow-x:visible", "broad", 660),
        ("overflow-wrap:anywhere", "overflow-wrap:normal", "nasty", 360),
        ("max-width:640px", "max-width:1px", "broad", 360),
        ("default-src 'none'", "default-src *", "small", 360),
        ('class="inner"', 'class="inner" display="none"', "small", 800),
        ("font-size:13px", "font-size:26px", "tall", 360),
        ("font-size:13px", "font-size:6px", "small", 360),
    ],
)
def test_saboteurs_of_the_look_are_caught(browser, tmp_path, old, new, name, width):
    reported = EVERY[name]()
    broken = page(reported).replace(old, new)
    assert broken != page(reported)
    if "default" in old:
        broken = broken.replace(
            "</main>", '<img src="https://127.0.0.1:9/x"><script>ran=1</script></main>'
        )
    shown = Shown(browser, tmp_path, broken, width)
    assert shown.faults(reported) or shown.measured["scrolled"]


def test_saboteur_a_name_that_is_not_cut_in_the_picture_is_caught(browser, tmp_path, monkeypatch):
    from dataclasses import replace

    from holdfast.publication.report import picture

    monkeypatch.setattr(picture, "shortened", lambda name: name)
    long = tuple(replace(level, level="a level with a long name " * 5) for level in small().levels)
    reported = replace(small(), levels=long)
    assert Shown(browser, tmp_path, page(reported), 360).faults(reported)


def test_a_missing_browser_is_a_clear_failure(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(pytest.fail.Exception, match="apt-get install chromium"):
        chromium()


def test_the_samples_are_of_every_kind():
    assert taxi().tree.size > 60
    assert deep().tree.size > 600
    assert tall().tree.depth == 13
    assert stylesheet.SCOPE == ".holdfast"
