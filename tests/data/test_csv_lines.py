"""A CSV file is read line by line: changing one line changes at most one row."""

import random
from contextlib import suppress

import pytest

from holdfast.data import csv_lines
from holdfast.data.counting import count, describe
from holdfast.data.csv_lines import cells_of, header_of
from holdfast.data.declaration import Declaration
from holdfast.data.domain import read_domain
from holdfast.foundation.errors import BadDeclaration, NotCounted
from holdfast.foundation.randomness import seeded

LEAVES = ("a", "b", "c,d", 'e"f')
DOMAIN = 'leaf\na\nb\n"c,d"\n"e""f"\n'


@pytest.fixture
def counted(tmp_path):
    (tmp_path / "d.csv").write_text(DOMAIN)

    def made(content, **others):
        (tmp_path / "rows.csv").write_bytes(content)
        declaration = Declaration("rows.csv", ("leaf",), "d.csv", **others)
        describe(declaration, tmp_path)
        domain = read_domain(declaration, tmp_path)
        return count(declaration, domain, tmp_path, seeded(1)).open_inside_a_mechanism().tolist()

    return made


STRANGE = [
    b'"a',
    b'a"',
    b'"a,1,x',
    b'"a""',
    b"a,1",
    b"a,1,x,y",
    b"",
    b"a\x00,1,x",
    b"\xff\xfe,1,x",
    b"\xc3,1,x",
    b'"a"x,1,x',
    b'a,"1,x',
    b"a\x01,1,x",
    b"\\a,1,x",
    b"#a,1,x",
    b"NULL,1,x",
    b"a,1," + b"x" * 3_000_000,
    b'a,1,"' + b"x" * 200_000,
    b'"""a"",1,x',
    b" a,1,x",
    b"A,1,x",
    b"\xef\xbb\xbfa,1,x",
    b"=a,1,x",
]
HEAD = b"leaf,n,other\n"
KNOWN = [b"a,1,x", b'"b",1,"x,""y"', b'"c,d",1,', b'"e""f",1,x', b'a,1,"\xc3\xa4"']


@pytest.mark.parametrize("line", STRANGE, ids=range(len(STRANGE)))
@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["lf", "crlf"])
def test_a_strange_line_changes_no_other(counted, line, end):
    """Else one person who writes a quote decides how all the rows after theirs are read."""
    plain = counted(HEAD + end.join(KNOWN * 3))
    assert plain == [6, 3, 3, 3]
    for place in (0, 7, 15):
        lines = KNOWN * 3
        lines.insert(place, line)
        assert counted(HEAD + end.join(lines)) == plain


def test_the_usual_reader_is_caught(counted, monkeypatch):
    """The saboteur: cells that go on over the end of a line swallow other rows."""

    def usual(file, header, names):
        columns = ", ".join(f"'{name}': 'VARCHAR'" for name in header)
        return (
            f"SELECT * FROM read_csv({file}, auto_detect=false, columns={{{columns}}}, skip=1, "
            "delim=',', quote='\"', escape='\"', ignore_errors=true, strict_mode=false, "
            "null_padding=true)"
        )

    monkeypatch.setattr(csv_lines, "rows", usual)
    assert counted(HEAD + b"\n".join(KNOWN * 3)) == [6, 3, 3, 3]
    with suppress(NotCounted):  # one release of the engine loses rows, another gives up
        assert counted(HEAD + b"\n".join([b'"a', *KNOWN * 3])) != [6, 3, 3, 3]


def test_lines_are_read_as_the_twin_reads_them(counted):
    """Random lines of awkward characters, against the same grammar in Python."""
    draw = random.Random(5)
    lines = ["".join(draw.choices('ab,"x', k=draw.randrange(9))) + ",1,x" for _ in range(4000)]
    cells = [cells_of(line) for line in lines]
    leaves = [row[0] for row in cells if row is not None and len(row) == 3]
    wanted = [leaves.count(leaf) for leaf in LEAVES]
    assert min(wanted[:2]) > 0
    assert counted(HEAD + "\n".join(lines).encode()) == wanted


def test_mixed_ends_of_lines_and_a_bom(counted):
    assert counted(b"\xef\xbb\xbfleaf\r\na\nb\r\na\n\n\r\nb") == [2, 2, 0, 0]
    assert counted(b"leaf\na\r\nb\r\n") == [1, 1, 0, 0]


def test_malformed_and_blank_lines_are_dropped_whatever_the_rule_outside(counted):
    content = b'leaf\na\n\n"x\nelse\n'
    assert counted(content, outside="b") == [1, 1, 0, 0]
    assert counted(content) == [1, 0, 0, 0]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"\xef\xbb\xbf",
        b"leaf,leaf\na,b\n",
        b"leaf,\na,b\n",
        "leaf\na\n".encode("utf-16"),
        b'"leaf\na\n',
        b"le\x00af\na\n",
        b"leaf\ra\rb\r",
        b"x" * (1 << 21),
        b"\x80\x04\x95\x0b\x00\x00\x00.",
        b"PK\x03\x04\xff\xfe",
        ",".join(f"c{i}" for i in range(10**5)).encode() + b"\n",
        b"leef\na\n",
    ],
    ids=range(14),
)
def test_a_first_line_that_is_no_header_is_refused(counted, content):
    with pytest.raises(BadDeclaration):
        counted(content)


def test_a_header_alone_counts_nothing(counted):
    assert counted(b"leaf") == [0, 0, 0, 0]
    assert counted(b"leaf\n") == [0, 0, 0, 0]


def test_many_columns_are_read(counted):
    width = 1500
    names = [f"c{i}" for i in range(width - 1)] + ["leaf"]
    rows = [["x"] * (width - 1) + ["a"], ['"x,y"'] * (width - 1) + ['"b"'], ["x"] * width + ["a"]]
    lines = [",".join(row) for row in [names, *rows]]
    assert counted("\n".join(lines).encode()) == [1, 1, 0, 0]


def test_header_names_are_unquoted(tmp_path):
    (tmp_path / "x.csv").write_bytes(b'\xef\xbb\xbf"a ""b""",c\r\n')
    assert header_of(tmp_path / "x.csv") == ['a "b"', "c"]


@pytest.mark.parametrize(
    ("line", "cells"),
    [("", [""]), (",", ["", ""]), ('"a,b",c', ["a,b", "c"]), ('"a', None), ('a"b', None)]
    + [('"a""b"', ['a"b']), ('"",x', ["", "x"]), ('"a"b', None)],
)
def test_cells_of_a_line(line, cells):
    assert cells_of(line) == cells
