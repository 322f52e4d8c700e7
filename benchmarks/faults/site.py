"""A place for ledgers, in SQLite or PostgreSQL, and what a user does there."""

import os
import sqlite3
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from holdfast.foundation.errors import Burnt, HoldfastError
from holdfast.noise.sensitivity import Neighbours
from holdfast.privacy.ledger.ledger import Ledger


@dataclass(frozen=True)
class Paper:
    """A certificate."""

    epsilon: Fraction | None = Fraction(1)
    delta: Fraction = Fraction(0)
    rho: Fraction | None = None
    neighbours: Neighbours = Neighbours.ADD_REMOVE
    unit: str = "row"


@dataclass(frozen=True)
class Site:
    """A folder for one ledger's key, witness and outputs; the ledger itself, or its address."""

    folder: Path
    address: str = ""

    @property
    def place(self) -> str | Path:
        return self.address or self.folder / "budget.sqlite"

    @property
    def key(self) -> Path:
        return self.folder / "budget.sqlite.key"

    @property
    def witness(self) -> Path:
        return self.folder / "budget.sqlite.witness"

    @property
    def published(self) -> Path:
        return self.folder / "published"

    @property
    def drawn(self) -> Path:
        return self.folder / "drawn"

    def another(self, number: int) -> "Site":
        """Return a site for a ledger of its own, below this one."""
        return Site(self.folder / f"site{number}", self.address and f"{self.address}_{number}")

    def create(self, **budget: Any) -> Ledger:
        self.published.mkdir(parents=True, exist_ok=True)
        self.drawn.mkdir(exist_ok=True)
        return Ledger.create(self.place, key=self.key, witness=self.witness, **budget)

    def open(self) -> Ledger:
        return Ledger(self.place, self.key, self.witness)

    def faults(self, spent: int) -> list[str]:
        """Return what a full check finds wrong, where so much should be spent."""
        try:
            ledger = self.open()
            ledger.verify()
            found = ledger.spent.epsilon
        except HoldfastError as error:
            return [f"refused in the end: {error}"]
        return [] if found == spent else [f"{found} spent in the end"]

    def draws(self, name: str) -> list[str]:
        """Return every output that was ever drawn under a name."""
        path = self.drawn / name
        return path.read_text().split() if path.exists() else []

    def release(self, ledger: Ledger, name: str, size: int = 64) -> bytes:
        """Release fresh random bytes: a second draw would not go unseen."""

        def draw() -> bytes:
            output = os.urandom(size)
            with (self.drawn / name).open("a") as log:
                log.write(output.hex() + "\n")
            return output

        def publish(output: bytes) -> None:
            unfinished = self.published / f"{name}.{os.getpid()}"
            unfinished.write_bytes(output)
            unfinished.replace(self.published / name)

        return ledger.release(name, b"the plan", Paper(), draw, publish)

    def answer(self, ledger: Ledger, name: str) -> bytes | None:
        """Return what a call gives: the bytes, or None where the name is burnt."""
        try:
            return self.release(ledger, name)
        except Burnt:
            return None

    def statements(self, statements: Iterable[str]) -> None:
        """Run statements as one who can write to the store, past all its triggers."""
        if self.address:
            import psycopg

            address, _, schema = self.address.partition("&ledger=")
            with psycopg.connect(address, autocommit=True) as server:
                server.execute("SET session_replication_role = replica")  # no trigger fires
                server.execute(f"SET search_path = {schema}".encode())
                for statement in statements:
                    server.execute(statement.encode())
            return
        file = sqlite3.connect(self.place, isolation_level=None)
        named = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
        triggers = file.execute(named).fetchall()
        for name, _ in triggers:
            file.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            file.execute(statement)
        for _, text in triggers:
            file.execute(text)
        file.close()


def forked(work: Callable[[], object]) -> int:
    """Start work in a process of its own and return its number; it ends with 0 where it is done."""
    number = os.fork()
    if number:
        return number
    code = 1
    try:
        work()
        code = 0
    finally:
        if code:
            traceback.print_exc()
        os._exit(code)


def ended(number: int) -> int:
    """Wait for a process and return its exit code; minus the signal where one ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
