"""Trees: from paths, frames, arrays and pairs; what is wrong with a list is told at once."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.foundation.errors import BadParameter, BadTable, BadTree
from holdfast.worlds.hierarchy import Hierarchy

ROWS = {
    "borough": ["EWR", "Queens", "Bronx", "Queens"],
    "zone": ["Newark", "Astoria", "Allerton", "Corona"],
    "id": [1, 7, 3, 56],
    "n": [5, 6, 7, 8],
}
PATHS = [
    (),
    ("EWR",),
    ("Queens",),
    ("Bronx",),
    ("EWR", "Newark"),
    ("Queens", "Astoria"),
    ("Queens", "Corona"),
    ("Bronx", "Allerton"),
]
FRAMES = {
    "pandas": lambda: pd.DataFrame(ROWS),
    "pandas, text as objects": lambda: pd.DataFrame(
        {k: pd.Series(v, dtype=object) for k, v in ROWS.items()}
    ),
    "pandas, categorical": lambda: pd.DataFrame(ROWS).astype({"borough": "category"}),
    "polars": lambda: pl.DataFrame(ROWS),
    "polars, lazy": lambda: pl.DataFrame(ROWS).lazy(),
    "polars, categorical": lambda: pl.DataFrame(ROWS).with_columns(
        pl.col("borough").cast(pl.Categorical)
    ),
    "pyarrow": lambda: pa.table(ROWS),
    "DuckDB": lambda: duckdb.from_arrow(pa.table(ROWS)),
    "arrays": lambda: {k: np.array(v) for k, v in ROWS.items()},
    "lists": lambda: ROWS,
}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES.keys())
def test_every_dataframe_gives_the_same_tree(make):
    frame = make()
    tree = Hierarchy.from_frame(frame, ["borough", "zone"], root="NYC")
    assert list(tree.paths) == PATHS
    assert tree.level_names == ("root", "borough", "zone")
    assert tree.aggregate_frame(frame, "n").tolist() == [26, 5, 14, 7, 5, 6, 8, 7]


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES.keys())
def test_whole_numbers_are_labels_too(make):
    tree = Hierarchy.from_frame(make(), ["borough", "id"])
    assert list(tree.leaves) == [("EWR", 1), ("Queens", 7), ("Queens", 56), ("Bronx", 3)]
    assert all(type(path[1]) is int for path in tree.leaves)


def test_a_frame_of_another_order_is_matched_by_path():
    frame = pl.DataFrame(ROWS)
    tree = Hierarchy.from_frame(frame, ["borough", "zone"])
    shuffled = frame.reverse()
    assert tree.aggregate_frame(shuffled, "n").tolist() == [26, 5, 14, 7, 5, 6, 8, 7]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_a_column_in_another_order_is_refused(make):
    """Read without its path it would put Corona's count on the Bronx."""
    frame = make(ROWS)
    tree = Hierarchy.from_frame(frame, ["borough", "zone"])
    with pytest.raises(BadTable, match="Use aggregate_frame"):
        tree.aggregate(frame["n"])


def test_a_column_in_the_trees_order_is_taken():
    frame = pl.DataFrame({"a": ["x", "x", "y"], "b": [1, 2, 1], "n": [1, 2, 3]})
    tree = Hierarchy.from_frame(frame, ["a", "b"])
    assert tree.aggregate(frame["n"]).tolist() == [6, 3, 3, 1, 2, 3]


def test_leaves_that_a_table_does_not_name_count_zero():
    tree = Hierarchy.from_frame(ROWS, ["borough", "zone"])
    part = pl.DataFrame({"borough": ["Queens"], "zone": ["Corona"], "n": [8]})
    assert tree.aggregate_frame(part, "n").tolist() == [8, 0, 8, 0, 0, 0, 8, 0]


STRANGE_ROWS = {
    "a zone that is not public": {"borough": ["Queens"], "zone": ["Elsewhere"], "n": [1]},
    "a zone of another borough": {"borough": ["Bronx"], "zone": ["Corona"], "n": [1]},
    "a borough without a zone": {"borough": ["Queens"], "zone": [None], "n": [1]},
    "nothing at all": {"borough": [None], "zone": [None], "n": [1]},
    "a number for a name": {"borough": ["Queens"], "zone": [5], "n": [1]},
    "a zone twice": {"borough": ["Bronx"] * 2, "zone": ["Allerton"] * 2, "n": [1, 1]},
    "a zone without its borough": {"borough": [None], "zone": ["Corona"], "n": [1]},
}


