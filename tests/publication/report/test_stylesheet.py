"""Colours that can be read, and rules that stay within the report."""

import re

import pytest

from holdfast.publication.report.stylesheet import DARK, LIGHT, SCOPE, of_page, scoped


def luminance(colour):
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["ink", "dim", "mean", "half", "good", "bad"])
def test_words_stand_out_from_the_paper(scheme, name):
    assert contrast(scheme[name], scheme["paper"]) >= 4.5


def test_saboteur_pale_words_are_caught():
    assert contrast("#9aa4af", LIGHT["paper"]) < 4.5


def test_every_rule_stands_under_one_class():
    flat = re.sub(r"@media[^{]*\{|@page\{[^}]*\}", "", scoped())
    for selectors in re.findall(r"([^{}]+)\{", flat):
        for selector in selectors.split(","):
            assert selector.strip().startswith(SCOPE), selector


def test_every_colour_is_one_of_the_scheme():
    used = set(re.findall(r"var\(--([a-z]+)\)", of_page()))
    assert used <= set(LIGHT) == set(DARK)
    assert not re.findall(r"#[0-9a-f]{3,6}", of_page().replace(scoped(), ""))
