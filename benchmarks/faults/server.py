"""A PostgreSQL server of its own, in a temporary folder, reached by a socket there."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HOUSES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))


def _tool(name: str) -> str:
    """Return the path of one of PostgreSQL's own programs."""
    found = str(HOUSES[-1] / name) if HOUSES else shutil.which(name)
    if not found:
        raise LookupError(f"no {name}: run apt-get install postgresql; these tests need it")
    return found


@contextmanager
def server() -> Iterator[str]:
    """Yield the address of a new server's database; PostgreSQL refuses to run as root."""
    with tempfile.TemporaryDirectory(prefix="holdfast-postgres-") as name:
        folder = Path(name)
        root = os.geteuid() == 0
        switch = ["runuser", "-u", "postgres", "--"] if root else []
        if root:
            shutil.chown(folder, "postgres", "postgres")

        def run(*words: str) -> None:
            done = subprocess.run(
                [*switch, *words], cwd=folder, capture_output=True, text=True, check=False
            )
            if done.returncode:
                raise LookupError(f"{words[0]} failed: {done.stderr or done.stdout}")

        data = str(folder / "data")
        run(_tool("initdb"), "-D", data, "-U", "postgres", "-A", "trust", "--no-sync")
        control, options = (
            _tool("pg_ctl"),
            f"-c listen_addresses= -k {folder} -c max_connections=80",
        )
        run(control, "start", "-w", "-D", data, "-o", options, "-l", str(folder / "log"))
        try:
            yield f"postgresql://postgres@/postgres?host={folder}"
        finally:
            run(control, "stop", "-w", "-m", "immediate", "-D", data)


def place_in(address: str, name: str) -> str:
    """Return the address of the ledger of this name on a server."""
    return f"{address}&ledger={name}"