@pytest.mark.parametrize("rows", STRANGE_ROWS.values(), ids=STRANGE_ROWS.keys())
def test_strange_rows_are_refused_without_a_label(rows):
    tree = Hierarchy.from_frame(ROWS, ["borough", "zone"])
    with pytest.raises(BadTable) as caught:
        tree.aggregate_frame(rows, "n")
    assert not any(name in str(caught.value) for name in ("Elsewhere", "Corona", "Allerton", "5"))


def test_ragged_trees():
    tree = Hierarchy.from_frame(
        {"a": ["x", "y", "x"], "b": ["p", None, "q"], "n": [1, 2, 4]}, ["a", "b"]
    )
    assert list(tree.paths) == [(), ("x",), ("y",), ("x", "p"), ("x", "q")]
    assert list(tree.leaves) == [("y",), ("x", "p"), ("x", "q")]
    assert tree.aggregate([2, 1, 4]).tolist() == [7, 5, 2, 1, 4]
    rows = {"a": ["y", "x"], "b": [None, "q"], "n": [2, 4]}
    assert tree.aggregate_frame(rows, "n").tolist() == [6, 4, 2, 0, 4]


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT])
def test_every_way_to_write_nothing(missing):
    tree = Hierarchy.from_frame({"a": ["x", "y"], "b": ["p", missing]}, ["a", "b"])
    assert list(tree.leaves) == [("y",), ("x", "p")]


BAD_TREES = {
    "a repeated leaf": ([("a", "x"), ("a", "x")], "1 leaf repeated: 'a/x'"),
    "a leaf that is a parent": ([("a",), ("a", "x")], "also a parent: 'a'"),
    "an empty name": ([("a", "")], "a name that is not empty"),
    "a blank name": ([(" ",)], "a name that is not empty"),
    "mixed types": ([("a", 1), ("a", "x")], "names and whole numbers together"),
    "a float": ([("a", 1.5)], "a float"),
    "True": ([("a", True)], "a bool"),
    "a line end in a name": ([("a\n",)], "printable"),
    "a null character": ([("a\0",)], "printable"),
    "a lone surrogate": ([("\ud800",)], "printable"),
    "a name of a million letters": ([("a" * 10**6,)], "at most 1000 characters"),
    "twins to the eye": ([("\u00e9",), ("e\u0301",)], "differ to the eye"),
    "no leaves": ([], "an empty list"),
    "a text for a path": (["ab"], "a tuple of labels"),
    "None within a path": ([("a", None, "b")], "a label at every level"),
    "an empty path": ([(), ("a",)], "a label in every row"),
    "a list in a path": ([("a", [1])], "a list"),
    "bytes": ([(b"a",)], "a bytes"),
}


@pytest.mark.parametrize(("paths", "says"), BAD_TREES.values(), ids=BAD_TREES.keys())
def test_bad_trees_are_refused(paths, says):
    with pytest.raises(BadTree, match=says):
        Hierarchy.from_paths(paths)


def test_all_faults_at_once():
    with pytest.raises(BadTree) as caught:
        Hierarchy.from_paths([("a", ""), ("a", 3), ("b",), ("b", "y"), ("c", "x"), ("c", "x")])
    text = str(caught.value)
    assert len(caught.value.faults) == 4
    for part in ("not empty", "together", "'c/x'", "also a parent: 'b'"):
        assert part in text


def test_a_gap_in_a_row_is_refused():
    with pytest.raises(BadTree, match="above every label"):
        Hierarchy.from_frame({"a": ["x", "y"], "b": [None, "p"], "c": ["q", "r"]}, ["a", "b", "c"])


def test_columns_of_different_length_are_refused():
    with pytest.raises(BadTree, match="one length"):
        Hierarchy.from_frame({"a": ["x", "y"], "b": ["p"]}, ["a", "b"])


@pytest.mark.parametrize("levels", [[], "borough", ["borough", "Zone"], ["nothing"]])
def test_bad_levels_are_refused(levels):
    with pytest.raises(BadTree, match="columns: asked for"):
        Hierarchy.from_frame(pl.DataFrame(ROWS), levels)


@pytest.mark.parametrize("frame", [3, "frame", None, [1, 2]])
def test_what_is_no_frame_is_refused(frame):
    with pytest.raises(BadTree, match="dataframe"):
        Hierarchy.from_frame(frame, ["a"])


