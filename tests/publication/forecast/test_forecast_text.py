"""A forecast as a table of 100 columns, and as JSON with stable keys."""

import json

import pytest

import holdfast as hf
from holdfast.publication.forecast.forecast_text import table_of, words_of
from holdfast.publication.forecast.prediction import StreetForecast, forecast
from holdfast.publication.level_error import NO_INTERVAL, LevelError
from tests.publication.forecast.samples import GAUSSIAN, TREE, mechanism, rules_of

LONG = LevelError(
    "a name of a level that is far too long", 10**8, 123456.7, 1e-9, NO_INTERVAL, False
)
SHORT = LevelError("root", 1, 2.449657, 4.0, 9.0, True)
MADE = (
    StreetForecast("street", (SHORT, LONG), None, "for a reason " * 7, "note", True),
    StreetForecast("other", (), None, "no way", "not available", False),
)


TABLE = """\
* street
    no certificate: for a reason for a reason for a reason for a reason for a reason for a reason
    for a reason
    note
  level                                nodes   mean error std. deviation   half-width
  root                                     1         2.45              4            9  exact
  a name of a level that is f... 100,000,000      123,457          1e-09            -  simulated

  other
    no certificate: no way
    not available

* recommended. No data was read."""


def test_a_table_for_a_terminal():
    assert table_of(MADE) == TABLE


@pytest.mark.parametrize("family", ["discrete-laplace", GAUSSIAN, "laplace"])
def test_real_forecasts_fit(family):
    text = table_of(forecast(mechanism(TREE, family), rules_of(TREE)))
    assert max(map(len, text.split("\n"))) <= 100
    assert sum(line.startswith("*") for line in text.split("\n")) == 2  # one street, and the legend
    assert "simulated" in text


def test_json_has_the_same_keys_whatever_was_found():
    found = words_of([*forecast(mechanism(), rules_of(TREE)), *MADE])
    text = json.dumps(found, allow_nan=False)  # a figure that is no number is null
    assert json.loads(text) == found
    streets = found["streets"]
    assert len({tuple(each) for each in streets}) == 1
    assert len({tuple(level) for each in streets for level in each["levels"]}) == 1
    assert streets[-2]["levels"][1]["half_width"] is None
    assert streets[-2]["levels"][0]["mean_error"] == 2.44966


def test_exact_costs_are_text():
    replacing = mechanism(TREE, GAUSSIAN, "replace-one", rho="0.3")
    found = words_of(forecast(replacing, TREE.sums() & hf.total(50)))["streets"]
    plain = found[0]["certificate"]
    assert (plain["rho"], plain["epsilon"], plain["delta"]) == ("0.3", None, "0")
    assert found[1]["certificate"]["given"] == ["total = 50"]
