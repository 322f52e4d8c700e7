"""The derivation of a certificate as nested lists: each step, its cost, and what it rests on.

Checked by. tests/publication/report/test_report.py
"""

from holdfast.privacy.certificate.reasons import Reason, parts_of
from holdfast.privacy.certificate.wording import cost_in_words
from holdfast.publication.report.markup import Html, tag


def derivation(reason: Reason) -> Html:
    """Return a reason and, within it, what it rests on."""
    return tag("ul", _step(reason), class_="derivation")


def _step(reason: Reason) -> Html:
    """Return one step with its parts."""
    parts = [_step(part) for part in parts_of(reason)]
    return tag(
        "li",
        tag("strong", reason.name),
        f": {cost_in_words(reason.cost)}",
        tag("div", reason.said),
        tag("div", "proof: ", tag("code", reason.proof), class_="kind"),
        *([tag("ul", *parts)] if parts else []),
    )
