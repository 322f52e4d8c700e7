"""Edits by hand of one who can write everywhere but lacks the key."""

from pathlib import Path

from benchmarks.faults.site import Site
from benchmarks.faults.tally import Tally
from holdfast.foundation.errors import HoldfastError

EDITS = {
    "raise the total": ["UPDATE events SET cost = 99000000000000 WHERE kind = 'genesis'"],
    "raise the delta": ["UPDATE events SET delta = 99000000 WHERE kind = 'genesis'"],
    "lower a cost": ["UPDATE events SET cost = 1 WHERE kind = 'spent'"],
    "lower a cost and the head": [
        "UPDATE events SET cost = 1 WHERE kind = 'spent'",
        "UPDATE head SET cost = cost - 999999999999",
    ],
    "lower what the head says": ["UPDATE head SET cost = 0"],
    "lower the head's delta": ["UPDATE head SET delta = delta + 1"],
    "turn sealed into published": ["UPDATE events SET kind = 'published' WHERE kind = 'sealed'"],
    "turn reserved into spent": ["UPDATE events SET kind = 'spent' WHERE kind = 'reserved'"],
    "delete a sealing": ["DELETE FROM events WHERE kind = 'sealed'"],
    "delete a debit": ["DELETE FROM events WHERE name = 'booked'"],
    "delete the first debit and close the gap": [
        "DELETE FROM events WHERE name = 'booked'",
        "UPDATE events SET seq = seq - 1 WHERE seq > 1",
        "UPDATE head SET seq = seq - 1",
    ],
    "delete the last event": ["DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)"],
    "delete the last event and move the head": [
        "DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)",
        "UPDATE head SET seq = seq - 1, mac = (SELECT mac FROM events ORDER BY seq DESC LIMIT 1)",
    ],
    "delete all but the genesis": [
        "DELETE FROM events WHERE seq > 0",
        "UPDATE head SET seq = 0, cost = 0, delta = 0, mac = (SELECT mac FROM events)",
    ],
    "delete everything": ["DELETE FROM events", "DELETE FROM head"],
    "delete the head": ["DELETE FROM head"],
    "swap two events": [
        "UPDATE events SET seq = 1000 WHERE seq = 1",
        "UPDATE events SET seq = 1 WHERE seq = 2",
        "UPDATE events SET seq = 2 WHERE seq = 1000",
    ],
    "insert an event": [
        "INSERT INTO events SELECT seq + 1, kind, 'another', request, cost, delta, neighbours, "
        "unit, output, note, mac FROM events WHERE seq = (SELECT max(seq) FROM events)"
    ],
    "insert a negative debit": [
        "INSERT INTO events SELECT seq + 1, 'spent', 'refund', request, -1000000000000, 0, "
        "'add-remove', 'row', '', '', mac FROM events WHERE seq = (SELECT max(seq) FROM events)",
        "UPDATE head SET seq = seq + 1, cost = cost - 1000000000000",
    ],
    "rename a debit": ["UPDATE events SET name = 'other' WHERE name = 'booked'"],
    "change the relation": ["UPDATE events SET neighbours = 'replace-one'"],
    "change the head's relation": ["UPDATE head SET neighbours = 'replace-one'"],
    "change the unit": ["UPDATE events SET unit = 'person'"],
    "change a request": ["UPDATE events SET request = output WHERE kind = 'reserved'"],
    "change a digest": ["UPDATE events SET output = request WHERE kind = 'sealed'"],
    "change sealed bytes": ["UPDATE outputs SET output = 'other'"],
    "delete sealed bytes": ["DELETE FROM outputs"],
    "swap name and note": ["UPDATE events SET note = name, name = note WHERE kind = 'spent'"],
}


def edited(folder: Path, site_of: dict[str, Site] | None = None) -> Tally:
    """Edit a ledger by hand in each way: opening it, or asking for its bytes, is refused."""
    tally = Tally(f"{len(EDITS)} edits by hand")
    for number, (name, statements) in enumerate(EDITS.items()):
        site = site_of[name] if site_of else Site(folder / str(number))
        ledger = site.create(epsilon=10, neighbours="add-remove", unit="row")
        ledger.spend("booked", epsilon=1)
        site.release(ledger, "released")
        if "outputs" in statements[0] and site.address:
            statements = [text.replace("'other'", "'other'::bytea") for text in statements]
        elif "outputs" in statements[0]:
            statements = [text.replace("'other'", "CAST('other' AS BLOB)") for text in statements]
        site.statements(statements)
        tally.count([] if _refused(site) else [f"{name}: accepted"], "refused")
    return tally


def _refused(site: Site) -> bool:
    try:
        ledger = site.open()
        site.release(ledger, "released")
        ledger.spend("further", epsilon=1)
    except HoldfastError:
        return True
    return False
