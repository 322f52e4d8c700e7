"""What must hold of a published table, in words, and whether it does.

Sums, no count below 0 and a total are looked at again here, on the very numbers that are shown.

Checked by. tests/publication/report/test_report.py
"""

import re

from holdfast.publication.report.markup import Html, label, tag
from holdfast.publication.report.numerals import grouped
from holdfast.publication.report.reported import Reported
from holdfast.worlds.rules import Kind, Statement

TOTAL = re.compile(r"total = (-?[0-9]{1,20})")
SHORT = {"sums": "every sum holds", "nonnegative": "no count is below 0"}
MOST_SHOWN = 40
CHECKED = {True: "holds", False: "DOES NOT HOLD", None: "required"}
STRUCTURAL = "True of every data set."
FACT = "Given as a fact about these data: published as it is, and not protected."
ELSEWHERE = "holdfast verify checks it on table.csv."


def holding(reported: Reported) -> Html:
    """Return the section on rules."""
    rules = reported.certificate.invariants
    listed = [_item(reported, rule) for rule in rules[:MOST_SHOWN]]
    more = len(rules) - MOST_SHOWN
    if more > 0:
        listed.append(tag("li", f"And {grouped(more)} more, listed in record.json."))
    if not listed:
        return tag("p", "No rule was asked for: numbers need not add up, and may be below 0.")
    said = (
        "These rules were asked for. Sums, counts below 0 and totals were looked at once more on "
        "the numbers of this release when this page was written."
    )
    return Html(tag("p", said) + tag("ul", *listed, class_="rules"))


def verdict(reported: Reported, rule: Statement) -> bool | None:
    """Return whether the published numbers obey a rule; None where its name does not tell how."""
    if rule.name == "sums":
        return reported.tree.adds_up(reported.value)
    if rule.name == "nonnegative":
        return bool((reported.value >= 0).all())
    total = TOTAL.fullmatch(rule.name)
    return None if total is None else int(reported.value[0]) == int(total.group(1))


def in_words(reported: Reported, rule: Statement) -> Html:
    """Return what a rule says."""
    if rule.name == "sums":
        parents = grouped(reported.tree.size - reported.tree.leaf_nodes.size)
        said = "Sums: every number is the sum of the numbers directly below it"
        return tag("span", f"{said} ({parents} of them have some).")
    if rule.name == "nonnegative":
        return tag("span", "No count is below 0.")
    total = TOTAL.fullmatch(rule.name)
    if total is not None:
        of = label(reported.tree.root)
        return tag("span", "The total of ", of, f" is {grouped(int(total.group(1)))}.")
    return tag("span", "The rule ", tag("bdi", tag("code", rule.name)), ".")


def in_short(name: str) -> str:
    """Return a rule in half a sentence."""
    total = TOTAL.fullmatch(name)
    if total is not None:
        return f"the total is {grouped(int(total.group(1)))}"
    return SHORT.get(name, name)


def _item(reported: Reported, rule: Statement) -> Html:
    """Return one rule with its verdict and its kind."""
    answer = verdict(reported, rule)
    mark = tag("strong", CHECKED[answer], class_="broken" if answer is False else "held")
    kind = FACT if rule.kind is Kind.FACT else STRUCTURAL
    further = f" {ELSEWHERE}" if answer is None else ""
    said = in_words(reported, rule)
    return tag("li", mark, " ", said, " ", tag("span", kind + further, class_="kind"))