def test_pairs_of_child_and_parent():
    tree = Hierarchy.from_parents({"A": "B", "B": "R", "C": "R"}, root="R")
    assert list(tree.paths) == [(), ("B",), ("C",), ("B", "A")]


BAD_PAIRS = {
    "a cycle": ({"A": "B", "B": "C", "C": "A", "D": "R"}, "a cycle"),
    "a node that is its own parent": ({"A": "A", "D": "R"}, "a cycle: 'A' -> 'A'"),
    "an orphan": ({"A": "X", "D": "R"}, "'X': .* an orphan"),
    "a duplicated child": ([("A", "R"), ("A", "B"), ("B", "R")], "two lines for it"),
    "a root with a parent": ({"R": "A", "A": "R"}, "a root without a parent"),
}


@pytest.mark.parametrize(("pairs", "says"), BAD_PAIRS.values(), ids=BAD_PAIRS.keys())
def test_bad_pairs_are_refused(pairs, says):
    with pytest.raises(BadTree, match=says):
        Hierarchy.from_parents(pairs, root="R")


@pytest.mark.parametrize("root", ["", " ", None, 3])
def test_the_root_needs_a_name(root):
    with pytest.raises(BadTree, match="root"):
        Hierarchy.from_paths([("a",)], root=root)


def test_paths_are_lazy_sequences():
    tree = Hierarchy.from_frame(ROWS, ["borough", "zone"])
    assert tree.paths[0] == ()
    assert tree.paths[-1] == ("Bronx", "Allerton")
    assert list(tree.paths[1:3]) == [("EWR",), ("Queens",)]
    assert ("Queens",) in tree.paths
    assert tree.paths.index(("Bronx",)) == 3
    assert repr(tree.leaves).startswith("<4 paths: ('EWR', 'Newark')")
    with pytest.raises(IndexError):
        tree.paths[8]


@given(st.integers(0, 7))
def test_find_undoes_paths(node):
    tree = Hierarchy.from_frame(ROWS, ["borough", "zone"])
    assert tree.find(tree.paths[node]) == node


@pytest.mark.parametrize("path", [("Nowhere",), ("Bronx", "Corona"), ("EWR", "Newark", "x")])
def test_a_path_outside_is_refused(path):
    with pytest.raises(BadParameter, match="path: asked for"):
        Hierarchy.from_frame(ROWS, ["borough", "zone"]).find(path)


def test_equal_trees_are_equal():
    one = Hierarchy.from_frame(ROWS, ["borough", "zone"], root="NYC")
    other = Hierarchy.from_paths(
        [("EWR", "Newark"), ("Queens", "Astoria"), ("Queens", "Corona"), ("Bronx", "Allerton")],
        root="NYC",
    )
    assert one == other
    assert hash(one) == hash(other)
    assert one != Hierarchy.from_frame(ROWS, ["borough", "id"], root="NYC")
    assert one != "NYC"


def test_it_shows_itself():
    tree = Hierarchy.from_frame(ROWS, ["borough", "zone"], root="NYC & <b>")
    assert repr(tree) == "<tree 'NYC & <b>': 4 leaves, 8 nodes, root > borough > zone>"
    assert "├─ Queens\n│  ├─ Astoria\n│  └─ Corona" in str(tree)
    assert "<b>" not in tree._repr_html_()
    assert "4 leaves" in tree._repr_html_()


def test_arrays_cannot_be_changed():
    tree = Hierarchy.from_frame(ROWS, ["borough", "zone"])
    with pytest.raises(ValueError, match="read-only"):
        tree.arrays.parents[0] = 3


