"""Edits by hand without the key are refused, also where the triggers are taken away first."""

import sqlite3

import pytest
from benchmarks.faults import edits
from benchmarks.faults.site import Site

from holdfast.foundation.errors import BadLedger


def test_edits_by_hand_are_refused(in_memory):
    assert edits.edited(in_memory).failures == []


def test_edits_by_hand_are_refused_on_a_server(tmp_path, site_on):
    sites = {name: site_on(tmp_path / str(number)) for number, name in enumerate(edits.EDITS)}
    assert edits.edited(tmp_path, sites).failures == []


@pytest.mark.parametrize("act", ["DELETE FROM", "UPDATE"])
@pytest.mark.parametrize("table", ["events", "outputs", "head"])
def test_the_engine_refuses_edits_by_itself(tmp_path, act, table):
    """A slip of the hand in a database tool changes nothing."""
    site = Site(tmp_path)
    site.release(site.create(epsilon=1), "table")
    column = "output" if table == "outputs" else "mac"
    statement = f"{act} {table}" + (f" SET {column} = {column}" if act == "UPDATE" else "")
    file = sqlite3.connect(site.place)
    if (act, table) == ("UPDATE", "head"):
        file.execute(statement)
    else:
        with pytest.raises(sqlite3.IntegrityError, match="only added to"):
            file.execute(statement)
    file.close()


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TRIGGER events_update",
        "CREATE TRIGGER more AFTER INSERT ON events BEGIN DELETE FROM outputs; END",
        "CREATE VIEW events_ AS SELECT * FROM events",
        "CREATE INDEX i ON events (name)",
    ],
)
def test_other_tables_or_triggers_are_refused(tmp_path, statement):
    site = Site(tmp_path)
    site.create(epsilon=1)
    file = sqlite3.connect(site.place)
    file.execute(statement)
    file.close()
    with pytest.raises(BadLedger, match="other tables or triggers"):
        site.open()


def test_an_opened_ledger_sees_an_edit_of_what_it_has_read(tmp_path):
    """It verifies what is new; of the rest, the last code and the number must stand."""
    site = Site(tmp_path)
    ledger = site.create(epsilon=10)
    for number in range(3):
        ledger.spend(f"n{number}", epsilon=1)
    site.statements(["DELETE FROM events WHERE seq = 2"])
    with pytest.raises(BadLedger, match="number of events"):
        ledger.spend("further", epsilon=1)
