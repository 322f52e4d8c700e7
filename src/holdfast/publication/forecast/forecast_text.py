"""A forecast for a terminal, and for a programme that reads JSON.

Checked by. tests/publication/forecast/test_forecast_text.py
"""

import math
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

from holdfast.privacy.certificate.certificate import Certificate
from holdfast.privacy.certificate.wording import cost_in_words
from holdfast.privacy.certificate.written import text_of
from holdfast.publication.forecast.prediction import StreetForecast
from holdfast.publication.level_error import LevelError

WIDTH = 100
NAME = 30  # of a level; a longer one is cut
DIGITS = 6
HEADINGS = ("level", "nodes", "mean error", "std. deviation", "half-width", "")
COLUMNS = f"  {{:<{NAME}}} {{:>11}} {{:>12}} {{:>14}} {{:>12}}  {{}}"


def table_of(forecasts: Sequence[StreetForecast]) -> str:
    """Return the forecasts as lines of at most 100 columns; a star marks the recommended street."""
    lines = [line for each in forecasts for line in (*_street(each), "")]
    return "\n".join([*lines, "* recommended. No data was read."])


def _street(each: StreetForecast) -> Iterator[str]:
    """Yield the lines of one street."""
    yield f"{'*' if each.recommended else ' '} {each.street}"
    yield from _wrapped(_promise(each))
    if each.note:
        yield from _wrapped(each.note)
    if each.levels:
        yield COLUMNS.format(*HEADINGS).rstrip()
    for level in each.levels:
        yield _level(level)


def _wrapped(text: str) -> list[str]:
    return wrap(text, WIDTH, initial_indent="    ", subsequent_indent="    ")


def _promise(each: StreetForecast) -> str:
    """Return the cost, or why there is no certificate."""
    if each.certificate is None:
        return f"no certificate: {each.withheld}"
    first = f"certificate: {cost_in_words(each.certificate.cost)}"
    return f"{first}, {each.certificate.neighbours}, of each {each.certificate.unit}"


def _level(level: LevelError) -> str:
    """Return the line of one level."""
    name = level.level if len(level.level) <= NAME else level.level[: NAME - 3] + "..."
    figures = map(_shown, (level.mean_error, level.standard_deviation, level.half_width))
    said = "exact" if level.exact else "simulated"
    return COLUMNS.format(name, f"{level.nodes:,}", *figures, said).rstrip()


def _shown(figure: float) -> str:
    """Return a figure in three digits, or more where it is whole; "-" where there is none."""
    if math.isnan(figure):
        return "-"
    return f"{figure:,.0f}" if figure >= 100 or figure == int(figure) else f"{figure:.3g}"


def words_of(forecasts: Sequence[StreetForecast]) -> dict[str, Any]:
    """Return the forecasts as JSON has them: the same keys whatever was found.

    What is exact in theory and in number, such as epsilon, is text; figures are numbers of six
    digits, so that the same plan gives the same text on machines that round otherwise.
    """
    return {"streets": [_words(each) for each in forecasts]}


def _words(each: StreetForecast) -> dict[str, Any]:
    return {
        "street": each.street,
        "recommended": each.recommended,
        "certificate": _certificate(each.certificate),
        "withheld": each.withheld,
        "note": each.note,
        "levels": [_level_words(level) for level in each.levels],
    }


def _certificate(certificate: Certificate | None) -> dict[str, Any] | None:
    if certificate is None:
        return None
    epsilon, rho = certificate.epsilon, certificate.rho
    return {
        "epsilon": None if epsilon is None else text_of(epsilon),
        "rho": None if rho is None else text_of(rho),
        "delta": text_of(certificate.delta),
        "neighbours": str(certificate.neighbours),
        "unit": certificate.unit,
        "pairs": certificate.pairs,
        "given": list(certificate.facts),
    }


def _level_words(level: LevelError) -> dict[str, Any]:
    return {
        "level": level.level,
        "nodes": level.nodes,
        "mean_error": _number(level.mean_error),
        "standard_deviation": _number(level.standard_deviation),
        "half_width": _number(level.half_width),
        "exact": level.exact,
    }


def _number(figure: float) -> float | None:
    """Return a figure in six digits, or nothing where there is none."""
    return None if math.isnan(figure) else float(f"{figure:.{DIGITS}g}")
