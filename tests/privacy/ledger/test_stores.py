"""What is particular to each engine."""

import sqlite3
import subprocess
import sys
import threading
import time

import pytest
from benchmarks.faults.site import Site

from holdfast.foundation.errors import BadLedger, BadParameter
from holdfast.privacy.ledger.ledger import Ledger
from holdfast.privacy.ledger.sqlite_store import SqliteStore


def test_the_file_waits_for_the_disk_and_wipes_what_is_deleted(tmp_path):
    site = Site(tmp_path)
    site.create(epsilon=1)
    with SqliteStore(tmp_path / "budget.sqlite")._connection() as connection:
        names = ("journal_mode", "synchronous", "secure_delete", "temp_store", "trusted_schema")
        found = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names]
    assert found == [b"wal", 2, 1, 2, 0]


def test_a_writer_waits_for_another(tmp_path):
    """A lock that is held for a moment must not be an error."""
    site = Site(tmp_path)
    ledger = site.create(epsilon=1)
    file = sqlite3.connect(site.place, isolation_level=None, check_same_thread=False)
    file.execute("BEGIN IMMEDIATE")
    timer = threading.Timer(0.2, lambda: file.execute("ROLLBACK"))
    timer.start()
    ledger.spend("first", epsilon=1)
    timer.join()
    file.close()


def test_a_file_alone_needs_no_driver_of_a_server(tmp_path):
    script = (
        "import sys; from holdfast.privacy.ledger.ledger import Ledger; "
        f"Ledger.create({str(tmp_path / 'b')!r}, epsilon=1); "
        "sys.exit('psycopg' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_an_old_sqlite_is_refused_by_its_number(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 36, 0))
    with pytest.raises(BadLedger, match=r"3\.37 or newer"):
        Ledger.create(tmp_path / "budget.sqlite", epsilon=1)
    assert list(tmp_path.iterdir()) == []


def test_without_psycopg_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.delitem(sys.modules, "holdfast.privacy.ledger.postgres_store", raising=False)
    with pytest.raises(BadLedger, match="pip install"):
        Ledger("postgresql://host/db", tmp_path / "k", tmp_path / "w")


@pytest.mark.parametrize("name", ["a?mode=memory", "a#b", "a%20b", "a b", "é", "-a", ":memory:"])
def test_a_path_is_a_path_whatever_it_spells(tmp_path, name, monkeypatch):
    """SQLite reads words after a question mark, and takes some names for no file at all."""
    monkeypatch.chdir(tmp_path)
    Ledger.create(name, epsilon=1).spend("a", epsilon=1)
    assert Ledger(tmp_path / name).left.epsilon == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [name, f"{name}.key", f"{name}.witness"]
    )


@pytest.mark.parametrize("name", ["", "Big", "a-b", "a;drop", "1a", "a" * 64])
def test_a_bad_name_of_a_schema_is_refused(tmp_path, name):
    with pytest.raises(BadParameter, match="ledger="):
        Ledger(f"postgresql://host/db?ledger={name}", tmp_path / "k", tmp_path / "w")


def test_a_server_that_does_not_answer_is_refused_without_its_password(tmp_path):
    address = "postgresql://user:hunter2@127.0.0.1:1/db?connect_timeout=2"
    with pytest.raises(BadLedger) as caught:
        Ledger(address, tmp_path / "k", tmp_path / "w")
    assert "hunter2" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_two_ledgers_stand_in_one_database(site_on, tmp_path):
    one, two = site_on(tmp_path / "one"), site_on(tmp_path / "two")
    one.create(epsilon=1).spend("a", epsilon=1)
    two.create(epsilon=2)
    assert two.open().spent.epsilon == 0
    assert one.open().left.epsilon == 0


def test_the_server_refuses_edits_by_itself(site_on, tmp_path):
    import psycopg

    site = site_on(tmp_path)
    site.create(epsilon=1)
    address, _, schema = site.address.partition("&ledger=")
    for statement in ("DELETE FROM {}.events", "TRUNCATE {}.outputs", "DELETE FROM {}.head"):
        with psycopg.connect(address) as server, pytest.raises(psycopg.Error, match="only added"):
            server.execute(statement.format(schema).encode())


def test_a_transaction_that_the_server_gave_up_is_begun_again(site_on, tmp_path, monkeypatch):
    from psycopg.errors import SerializationFailure

    from holdfast.privacy.ledger.postgres_store import PostgresStore

    ledger, kept, failures = site_on(tmp_path).create(epsilon=10), PostgresStore._write, [1, 2, 3]

    def failing(store, connection, writing):
        kept(store, connection, writing)
        if failures:
            failures.pop()
            raise SerializationFailure

    monkeypatch.setattr(PostgresStore, "_write", failing)
    ledger.spend("first", epsilon=1)
    assert (ledger.spent.epsilon, failures) == (1, [])
    ledger.verify()


def test_a_server_that_does_not_wait_for_its_disk_is_refused(site_on, postgres, tmp_path):
    import psycopg

    site = site_on(tmp_path)
    ledger = site.create(epsilon=1)

    def turn(word):
        with psycopg.connect(postgres, autocommit=True) as server:
            server.execute(f"ALTER SYSTEM SET fsync = {word}".encode())
            server.execute("SELECT pg_reload_conf()")
        for _ in range(100):  # the server reads its file in its own time
            with psycopg.connect(postgres) as server:
                if server.execute("SHOW fsync").fetchone() == (word,):
                    return
            time.sleep(0.05)

    turn("off")
    try:
        with pytest.raises(BadLedger, match="fsync"):
            ledger.spend("first", epsilon=1)
    finally:
        turn("on")
    assert ledger.spent.epsilon == 0


def test_verify_has_sqlite_look_through_its_pages(tmp_path):
    """Here a row of the index of names was taken away, which no event shows."""
    site = Site(tmp_path)
    ledger = site.create(epsilon=1)
    site.release(ledger, "table")
    ledger.verify()
    file = sqlite3.connect(site.place, isolation_level=None)
    (page,) = file.execute(
        "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_outputs_1'"
    ).fetchone()
    (size,) = file.execute("PRAGMA page_size").fetchone()
    file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    file.close()
    content = bytearray((tmp_path / "budget.sqlite").read_bytes())
    content[(page - 1) * size + 3 : (page - 1) * size + 5] = b"\0\0"  # its number of cells
    (tmp_path / "budget.sqlite").write_bytes(content)
    with pytest.raises(BadLedger):
        site.open().verify()
