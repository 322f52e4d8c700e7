"""A preview reads no data, and says what the release will carry.

If this failed, people would learn the error of a release after paying for it.
"""

import json

import pytest

from holdfast.cli.main import main
from holdfast.foundation.errors import HoldfastError
from holdfast.publication.forecast.forecast_text import words_of
from holdfast.publication.plan.reading import read_plan
from holdfast.publication.preview import budget_needed, preview
from holdfast.publication.publish import publish
from tests.publication.places import furnished
from tests.publication.samples import PLAN, changed


@pytest.fixture
def plan(tmp_path):
    return read_plan(furnished(tmp_path / "home"))


def test_every_street_is_told_and_one_recommended(plan):
    (plan.folder / "trips.csv").unlink()
    (plan.folder / "budget.sqlite").unlink()
    streets = preview(plan)
    assert sum(street.recommended for street in streets) == 1
    best = next(street for street in streets if street.recommended)
    assert best.street == "revise sums, update nonnegative"
    assert [level.level for level in best.levels] == ["root", "Borough", "Zone"]


def test_the_certificate_previewed_is_the_one_published(plan, tmp_path):
    best = next(street for street in preview(plan) if street.recommended)
    assert publish(plan, tmp_path / "out").certificate == best.certificate


def test_the_same_preview_every_time(plan):
    assert words_of(preview(plan)) == words_of(preview(plan))


def test_the_best_split_is_used(tmp_path):
    text = changed(PLAN, ('epsilon = "1"', 'epsilon = "1"\nsplit = "best"'))
    plan = read_plan(furnished(tmp_path / "home", text))
    done = publish(plan, tmp_path / "out")
    assert done.certificate.epsilon == 1


def test_the_budget_that_an_error_needs(plan):
    needed = budget_needed(plan, "Borough<=2, root <= 1.5")
    assert needed.said().startswith("Borough<=2, root <= 1.5 needs epsilon = ")
    assert needed.found.ratio <= 1 < needed.found.ratio_with_less


@pytest.mark.parametrize("wish", ["", "Borough", "Borough<5", "Nowhere<=5", "Borough<=-1", "<=3"])
def test_other_words_are_refused(plan, wish):
    with pytest.raises(HoldfastError) as error:
        budget_needed(plan, wish)
    assert all(fault.remedy for fault in error.value.faults)


def test_the_command(plan, capsys):
    path = str(plan.folder / "plan.toml")
    assert main(["preview", path]) == 0
    assert "* recommended" in capsys.readouterr().out
    assert main(["preview", path, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["streets"]
    assert main(["preview", path, "--error", "Borough<=2"]) == 0
    assert "needs epsilon" in capsys.readouterr().out
    assert main(["preview", path, "--error", "Borough<=2", "--json"]) == 0
    assert "epsilon" in json.loads(capsys.readouterr().out)
