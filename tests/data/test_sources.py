"""A source is one local file or one table; nothing makes an engine open another thing."""

import os
import socket
import threading
from pathlib import Path

import pytest

from holdfast.data.counting import count, describe
from holdfast.data.declaration import Declaration
from holdfast.data.domain import read_domain
from holdfast.data.sources import (
    CsvFile,
    DuckdbFile,
    ParquetFile,
    PostgresTable,
    SparkTable,
    check_file,
    source_of,
)
from holdfast.foundation.errors import BadDeclaration
from holdfast.foundation.randomness import seeded

HERE = Path("/plans")


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("a.parquet", ParquetFile(HERE / "a.parquet")),
        ("/data/a.PARQUET", ParquetFile(Path("/data/a.PARQUET"))),
        ("../b c.csv", CsvFile(HERE / "../b c.csv")),
        ("a.duckdb", DuckdbFile(HERE / "a.duckdb", ())),
        ("a.duckdb#main.trips", DuckdbFile(HERE / "a.duckdb", ("main", "trips"))),
        ("a#b.csv", CsvFile(HERE / "a#b.csv")),
        ("postgresql://h/d#s.t", PostgresTable("postgresql://h/d", ("s", "t"))),
        ("spark:trips", SparkTable(("trips",))),
    ],
)
def test_an_address_has_one_meaning(text, source):
    assert source_of(text, HERE) == source


@pytest.mark.parametrize(
    "text",
    [
        "http://127.0.0.1/a.parquet",
        "https://x/a.csv",
        "s3://bucket/a.parquet",
        "gs://x/a.parquet",
        "hf://x/a.parquet",
        "file:///etc/passwd.csv",
        "md:a.duckdb",
        "sqlite:a.csv",
        "*.parquet",
        "a[1].csv",
        "a?.csv",
        "{a,b}.csv",
        "a.pkl",
        "a.xlsx",
        "a.csv.gz",
        "a.csv\0",
        "a\n.csv",
        "\ud800.csv",
        "",
        " ",
        "a" * 10**6,
        "spark:",
        "spark:a..b",
        "postgresql://h/d",
        "postgresql://h/d#",
        "postgresql://me:secret@h/d#t",
        "postgresql://h/d?password=secret#t",
        "postgresql://[h/d#t",
    ],
)
def test_other_addresses_are_refused(text):
    with pytest.raises(BadDeclaration) as caught:
        source_of(text, HERE)
    assert "secret" not in str(caught.value)
    assert caught.value.__context__ is None or "secret" not in str(caught.value.__context__)


def make_link(path):
    path.with_name("real.csv").write_text("a\n")
    path.symlink_to(path.with_name("real.csv"))


@pytest.mark.parametrize(
    "make",
    [Path.mkdir, os.mkfifo, make_link, lambda path: None],
    ids=["folder", "pipe", "link", "none"],
)
def test_only_regular_files_are_opened(tmp_path, make):
    """A pipe would wait for ever; a link may lead to a file that its maker may not name."""
    make(tmp_path / "a.csv")
    with pytest.raises(BadDeclaration, match="regular file"):
        check_file(tmp_path / "a.csv", "source")


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read every file")
def test_a_file_that_may_not_be_read_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("a\n")
    (tmp_path / "a.csv").chmod(0)
    with pytest.raises(BadDeclaration, match="may not be read"):
        check_file(tmp_path / "a.csv", "source")


@pytest.fixture
def canary_server():
    """Listen on the loopback and note who calls."""
    hits = []
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(0.2)
    over = threading.Event()

    def listen():
        while not over.is_set():
            try:
                hits.append(listener.accept()[1])
            except TimeoutError:
                continue

    thread = threading.Thread(target=listen)
    thread.start()
    yield listener.getsockname()[1], hits
    over.set()
    thread.join()
    listener.close()


def test_no_address_reaches_the_network(canary_server, tmp_path):
    """Else a plan could make the machine with the data call a stranger."""
    port, hits = canary_server
    (tmp_path / "d.csv").write_text("leaf\na\n")
    host = f"127.0.0.1:{port}"
    for form in (
        "http://{}/a.parquet",
        "https://{}/a.csv",
        "s3://{}/a.parquet",
        "HTTP://{}/a.csv",
        "http:/{}/a.csv",
        "//{}/a.csv",
        "\\\\{}\\a.csv",
        "gcs://{}/a.parquet",
        "azure://{}/a.parquet",
        "http://{}/a.duckdb",
    ):
        with pytest.raises(BadDeclaration):
            describe(Declaration(form.format(host), ("leaf",), "d.csv"), tmp_path)
        with pytest.raises(BadDeclaration):
            describe(Declaration("a.csv", ("leaf",), form.format(host)), tmp_path)
    assert hits == []
    socket.create_connection(("127.0.0.1", port)).close()  # the server does notice calls
    for _ in range(50):
        if hits:
            break
        threading.Event().wait(0.1)
    assert hits


def test_a_view_in_a_file_reaches_no_other_file(tmp_path):
    """A DuckDB file may hold a view of another file; the engine is shut off from it."""
    import duckdb

    (tmp_path / "d.csv").write_text("leaf\na\n")
    (tmp_path / "other.csv").write_text("leaf\na\n")
    with duckdb.connect(str(tmp_path / "x.duckdb")) as connection:
        connection.execute(f"CREATE VIEW v AS SELECT * FROM read_csv('{tmp_path}/other.csv')")
    declaration = Declaration("x.duckdb", ("leaf",), "d.csv")
    with pytest.raises(BadDeclaration):
        describe(declaration, tmp_path)
    domain = read_domain(declaration, tmp_path)
    with pytest.raises(BadDeclaration):
        count(declaration, domain, tmp_path, seeded(1))


def test_tables_of_a_file_are_named(tmp_path):
    import duckdb

    (tmp_path / "d.csv").write_text("leaf\na\nA\n")
    with duckdb.connect(str(tmp_path / "x.duckdb")) as connection:
        connection.execute("CREATE TABLE one (leaf VARCHAR COLLATE NOCASE)")
        connection.execute("INSERT INTO one VALUES ('a'), ('A'), ('A')")
        connection.execute("CREATE TABLE two (leaf VARCHAR)")
    with pytest.raises(BadDeclaration, match=r"main\.one.*main\.two"):
        describe(Declaration("x.duckdb", ("leaf",), "d.csv"), tmp_path)
    for name in ("one", "main.one"):
        declaration = Declaration(f"x.duckdb#{name}", ("leaf",), "d.csv")
        domain = read_domain(declaration, tmp_path)
        found = count(declaration, domain, tmp_path, seeded(1)).open_inside_a_mechanism()
        assert found.tolist() == [1, 2], "a collation must not merge labels"
    with pytest.raises(BadDeclaration, match="Did you mean 'one'"):
        describe(Declaration("x.duckdb#onee", ("leaf",), "d.csv"), tmp_path)
