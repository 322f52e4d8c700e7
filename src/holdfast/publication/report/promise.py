"""What is promised, in words: the first line, the cost, and what is not promised.

Claim.      A factor shown is not below e**epsilon, and costs shown are rounded up.
Reason.     docs/theory/certificates.md#what-is-promised
Checked by. tests/publication/report/test_promise.py
"""

from collections.abc import Iterator

from holdfast.foundation.bounds import exp_bounds, shown_above
from holdfast.noise.sensitivity import Neighbours
from holdfast.privacy.certificate.certificate import Certificate
from holdfast.privacy.certificate.cost import EpsilonCost, RhoCost
from holdfast.privacy.certificate.wording import cost_in_words
from holdfast.publication.report.markup import Html, joined, tag
from holdfast.publication.report.numerals import grouped
from holdfast.publication.report.reported import Reported

MOST_EPSILON = 100  # beyond it a factor says nothing to anybody
MOST_RHO = 50
SMALL_DELTA = "0.000000001"
MOST_FACTS = 20


def first_line(reported: Reported) -> str:
    """Return who is protected, and at what cost."""
    certificate = reported.certificate
    rows = certificate.promise.rows
    who = f"Each {certificate.unit}"
    who += f" (with up to {grouped(rows)} rows)" if rows > 1 else ""
    verb = "would be" if reported.rehearsal else "is"
    return f"{who} {verb} protected, at a cost of {cost_in_words(certificate.cost)}."


def meaning(certificate: Certificate) -> str:
    """Return what the cost means for one unit, in a sentence or two."""
    cost = certificate.cost
    if isinstance(cost, RhoCost):
        if not 0 < cost.rho <= MOST_RHO:
            return "Rho measures how much may be learnt about one of them: the smaller, the less."
        converted = certificate.in_epsilon(SMALL_DELTA)
        other = f"In other words: {cost_in_words(converted.cost)}. "
        return other + meaning(converted)
    if cost.epsilon > MOST_EPSILON:
        return "A cost so large protects next to nothing."
    return _factor(certificate, cost)


def _factor(certificate: Certificate, cost: EpsilonCost) -> str:
    """Return what an epsilon means, as a factor."""
    factor = shown_above(exp_bounds(cost.epsilon).above)
    delta = f", plus a chance of {shown_above(cost.delta)}" if cost.delta else ""
    unit = certificate.unit
    other = "without it"
    if certificate.neighbours is Neighbours.REPLACE_ONE:
        other = "with another in its place"
    shared = ", where both obey the facts given" if certificate.facts else ""
    return (
        f"Whatever this release shows, it was at most {factor} times as likely to come out with a "
        f"given {unit} in the data as {other}, and the other way round{delta}{shared}. The nearer "
        "this factor is to 1, the less can be learnt about anyone."
    )


def terms(reported: Reported) -> Html:
    """Return the certificate's terms as a list of names and what they say."""
    certificate = reported.certificate
    given = ", ".join(certificate.facts[:MOST_FACTS]) or "nothing"
    more = len(certificate.facts) - MOST_FACTS
    given += f", and {grouped(more)} more" if more > 0 else ""
    pairs = {
        "protected": f"each {certificate.unit}",
        "cost": cost_in_words(certificate.cost),
        "neighbours": f"{certificate.neighbours}: {certificate.pairs}",
        "given as facts": given,
        "sampler": certificate.sampler,
    }
    rows = (tag("div", tag("dt", name), tag("dd", said)) for name, said in pairs.items())
    return tag("dl", *rows)


def limits(reported: Reported) -> Html:
    """Return what the certificate does not promise."""
    return tag("ul", *(tag("li", said) for said in _limits(reported)))


def _limits(reported: Reported) -> Iterator[Html]:
    """Yield each limit."""
    certificate = reported.certificate
    if certificate.facts:
        yield joined(
            [
                "What is given as a fact is published as it is and is not protected. The promise "
                "is for pairs of data sets that share the facts."
            ]
        )
    yield joined(
        [
            "One state is released: the promise is about this one table. It says nothing of "
            "another draw, nor of anything else that was seen on the way."
        ]
    )
    yield joined([_rows(certificate)])
    yield joined(
        [
            "Other releases from the same data add to the cost. The ledger adds them up; this "
            "page knows of this release alone."
        ]
    )
    yield joined(
        [
            "The tree, its names, the rules and the plan are public. They are not protected, and "
            "a name that tells a secret tells it."
        ]
    )
    yield joined(
        [
            "What the numbers say about many is what they are for: that a place is busy, or a "
            "group is large, can be learnt from them, also about those in it."
        ]
    )


def _rows(certificate: Certificate) -> str:
    """Return in how far the rows are taken on trust."""
    if certificate.unit == "person":
        rows = grouped(certificate.promise.rows)
        return (
            f"The rows are trusted. A person counts as one with up to {rows} rows under one name; "
            "whoever is in the data under two names is protected as two."
        )
    return (
        "The rows are trusted, and each is protected by itself. Whoever has several rows is "
        "protected less: the costs of all of them add up."
    )
