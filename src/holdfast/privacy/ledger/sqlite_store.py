"""A ledger in one SQLite file, with a connection for each operation.

No connection outlives a call, so a fork or a thread never shares one.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from holdfast.foundation.errors import BadLedger, Fault
from holdfast.privacy.ledger import private_files
from holdfast.privacy.ledger.event import EVENT_FIELDS, HEAD_FIELDS, Head, values
from holdfast.privacy.ledger.store import (
    WHOLE,
    Decide,
    Reading,
    Writing,
    damaged,
    event_of,
    head_of,
)

OLDEST = (3, 37)
PATIENCE = 120.0  # seconds that a writer waits for the others
SIBLINGS = ("-wal", "-shm", "-journal")
PRAGMAS = (
    "trusted_schema = OFF",
    "secure_delete = ON",
    "temp_store = MEMORY",
    "synchronous = FULL",
    "fullfsync = ON",
    "checkpoint_fullfsync = ON",
    "cell_size_check = ON",
)


def _columns(names: tuple[str, ...]) -> str:
    return ", ".join(f"{name} {'INTEGER' if name in WHOLE else 'TEXT'} NOT NULL" for name in names)


def _guard(table: str, act: str) -> str:
    return (
        f"CREATE TRIGGER {table}_{act.lower()} BEFORE {act} ON {table} "
        "BEGIN SELECT RAISE(ABORT, 'a ledger is only added to'); END"
    )


SCHEMA = (
    f"CREATE TABLE events ({_columns(EVENT_FIELDS)}, mac TEXT NOT NULL, PRIMARY KEY (seq)) STRICT",
    f"CREATE TABLE head (id INTEGER PRIMARY KEY CHECK (id = 1), {_columns(HEAD_FIELDS)}) STRICT",
    "CREATE TABLE outputs (name TEXT PRIMARY KEY NOT NULL, output BLOB NOT NULL) STRICT",
    *(_guard(table, act) for table in ("events", "outputs") for act in ("UPDATE", "DELETE")),
    _guard("head", "DELETE"),
)
EVENTS = f"SELECT {', '.join(EVENT_FIELDS)}, mac FROM events WHERE seq >= ? ORDER BY seq"
HEAD = f"SELECT {', '.join(HEAD_FIELDS)} FROM head"
ADD_EVENT = f"INSERT INTO events VALUES ({', '.join('?' * (len(EVENT_FIELDS) + 1))})"
ADD_HEAD = f"INSERT INTO head VALUES (1, {', '.join('?' * len(HEAD_FIELDS))})"
SET_HEAD = f"UPDATE head SET {', '.join(f'{name} = ?' for name in HEAD_FIELDS)}"


class SqliteStore:
    """A store in the SQLite file of this path, on a disk of this machine."""

    __slots__ = ("path",)

    def __init__(self, path: Path) -> None:
        self.path = path

    def __str__(self) -> str:
        return ascii(self.path.name)

    def gone(self) -> bool:
        """Return whether no file stands at the path; a link that leads nowhere is one."""
        return not private_files.stands(self.path)

    def make(self, writing: Writing) -> None:
        """Make the file and write to it in one transaction; where that fails, remove it."""
        private_files.make(self.path)
        made = False
        try:
            with self._connection() as connection:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("BEGIN IMMEDIATE")
                for statement in SCHEMA:
                    connection.execute(statement)
                connection.execute(ADD_HEAD, values(writing.head))
                _write(connection, writing)
                connection.execute("COMMIT")
            made = True
        finally:
            for path in () if made else (self.path, *self._siblings()):
                private_files.remove(path)

    def read(self, start: int) -> Reading:
        """Return what stands in the file at one moment."""
        with self._checked() as connection:
            connection.execute("BEGIN")
            return _read(connection, start)

    def change(self, start: int, decide: Decide) -> None:
        """Decide and write under the one write lock; COMMIT returns when it is on disk."""
        with self._checked() as connection:
            connection.execute("BEGIN IMMEDIATE")
            writing = decide(_read(connection, start))
            if writing is not None:
                _write(connection, writing)
                connection.execute("COMMIT")

    def output(self, name: str) -> bytes:
        """Return the sealed bytes of a name."""
        with self._checked() as connection:
            row = connection.execute(
                "SELECT output FROM outputs WHERE name = ?", (name,)
            ).fetchone()
        if row is None or type(row[0]) is not bytes:
            raise damaged("sealed bytes that are missing")
        return row[0]

    def check(self) -> None:
        """Have SQLite look through all its pages."""
        with self._checked() as connection:
            if connection.execute("PRAGMA integrity_check").fetchall() != [(b"ok",)]:
                raise damaged("pages that SQLite finds damaged")

    def _siblings(self) -> list[Path]:
        return [self.path.with_name(self.path.name + end) for end in SIBLINGS]

    @contextmanager
    def _checked(self) -> Iterator[sqlite3.Connection]:
        """Open the file; one with other tables or triggers than ours is refused."""
        with self._connection() as connection:
            rows = connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")
            if {row[0] for row in rows} != {statement.encode() for statement in SCHEMA}:
                raise damaged("other tables or triggers than a ledger has")
            yield connection

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        _check_version()
        private_files.check_regular(self.path)
        for path in self._siblings():
            private_files.check_regular(path, may_be_missing=True)
        try:
            connection = sqlite3.connect(
                f"{self.path.as_uri()}?mode=rw", timeout=PATIENCE, isolation_level=None, uri=True
            )
            try:
                connection.text_factory = bytes  # undecodable text must not reach an error
                for pragma in PRAGMAS:
                    connection.execute(f"PRAGMA {pragma}")
                yield connection
            finally:
                connection.close()
        except (sqlite3.Error, UnicodeDecodeError, OverflowError) as error:
            raise _refused(self.path, error) from None


def _check_version() -> None:
    """Refuse an SQLite without strict tables."""
    if sqlite3.sqlite_version_info < OLDEST:
        asked, found = ".".join(map(str, OLDEST)), sqlite3.sqlite_version
        remedy = "Use a Python with a newer SQLite."
        raise BadLedger(Fault("SQLite", f"{asked} or newer", found, remedy))


def _refused(path: Path, error: Exception) -> BadLedger:
    """Return our error for one of SQLite's: its name, and nothing that it quotes."""
    name = getattr(error, "sqlite_errorname", type(error).__name__)
    return BadLedger(
        Fault(
            f"ledger {path.name!r}",
            "a SQLite file of a ledger, on a disk with room",
            f"{name}; nothing was done that is not recorded",
            "Look at the disk and the file; where the file is damaged, restore a backup.",
        )
    )


def _read(connection: sqlite3.Connection, start: int) -> Reading:
    heads: list[Head] = [head_of(row) for row in connection.execute(HEAD)]
    if len(heads) != 1:
        raise damaged("other than one head")
    events = tuple(event_of(row) for row in connection.execute(EVENTS, (start,)))
    (count,) = connection.execute("SELECT count(*) FROM events").fetchone()
    return Reading(heads[0], events, count)


def _write(connection: sqlite3.Connection, writing: Writing) -> None:
    for link in writing.events:
        connection.execute(ADD_EVENT, (*values(link.event), link.mac))
    for row in writing.outputs:
        connection.execute("INSERT INTO outputs VALUES (?, ?)", row)
    connection.execute(SET_HEAD, values(writing.head))
