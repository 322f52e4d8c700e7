"""A PostgreSQL server and a Spark session, started once; what is missing fails by name."""

import os
import shutil
import tempfile
from contextlib import contextmanager

import pytest
from benchmarks.faults.server import server

from tests.data.places import Places


@contextmanager
def usual_temporary_folder():
    """Start what outlives a test outside the folder that the test may have moved to."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", None)
        yield


@pytest.fixture(scope="session")
def postgres():
    """Start a server; where there is no PostgreSQL, every test that needs one fails."""
    with usual_temporary_folder():
        running = server()
        address = running.__enter__()
    yield address
    running.__exit__(None, None, None)


@pytest.fixture(scope="session")
def spark():
    """Start a local session; where there is no Java, every test that needs one fails."""
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.fail("no java: run apt-get install openjdk-17-jre-headless; these tests need it")
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    for name, value in {
        "spark.sql.shuffle.partitions": "1",
        "spark.default.parallelism": "1",
        "spark.sql.adaptive.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.sql.session.timeZone": "UTC",
    }.items():
        builder = builder.config(name, value)
    with usual_temporary_folder():
        session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture
def places(tmp_path, request):
    """Return a function that makes places for an engine, starting only that engine."""

    def made(engine):
        address = request.getfixturevalue("postgres") if engine == "postgres" else ""
        session = request.getfixturevalue("spark") if engine == "spark" else None
        return Places(tmp_path, address, session)

    return made
