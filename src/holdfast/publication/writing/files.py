"""The files of a release: the table twice, its columns' meaning, the report, the record.

Reason.     docs/theory/plans.md#what-is-written
Checked by. tests/publication/test_publish.py
"""

from holdfast.data.domain import Domain
from holdfast.data.parquet_file import parquet_of
from holdfast.mechanism.release import Release
from holdfast.mechanism.revised import Revised
from holdfast.mechanism.updated import Updated
from holdfast.publication.level_error import LevelError, by_level, level_errors, widest
from holdfast.publication.plan.plan import Plan
from holdfast.publication.report.report import page
from holdfast.publication.report.reported import Reported
from holdfast.publication.street import Street
from holdfast.publication.writing.bundle import Files
from holdfast.publication.writing.record import record_of, with_files
from holdfast.publication.writing.table_file import TableFile, is_wide


def files_of(
    plan: Plan, domain: Domain, street: Street, release: Release, rehearsal: bool = False
) -> Files:
    """Return all files of a release by name, the record with the digests of the others last."""
    wide = is_wide(release.value, release.lower, release.upper)
    table = TableFile(domain.tree, domain.labels, release.value, release.lower, release.upper, wide)
    levels = expected(street, plan.release.interval)
    files = {
        "table.csv": table.csv(),
        "table.csv-metadata.json": table.csvw(),
        "table.parquet": parquet_of(table.arrays()),
        "report.html": page(_reported(plan, domain, street, release, levels, rehearsal)).encode(),
    }
    record = record_of(plan, domain.tree, street, release, levels)
    return {**files, "record.json": with_files({**record, "rehearsal": rehearsal}, files)}


def expected(street: Street, confidence: str) -> tuple[LevelError, ...]:
    """Return the error to expect of the noise that is drawn, level by level."""
    source = street.source if isinstance(street, Updated) else street
    tree = source.mechanism.tree if isinstance(source, Revised) else source.tree
    sizes, variances = by_level(tree, source.expected_error()), by_level(tree, source.variance())
    return level_errors(tree, sizes, variances, widest(tree, source.interval(confidence)), True)


def _reported(
    plan: Plan,
    domain: Domain,
    street: Street,
    release: Release,
    levels: tuple[LevelError, ...],
    rehearsal: bool,
) -> Reported:
    """Return all that the report shows."""
    return Reported(
        name=plan.release.name,
        rehearsal=rehearsal,
        tree=domain.tree,
        labels=domain.labels,
        street=", then ".join(plan.method.street),
        sampler=release.certificate.sampler,
        confidence=plan.release.interval,
        value=release.value,
        lower=release.lower,
        upper=release.upper,
        certificate=release.certificate,
        diagnosis=release.diagnosis,
        levels=levels,
        wide=is_wide(release.value, release.lower, release.upper),
    )
