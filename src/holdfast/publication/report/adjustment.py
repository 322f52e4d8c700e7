"""What the two views did: which noise was drawn, and how far an update moved it.

Checked by. tests/publication/report/test_report.py
"""

from collections.abc import Iterator

from holdfast.foundation.errors import MOST_LISTED
from holdfast.privacy.certificate.noise_reasons import (
    Doubling,
    EqualityConditioning,
    InequalityConditioning,
)
from holdfast.privacy.certificate.reasons import Reason
from holdfast.privacy.certificate.step_reasons import Update
from holdfast.publication.report.figures import figures
from holdfast.publication.report.holding import in_short
from holdfast.publication.report.markup import Html, joined, label, tag
from holdfast.publication.report.numerals import grouped, measure, signed
from holdfast.publication.report.reported import Reported
from holdfast.update.diagnosis import Diagnosis, LevelDiagnosis

COLUMNS = ("level", "numbers", "mean move", "largest move", "below 0 before", "below 0 after")


def adjustment(reported: Reported) -> Html:
    """Return the section on the two views."""
    steps = [tag("li", said) for reason in reported.certificate.reasons for said in _step(reason)]
    how = tag(
        "p",
        "The way taken: ",
        tag("bdi", tag("code", reported.street)),
        ", the noise drawn by ",
        tag("bdi", tag("code", reported.sampler)),
        ".",
    )
    taken = Html(how + tag("ol", *steps)) if steps else how
    if reported.diagnosis is None:
        still = "The numbers were published as they were drawn: no update has moved them."
        return Html(taken + tag("p", still))
    return Html(taken + _moved(reported, reported.diagnosis))


def _step(reason: Reason) -> Iterator[str]:
    """Yield what one step of the derivation did, where it is one of the two views."""
    match reason:
        case EqualityConditioning(rules=rules):
            yield (
                "Revise: the noise was drawn from its law given that "
                f"{_said(rules)}. Nothing was corrected afterwards, and it costs nothing."
            )
        case InequalityConditioning(rules=rules) | Doubling(rules=rules):
            yield (
                f"Revise: the noise was drawn given that {_said(rules)}. This has a price, "
                "which the certificate counts."
            )
        case Update(rules=rules):
            yield (
                f"Update: the table was moved to the nearest one where {_said(rules)}. This looks "
                "at the noisy numbers alone, so it costs nothing."
            )
        case _:
            return


def _said(rules: tuple[str, ...]) -> str:
    """Return rules by what they say."""
    said = [in_short(rule) for rule in rules[:MOST_LISTED]]
    more = len(rules) - MOST_LISTED
    return " and ".join([*said, *([f"{grouped(more)} rules more hold"] if more > 0 else [])])


def _moved(reported: Reported, diagnosis: Diagnosis) -> Html:
    """Return how far the update moved the table, level by level, and what it mended."""
    if not any(level.largest_move for level in diagnosis.levels):
        return tag("p", "The update moved nothing: the table obeyed the rules already.")
    rows = [_row(reported, level) for level in diagnosis.levels]
    caption = "How far the update moved the numbers of each level"
    said = tag("ul", *(tag("li", said) for said in _remarks(reported, diagnosis)))
    return Html(figures(caption, COLUMNS, rows) + said)


def _row(reported: Reported, level: LevelDiagnosis) -> tuple[str, ...]:
    """Return one level."""
    return (
        reported.named(level.name),
        grouped(level.nodes),
        measure(level.mean_move),
        measure(level.largest_move),
        grouped(level.negative_before),
        grouped(level.negative_after),
    )


def _remarks(reported: Reported, diagnosis: Diagnosis) -> Iterator[Html]:
    """Yield what the update did in all."""
    before = sum(level.negative_before for level in diagnosis.levels)
    after = sum(level.negative_after for level in diagnosis.levels)
    numbers = "number was" if before == 1 else "numbers were"
    yield joined(
        [f"Before the update {grouped(before)} {numbers} below 0; after it {grouped(after)}."]
    )
    shift = diagnosis.levels[0].shift
    total = f"moved by {signed(shift)}" if shift else "stayed where it was"
    worst = max(diagnosis.levels, key=lambda level: level.largest_move)
    yield joined(
        [
            f"The largest move of any number was {measure(worst.largest_move)}, at the level ",
            label(reported.named(worst.name)),
            f"; the total itself {total}.",
        ]
    )
    gap = f"a sum was missed by up to {measure(diagnosis.largest_gap)}."
    yield joined([f"Before, {gap}" if diagnosis.largest_gap else "Every sum held already before."])
    leaves = f"{grouped(diagnosis.turned_zero)} of {grouped(diagnosis.leaves)} leaves"
    yield joined([f"{leaves} were moved to 0 and were not 0 before."])
    if diagnosis.binding:
        names = [tag("bdi", tag("code", name)) for name in diagnosis.binding[:MOST_LISTED]]
        more = len(diagnosis.binding) - MOST_LISTED
        further = f", and {grouped(more)} more" if more > 0 else ""
        yield joined(["Held with nothing to spare: ", joined(names, ", "), f"{further}."])
    if diagnosis.noise_dominates:
        said = "The noise dominates: nothing but zeros is left. Do not use these numbers."
        yield tag("strong", said)