def test_a_million_leaves_are_ordinary():
    """Memory and time at full size are in benchmarks/trees.py; here only that it works."""
    leaves = 10**6
    tree = Hierarchy.from_frame(
        {"a": np.arange(leaves) // 1000, "b": np.arange(leaves)}, ["a", "b"]
    )
    assert tree.size == 1 + 1000 + leaves
    assert tree.aggregate(np.ones(leaves, dtype=int))[:3].tolist() == [leaves, 1000, 1000]
    assert tree.paths[-1] == (999, leaves - 1)


def test_sums_of_an_engine_stay_whole_numbers():
    """DuckDB adds integers as HUGEINT, which its own road to NumPy turns into floats."""
    tree = Hierarchy.from_paths([("A",)])
    table = duckdb.sql(
        "select 'A' as \"level 1\", sum(v) as n from (values (9007199254740993::bigint), (0)) t(v)"
    )
    assert tree.aggregate_frame(table, "n").tolist() == [2**53 + 1, 2**53 + 1]


LEAKING = {
    "polars": lambda: pl.LazyFrame({"a": ["A"], "n": ["SECRET"]}).with_columns(
        pl.col("n").cast(pl.Int64)
    ),
    "DuckDB": lambda: duckdb.sql("select 'A' as a, v::int as n from (values ('SECRET')) t(v)"),
}


@pytest.mark.parametrize("make", LEAKING.values(), ids=LEAKING.keys())
def test_an_engines_own_error_never_gets_through(make):
    """It would print the row that it stumbled on."""
    tree = Hierarchy.from_frame({"a": ["A"]}, ["a"])
    with pytest.raises(BadTable, match="a failure") as caught:
        tree.aggregate_frame(make(), "n")
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert "SECRET" not in str(caught.value)


UNEQUAL = [
    {"borough": ["Queens", "Bronx"], "zone": ["Corona", "Allerton", "x"], "n": [1, 2]},
    {"borough": ["Queens", "Bronx"], "zone": ["Corona", "Allerton"], "n": [1, 2, 3]},
    {"borough": ["Queens"], "zone": ["Corona"], "n": {0: 1}},
]


@pytest.mark.parametrize("rows", UNEQUAL)
def test_columns_that_do_not_match_are_refused_without_their_lengths(rows):
    with pytest.raises(BadTable) as caught:
        Hierarchy.from_frame(ROWS, ["borough", "zone"]).aggregate_frame(rows, "n")
    assert not any(digit in str(caught.value) for digit in "23")


STRANGE_CALLS = {
    "paths: a number": lambda: Hierarchy.from_paths(5),
    "paths: an array in a path": lambda: Hierarchy.from_paths([("a", np.array([1, 2]))]),
    "pairs: too short": lambda: Hierarchy.from_parents([("a",)], "r"),
    "pairs: a list for a name": lambda: Hierarchy.from_parents([(["a"], "r")], "r"),
    "pairs: nothing": lambda: Hierarchy.from_parents(None, "r"),
    "levels twice": lambda: Hierarchy.from_frame(ROWS, ["zone", "zone"]),
    "levels: nothing": lambda: Hierarchy.from_frame(ROWS, None),
    "levels: a number": lambda: Hierarchy.from_frame(ROWS, 5),
    "levels: numbers": lambda: Hierarchy.from_frame(pd.DataFrame([[1, 2]]), [0, 1]),
    "a text for a column": lambda: Hierarchy.from_frame({"a": "xyz"}, ["a"]),
    "a number for a column": lambda: Hierarchy.from_frame({"a": 5}, ["a"]),
    "a matrix for a column": lambda: Hierarchy.from_frame({"a": np.ones((2, 2), int)}, ["a"]),
    "an unsigned label beyond 64 bits": lambda: Hierarchy.from_frame(
        {"a": np.array([2**63], dtype=np.uint64)}, ["a"]
    ),
    "a label of 5000 digits": lambda: Hierarchy.from_paths([(10**5000,)]),
    "a line end in the root": lambda: Hierarchy.from_paths([("a",)], root="a\nb"),
}


@pytest.mark.parametrize("call", STRANGE_CALLS.values(), ids=STRANGE_CALLS.keys())
def test_strange_calls_are_refused_in_our_own_words(call):
    with pytest.raises(BadTree):
        call()


def test_numpy_numbers_name_levels_and_lists_of_any_kind_name_columns():
    tree = Hierarchy.from_frame(ROWS, np.array(["borough", "zone"]))
    assert tree.level_number(np.int64(1)) == 1


def test_a_very_deep_tree_still_shows_itself():
    tree = Hierarchy.from_paths([tuple("x" * 600)])
    assert str(tree).count("\n") < 30


@pytest.mark.parametrize("name", ["leaf_nodes", "leaf_counts"])
def test_what_is_computed_once_cannot_be_changed(name):
    with pytest.raises(ValueError, match="read-only"):
        getattr(Hierarchy.from_frame(ROWS, ["borough", "zone"]), name)[0] = 2


@pytest.mark.parametrize("labels", [[1, 5, 9], list(range(3)), ["a", "b", "c"], [0, 10**12, 5]])
def test_find_knows_every_kind_of_vocabulary(labels):
    tree = Hierarchy.from_frame({"a": np.array(labels)}, ["a"])
    assert [tree.find((label,)) for label in labels] == [1, 2, 3]
    for strange in (True, 2.0, None, "nowhere", 77):
        with pytest.raises(BadParameter):
            tree.find((strange,))
