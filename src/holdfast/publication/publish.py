"""Publish what a plan asks: debit, count, draw, constrain, certify, seal, write, mark.

All that can be refused without the data is refused before the debit. The ledger keeps the bytes
before anyone sees them; the same name and plan give the same bytes again, and cost nothing.

Claim.      No row is read before the debit is on disk, and nothing is written but what was sealed.
Reason.     docs/theory/plans.md#the-order-of-a-publication
Checked by. tests/publication/test_publish.py
"""

import warnings
from dataclasses import dataclass
from functools import partial
from html import escape
from pathlib import Path

from holdfast.data.counting import count, describe
from holdfast.data.domain import Domain, read_domain
from holdfast.foundation.errors import BadPlan, Fault, NoiseDominates, shown
from holdfast.foundation.progress import Progress, silent
from holdfast.foundation.randomness import Chance, system_chance
from holdfast.foundation.signature import sign
from holdfast.privacy.certificate.certificate import Certificate
from holdfast.privacy.ledger.ledger import Ledger
from holdfast.publication.forecast.invented_table import invented
from holdfast.publication.plan.plan import Plan
from holdfast.publication.plan.reading import read_plan
from holdfast.publication.street import Street, certificate_of, street_of
from holdfast.publication.writing.bundle import packed, unpacked
from holdfast.publication.writing.files import files_of
from holdfast.publication.writing.folder import check_room, write
from holdfast.publication.writing.record import signature_of

NAMES = frozenset(
    {
        "table.csv",
        "table.csv-metadata.json",
        "table.parquet",
        "report.html",
        "record.json",
        "signature.json",
    }
)


@dataclass(frozen=True, slots=True)
class Published:
    """Where a release was written, what it costs, and whether it was there before."""

    folder: Path
    certificate: Certificate
    kind: str

    def said(self) -> str:
        """Return what was done, in lines for a terminal."""
        return f"{self.kind}: {self.folder}\n{self.certificate}\nRead {self.folder}/report.html"

    def _repr_html_(self) -> str:
        """Return the report for a notebook, in a frame of its own."""
        report = (self.folder / "report.html").read_text(encoding="utf-8")
        style = "width:100%;height:640px;border:1px solid #888"
        return f'<iframe title="report" style="{style}" srcdoc="{escape(report)}"></iframe>'


@dataclass(frozen=True, slots=True)
class Prepared:
    """A plan with its public tree and the mechanism that it asks for; no row has been read."""

    plan: Plan
    domain: Domain
    street: Street
    certificate: Certificate


def prepare(plan: Plan, progress: Progress = silent) -> Prepared:
    """Return what can be made of a plan without the data; every public fault is refused."""
    domain = read_domain(plan.data, plan.folder)
    street = street_of(plan, domain.tree, progress)
    return Prepared(plan, domain, street, certificate_of(street))


def publish(
    plan: Plan | str | Path,
    out: str | Path,
    key_file: Path | None = None,
    progress: Progress = silent,
) -> Published:
    """Write the release of a plan, or a plan file, to a folder.

    One that was sealed before is written again, the same bytes, at no cost.
    """
    plan, out = read_plan(plan), Path(out)
    check_room(out, NAMES)
    ledger = _ledger(plan)
    again = any(entry.name == plan.release.name for entry in ledger.entries)
    if not again:
        describe(plan.data, plan.folder)
    prepared = prepare(plan, progress)
    if key_file is not None:
        sign(b"", key_file)  # a key that cannot sign is refused before anything is spent
    deliver = partial(_deliver, out, key_file)
    content = ledger.release(
        plan.release.name,
        plan.digest(prepared.domain.digest),
        prepared.certificate,
        partial(_drawn, prepared, system_chance()),
        deliver,
    )
    deliver(content)
    kind = "the release that was sealed before" if again else "released"
    return Published(out, prepared.certificate, kind)


def rehearse(plan: Plan, out: Path, progress: Progress = silent) -> Published:
    """Write a release of invented counts; neither data nor ledger is touched."""
    check_room(out, NAMES)
    prepared = prepare(plan, progress)
    leaves = prepared.domain.tree.aggregate(invented(prepared.domain.tree))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoiseDominates)
        release = prepared.street.release(leaves, system_chance(), plan.release.interval)
    files = files_of(plan, prepared.domain, prepared.street, release, rehearsal=True)
    write(out, files)
    return Published(out, prepared.certificate, "REHEARSAL, invented counts")


def _ledger(plan: Plan) -> Ledger:
    """Return the plan's ledger; that there is none is a fault of the plan."""
    place = plan.release.ledger
    if "://" in place:
        asked, found = "a file", shown(place)
        raise BadPlan(Fault("[release] ledger", asked, found, "A server's ledger needs Python."))
    if not plan.at(place).exists():
        remedy = f"Make it: holdfast ledger create {place} --epsilon 10."
        raise BadPlan(Fault("[release] ledger", "a ledger", f"none at {shown(place)}", remedy))
    return Ledger(plan.at(place))


def _drawn(prepared: Prepared, chance: Chance) -> bytes:
    """Count the rows, draw once, and return the files as bytes."""
    plan = prepared.plan
    sealed = count(plan.data, prepared.domain, plan.folder, chance)
    with warnings.catch_warnings():  # the report says it; standard error is the same for all data
        warnings.simplefilter("ignore", NoiseDominates)
        release = prepared.street.release(sealed, chance, plan.release.interval)
    return packed(files_of(plan, prepared.domain, prepared.street, release))


def _deliver(out: Path, key_file: Path | None, content: bytes) -> None:
    """Write the sealed files, and a signature of the record where a key is given."""
    files = unpacked(content)
    if key_file is not None:
        files["signature.json"] = signature_of(files["record.json"], key_file)
    write(out, files)
