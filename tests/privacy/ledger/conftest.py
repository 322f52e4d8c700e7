"""Places for ledgers: a file, and a PostgreSQL server that the tests start themselves."""

import tempfile
from itertools import count
from pathlib import Path

import pytest
from benchmarks.faults.server import place_in, server
from benchmarks.faults.site import Site

NUMBERS = count()


@pytest.fixture(scope="session")
def postgres():
    """Start a server; where there is no PostgreSQL, every test that needs one fails."""
    with server() as address:
        yield address


@pytest.fixture
def site_on(postgres):
    """Return a function that makes a site with a ledger name of its own on the server."""

    def site(folder):
        return Site(folder, place_in(postgres, f"test{next(NUMBERS)}"))

    return site


@pytest.fixture
def in_memory():
    """Return a folder whose disk is memory, where there is one: forcing to it takes no time."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        yield Path(name)


@pytest.fixture(params=["sqlite", "postgres"])
def site(request, tmp_path):
    """Return a site of each kind of store."""
    if request.param == "sqlite":
        return Site(tmp_path)
    return request.getfixturevalue("site_on")(tmp_path)
