"""Releases written to a folder without an engine: counts are given, files are the product's."""

import json
from pathlib import Path

import numpy as np

import holdfast as hf
from holdfast.mechanism.release import Release
from holdfast.publication.plan.plan import Plan
from holdfast.publication.plan.reading import plan_of
from holdfast.publication.street import street_of
from holdfast.publication.writing.folder import write
from holdfast.publication.writing.record import record_of, with_files
from holdfast.publication.writing.table_file import TableFile, is_wide
from tests.publication.samples import PLAN

TREE = hf.Hierarchy.from_frame(
    {"Borough": ["A", "A", "B", "C"], "Zone": ["a", "b", "c", "d"]}, ["Borough", "Zone"], "NYC"
)
COUNTS = np.array([40, 0, 17, 3])


def release_to(folder: Path, text: str = PLAN, tree=TREE, counts=COUNTS) -> Release:
    """Write the release of a plan, its table and its record, to a folder."""
    plan: Plan = plan_of(text, folder)
    street = street_of(plan, tree)
    sealed = hf.Confidential(counts, "counts")
    release = street.release(sealed, hf.system_chance(), plan.release.interval)
    wide = is_wide(release.value, release.lower, release.upper)
    table = TableFile(tree, None, release.value, release.lower, release.upper, wide)
    files = {"table.csv": table.csv(), "table.csv-metadata.json": table.csvw()}
    record = record_of(plan, tree, street, release, ())
    write(folder, {**files, "record.json": with_files(record, files)})
    return release


def record_in(folder: Path) -> dict:
    return json.loads((folder / "record.json").read_text())
