"""Documents: links lead somewhere, code runs, words are the house's own."""

import re
from pathlib import Path

import docs.pictures.first_table as picture
import pytest

from tests.house.houses import FORBIDDEN_WORDS, LINK, ROOT, anchors, broken

PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]


def links_of(text: str) -> list[str]:
    """Return the targets of Markdown links that lead into the house."""
    found = re.findall(r"\]\(([^)\s]+)\)", text)
    return [target for target in found if "://" not in target]


def lost(page: Path, text: str) -> list[str]:
    """Return the links and addresses of a page that lead nowhere."""
    wrong = []
    for target in links_of(text):
        path, _, heading = target.partition("#")
        file = page.parent / path if path else page
        if not file.exists() or (heading and heading not in anchors(file.read_text())):
            wrong.append(target)
    return wrong + [address for address in LINK.findall(text) if broken(address)]


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_link_leads_somewhere(page):
    assert lost(page, page.read_text()) == []


@pytest.mark.parametrize(
    "text", ["[x](nowhere.md)", "[x](docs/glossary.md#nowhere)", "see docs/theory/nothing.md"]
)
def test_the_link_test_barks(text):
    assert lost(ROOT / "README.md", text) != []


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_the_words_are_the_houses_own(page):
    assert FORBIDDEN_WORDS.findall(page.read_text()) == []


def blocks(page: str, language: str) -> list[str]:
    text = (ROOT / page).read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def test_the_readmes_python_runs():
    (code,) = blocks("README.md", "python")
    exec(compile(code, "README.md", "exec"), {})


def test_the_readme_has_exactly_two_set_up_commands():
    """One installs and runs the main job, one installs what tests need and runs them."""
    first, second = blocks("README.md", "sh")
    assert "holdfast demo" in first
    assert "pytest" in second
    assert all(block.count("\n") == 1 for block in (first, second))


def test_continuous_integration_runs_the_readmes_commands():
    script = (ROOT / ".ci" / "run").read_text()
    assert "for number in 1 2" in script
    assert 'eval "$command"' in script
    assert all(word in script for word in ('ruff" check', "format --check", 'mypy"'))


def test_the_picture_is_what_the_example_draws():
    assert Path(picture.__file__).with_suffix(".svg").read_text() == picture.picture()


def test_every_word_of_the_front_door_is_in_a_page():
    import holdfast

    text = "\n".join(page.read_text() for page in PAGES)
    assert [name for name in holdfast.__all__ if name not in text] == []
