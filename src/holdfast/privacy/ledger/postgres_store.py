"""A ledger in one schema of a PostgreSQL database, with a connection for each operation.

`postgresql://user@host/database?ledger=name` keeps it in the schema `name` ("holdfast" where
left out); the other words of the address are psycopg's.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import psycopg
from psycopg.errors import DeadlockDetected, SerializationFailure
from psycopg.sql import SQL, Composed, Identifier

from holdfast.foundation.errors import BadLedger, BadParameter, Fault
from holdfast.privacy.ledger.event import EVENT_FIELDS, HEAD_FIELDS, values
from holdfast.privacy.ledger.store import (
    WHOLE,
    Decide,
    Reading,
    Writing,
    damaged,
    event_of,
    head_of,
)

SCHEMA_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")
ATTEMPTS = 50
Connection = psycopg.Connection[tuple[Any, ...]]


def _columns(names: tuple[str, ...]) -> str:
    return ", ".join(f"{name} {'BIGINT' if name in WHOLE else 'TEXT'} NOT NULL" for name in names)


SCHEMA = (
    "CREATE SCHEMA {0}",
    f"CREATE TABLE {{0}}.events ({_columns(EVENT_FIELDS)}, mac TEXT NOT NULL, PRIMARY KEY (seq))",
    f"CREATE TABLE {{0}}.head (id INTEGER PRIMARY KEY CHECK (id = 1), {_columns(HEAD_FIELDS)})",
    "CREATE TABLE {0}.outputs (name TEXT PRIMARY KEY, output BYTEA NOT NULL)",
    "CREATE FUNCTION {0}.refuse() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION 'a ledger is only added to'; END $$",
    *(
        f"CREATE TRIGGER only_added BEFORE {acts} ON {{0}}.{table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION {0}.refuse()"
        for table, acts in (
            ("events", "UPDATE OR DELETE OR TRUNCATE"),
            ("outputs", "UPDATE OR DELETE OR TRUNCATE"),
            ("head", "DELETE OR TRUNCATE"),
        )
    ),
)
EVENTS = f"SELECT {', '.join(EVENT_FIELDS)}, mac FROM {{0}}.events WHERE seq >= %s ORDER BY seq"
HEAD = f"SELECT {', '.join(HEAD_FIELDS)} FROM {{0}}.head"
ADD_EVENT = f"INSERT INTO {{0}}.events VALUES ({', '.join(['%s'] * (len(EVENT_FIELDS) + 1))})"
ADD_HEAD = f"INSERT INTO {{0}}.head VALUES (1, {', '.join(['%s'] * len(HEAD_FIELDS))})"
SET_HEAD = f"UPDATE {{0}}.head SET {', '.join(f'{name} = %s' for name in HEAD_FIELDS)}"


class PostgresStore:
    """A store in one schema of a database."""

    __slots__ = ("_address", "_shown", "schema")

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        words = parse_qsl(parts.query, keep_blank_values=True)
        self.schema = dict(words).get("ledger", "holdfast")
        if not SCHEMA_NAME.fullmatch(self.schema):
            asked = "a small letter, then small letters, digits and underscores"
            remedy = "Write for example ?ledger=trips at the end of the address."
            raise BadParameter(Fault("ledger= of the address", asked, "another name", remedy))
        query = urlencode([word for word in words if word[0] != "ledger"])
        self._address = urlunsplit(parts._replace(query=query))
        self._shown = f"{self.schema!r} in PostgreSQL database {parts.path.strip('/')!a}"

    def __str__(self) -> str:
        return self._shown

    def gone(self) -> bool:
        """Return whether the schema has no head table."""
        with self._connection() as connection:
            row = connection.execute("SELECT to_regclass(%s)", (f"{self.schema}.head",)).fetchone()
        return row is None or row[0] is None

    def make(self, writing: Writing) -> None:
        """Make the schema and write to it in one transaction."""
        with self._connection() as connection:
            connection.execute("BEGIN")
            for statement in SCHEMA:
                connection.execute(self._sql(statement))
            connection.execute(self._sql(ADD_HEAD), values(writing.head))
            self._write(connection, writing)
            connection.execute("COMMIT")

    def read(self, start: int) -> Reading:
        """Return what stands in the schema at one moment."""
        with self._connection() as connection:
            connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            return self._read(connection, start, HEAD)

    def change(self, start: int, decide: Decide) -> None:
        """Decide and write while holding the head row; COMMIT returns when it is on disk.

        A transaction that the server gave up, and so undid, is begun again.
        """
        for attempt in range(ATTEMPTS):
            with self._connection() as connection:
                try:
                    self._change(connection, start, decide)
                    return
                except (SerializationFailure, DeadlockDetected):
                    if attempt == ATTEMPTS - 1:
                        raise

    def output(self, name: str) -> bytes:
        """Return the sealed bytes of a name."""
        with self._connection() as connection:
            row = connection.execute(
                self._sql("SELECT output FROM {0}.outputs WHERE name = %s"), (name,)
            ).fetchone()
        if row is None or type(row[0]) is not bytes:
            raise damaged("sealed bytes that are missing")
        return row[0]

    def check(self) -> None:
        """Do nothing: PostgreSQL looks for damage by checksums, where its cluster has them."""

    def _change(self, connection: Connection, start: int, decide: Decide) -> None:
        connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
        writing = decide(self._read(connection, start, HEAD + " FOR UPDATE"))
        if writing is not None:
            self._write(connection, writing)
            connection.execute("COMMIT")

    def _read(self, connection: Connection, start: int, heads: str) -> Reading:
        rows = connection.execute(self._sql(heads)).fetchall()
        if len(rows) != 1:
            raise damaged("other than one head")
        events = connection.execute(self._sql(EVENTS), (start,)).fetchall()
        counts = connection.execute(self._sql("SELECT count(*) FROM {0}.events")).fetchall()
        return Reading(head_of(rows[0]), tuple(map(event_of, events)), counts[0][0])

    def _write(self, connection: Connection, writing: Writing) -> None:
        for link in writing.events:
            connection.execute(self._sql(ADD_EVENT), (*values(link.event), link.mac))
        for row in writing.outputs:
            connection.execute(self._sql("INSERT INTO {0}.outputs VALUES (%s, %s)"), row)
        connection.execute(self._sql(SET_HEAD), values(writing.head))

    def _sql(self, statement: str) -> Composed:
        return SQL(statement).format(Identifier(self.schema))

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        """Connect; a transaction that does not reach its COMMIT is undone by the close."""
        try:
            connection = psycopg.connect(self._address, autocommit=True)
            try:
                _check_durable(connection)
                yield connection
            finally:
                connection.close()
        except psycopg.Error as error:
            name = error.sqlstate or type(error).__name__
            raise BadLedger(
                Fault(
                    f"ledger {self}",
                    "a PostgreSQL server that answers",
                    f"{name}; nothing was done that is not recorded",
                    "Look at the address, the server and its log.",
                )
            ) from None


def _check_durable(connection: Connection) -> None:
    """Have each commit wait for the disk; refuse a server that does not force its files to it."""
    connection.execute("SET synchronous_commit = on")
    row = connection.execute("SHOW fsync").fetchone()
    if row != ("on",):
        raise BadLedger(
            Fault("server", "fsync on", "fsync off", "Turn fsync on in postgresql.conf.")
        )
