"""The public list: a tree, labels beside its leaves, a digest, and advice where it is wrong."""

import hashlib
import itertools

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from holdfast.data import domain as domains
from holdfast.data.declaration import Declaration
from holdfast.data.domain import digest_of, read_domain, texts_of
from holdfast.data.spreadsheet import is_formula
from holdfast.foundation.errors import BadDeclaration, BadTree
from holdfast.worlds.hierarchy import Hierarchy


def read(folder, text, levels=("side", "zone"), file="d.csv", **others):
    if isinstance(text, bytes):
        (folder / file).write_bytes(text)
    else:
        (folder / file).write_text(text, encoding="utf-8")
    return read_domain(Declaration("rows.csv", levels, file, **others), folder)


LIST = "side,zone,name\nnorth,1,Oslo\nsouth,2,Rome\nnorth,3,Bergen\n"


def test_labels_and_keys_stand_in_the_order_of_leaves(tmp_path):
    found = read(tmp_path, LIST, label="name", key=(("code", "zone"),))
    assert list(found.tree.leaves) == [("north", 1), ("north", 3), ("south", 2)]
    assert found.labels == ("Oslo", "Bergen", "Rome")
    assert found.keys == ((1, 3, 2),)


def test_a_list_in_parquet_is_the_same_domain(tmp_path):
    columns = {"side": ["north", "south", "north"], "zone": [1, 2, 3], "name": ["a", "b", "c"]}
    pq.write_table(pa.table(columns), tmp_path / "d.parquet")
    declaration = Declaration("rows.csv", ("side", "zone"), "d.parquet", label="name")
    found = read_domain(declaration, tmp_path)
    assert found.tree == read(tmp_path, LIST).tree
    assert found.digest == read(tmp_path, LIST).digest
    assert found.labels == ("a", "c", "b")


def test_the_digest_is_what_a_stranger_can_compute(tmp_path):
    found = read(tmp_path, "side,zone\nnörth,1\nsouth,\n")
    lines = ['["south"]\n', '["nörth","1"]\n']  # as the tree numbers leaves: short ones first
    assert found.digest == hashlib.sha256("".join(lines).encode()).hexdigest()
    assert found.digest == digest_of(found.tree)


def test_different_domains_have_different_digests():
    """Labels with commas, quotes or brackets cannot imitate another list."""
    labels = ["a", "b", 'a","b', "a,b", "[", "1", "a\\"]
    trees = [Hierarchy.from_paths([path]) for path in itertools.product(labels, repeat=2)]
    trees += [Hierarchy.from_paths([(label,)]) for label in labels]
    trees += [Hierarchy.from_paths([("a",), ("b",)]), Hierarchy.from_paths([("b",), ("a",)])]
    assert len({digest_of(tree) for tree in trees}) == len(trees)
    assert digest_of(Hierarchy.from_paths([(1,)])) == digest_of(Hierarchy.from_paths([("1",)]))
    naive = [",".join(map(str, tree.leaves[0])) for tree in trees]
    assert len(set(naive)) < len(trees)  # the saboteur: joined without care, some are the same


def test_ragged_lists_keep_their_short_leaves(tmp_path):
    found = read(tmp_path, "side,zone\nnorth,1\nsea,\nsouth,2\n")
    assert texts_of(found.tree) == [["sea", "north", "south"], ["", "1", "2"]]
    assert list(found.tree.leaves) == [("sea",), ("north", 1), ("south", 2)]


def test_texts_are_the_paths_of_the_leaves(tmp_path):
    tree = Hierarchy.from_paths([("a", 5, "x"), ("b", 7), ("a", 5, "y"), ("c",)])
    paths = [tuple(filter(None, path)) for path in zip(*texts_of(tree), strict=True)]
    assert paths == [tuple(map(str, path)) for path in tree.leaves]


@pytest.mark.parametrize(
    ("cells", "labels"),
    [(["1", "20"], [1, 20]), (["01", "2"], ["01", "2"]), (["-3", "0"], [-3, 0])]
    + [(["1", "2a"], ["1", "2a"]), (["-0", "1"], None), (["1.0", "2"], ["1.0", "2"])]
    + [(["9" * 19, "1"], ["9" * 19, "1"]), (["１", "2"], ["１", "2"])],
)
def test_whole_numbers_are_those_written_as_people_write_them(tmp_path, cells, labels):
    """A code with a leading zero stays text; else 01 and 1 would be one county."""
    text = "zone\n" + "\n".join(cells)
    if labels is None:
        with pytest.raises(BadDeclaration, match="formula"):
            read(tmp_path, text, ("zone",))
    else:
        assert [label for (label,) in read(tmp_path, text, ("zone",)).tree.leaves] == labels


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "column that is there"),
        ("side,zone\n", "at least one leaf"),
        ("side,zone,side\na,1,b\n", "each column once"),
        ("side,zone\na,1\nb\n", "row 3"),
        ("side,zone\na,1\na,1\n", "each leaf once"),
        ("Side,zone\na,1\n", "Did you mean 'Side'"),
        ("side,zone\na,1\n,2\n", "label"),
        ('side,zone\n"a,1\n', "UTF-8"),
        (b"side,zone\n\xff,1\n", "UTF-8"),
        ("side,zone\na,1\n".encode("utf-16"), "UTF-8"),
        (b"side,zone\na\x00b,1\n", "printable|UTF-8"),
        ("side,zone\n=cmd|'/c calc'!A1,1\n", "formula"),
        ("side,zone\n a,1\n@SUM(A1),2\n", "formula"),
        ("side,zone\n\uff1d1,1\n", "formula"),
        ("side,zone\n-a,1\n", "formula"),
        ("side,zone\n+1 x,1\n", "formula"),
        ("side,zone\n\ta,1\n", "printable"),
        ("side,zone\n" + "a" * 1001 + ",1\n", "1000 characters"),
        ("side,zone\na\u202eb,1\n", "printable"),
        (b"\x80\x04\x95\x0b\x00\x00\x00.", "UTF-8"),
    ],
)
def test_a_list_that_is_wrong_is_refused_with_advice(tmp_path, text, says):
    with pytest.raises((BadDeclaration, BadTree), match=says):
        read(tmp_path, text)


@pytest.mark.parametrize("label", ["=1", "@x", "+a", "-a", "\uff0b1", "a\rb", "x" * 1001])
def test_labels_beside_leaves_are_checked_too(tmp_path, label):
    with pytest.raises(BadDeclaration):
        read(tmp_path, f'zone,name\n1,"{label}"\n', ("zone",), label="name")


@pytest.mark.parametrize(("codes", "says"), [("7,7", "twice"), ("7,", "every leaf"), ("=a,b", "")])
def test_a_key_names_one_leaf(tmp_path, codes, says):
    one, two = codes.split(",")
    text = f"zone,code\n1,{one}\n2,{two}\n"
    if says:
        with pytest.raises(BadDeclaration, match=says):
            read(tmp_path, text, ("zone",), key=(("c", "code"),))
    else:
        assert read(tmp_path, text, ("zone",), key=(("c", "code"),)).keys == (("=a", "b"),)


def test_bom_and_crlf_are_read(tmp_path):
    found = read(tmp_path, b"\xef\xbb\xbfside,zone\r\na,1\r\nb,2\n")
    assert list(found.tree.leaves) == [("a", 1), ("b", 2)]


@pytest.mark.parametrize("text", ["a=1", "1-2", "x@y", "", " a", "Ōtara", "3"])
def test_other_texts_are_no_formulas(text):
    assert not is_formula(text)


def test_a_damaged_parquet_list_is_refused(tmp_path):
    for content in (b"", b"PAR1", b"PAR1" + b"\0" * 100 + b"PAR1", b"\x80\x04."):
        with pytest.raises(BadDeclaration):
            read(tmp_path, content, file="d.parquet")


def test_a_domain_is_frozen(tmp_path):
    found = read(tmp_path, LIST)
    with pytest.raises(AttributeError):
        found.digest = ""
    assert domains.Domain(found.tree, None, found.digest).keys is None
