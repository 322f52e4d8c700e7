"""The table as text: a row for each node, whole numbers, labels that are no formulas.

If this failed, a spreadsheet would run a label, or read another number.
"""

import csv
import io
import json

import numpy as np
import pytest

import holdfast as hf
from holdfast.publication.writing.table_file import TableFile, is_wide, safe

TREE = hf.Hierarchy.from_paths([("A", "=1+1"), ("A", "b, c"), ("B",)], root="all")
VALUE = TREE.aggregate([7, 5, 0])  # the leaf of the first level comes first


def made(tree=TREE, labels=None, value=VALUE):
    lower, upper = np.maximum(value - 2, 0), value + 2
    return TableFile(tree, labels, value, lower, upper, is_wide(value, lower, upper))


def read(table):
    return list(csv.reader(io.StringIO(table.csv().decode(), newline="")))


def test_a_row_for_each_node():
    rows = read(made())
    assert rows[0] == ["level 1", "level 2", "value", "lower", "upper", "wide"]
    assert rows[1] == ["", "", "12", "10", "14", "0"]
    assert rows[2:4] == [["A", "", "5", "3", "7", "0"], ["B", "", "7", "5", "9", "0"]]
    assert rows[4] == ["A", "'=1+1", "5", "3", "7", "0"]
    assert rows[5] == ["A", "b, c", "0", "0", "2", "1"]
    assert len(rows) == TREE.size + 1


def test_labels_stand_beside_leaves_alone():
    rows = read(made(labels=("three", "one", "@two")))
    column = rows[0].index("label")
    assert [row[column] for row in rows[1:]] == ["", "", "three", "one", "'@two"]


def test_columns_that_would_be_told_twice():
    frame = {"value": ["x", "y"], "label": ["1", "2"]}
    tree = hf.Hierarchy.from_frame(frame, ["value", "label"])
    header = read(made(tree, ("p", "q"), tree.aggregate([1, 2])))[0]
    assert header[:3] == ["value (level)", "label (level)", "label"]
    assert len(set(header)) == len(header)


FORMULAS = ["=cmd", "+1", "-1", "@x", "\tx", "\rx", "\uff1dx", "\uff0bx"]


@pytest.mark.parametrize("label", FORMULAS)
def test_formulas_are_text(label):
    assert safe(label) == f"'{label}"


@pytest.mark.parametrize("label", ["Bronx", "1", "a=b", "", 7, -7, "'quoted"])
def test_other_labels_stay(label):
    assert safe(label) == str(label)


def test_numbers_stay_numbers():
    rows = read(made(value=TREE.aggregate([-5, 0, -(2**62)])))
    assert rows[1][2] == str(-5 - 2**62)


def test_it_is_the_same_every_time_and_lines_end_alike():
    assert made().csv() == made().csv()
    assert made().csv().count(b"\r\n") == TREE.size + 1


def test_wide_intervals_carry_a_flag():
    value, lower, upper = np.array([10, 10, 0, 0, -4]), np.array([5, 4, 0, -1, -6]), None
    upper = np.array([15, 11, 0, 1, -2])
    assert is_wide(value, lower, upper).tolist() == [False, True, False, True, False]


def test_the_columns_are_explained():
    words = json.loads(made().csvw())
    kinds = {c["name"]: c["datatype"] for c in words["tableSchema"]["columns"]}
    assert list(kinds) == list(made().columns)
    assert kinds["value"] == "integer"
    assert kinds["level 1"] == "string"


def test_arrays_say_the_same():
    arrays = made().arrays()
    assert list(arrays) == list(made().columns)
    assert arrays["level 2"][3] == "'=1+1"
    assert arrays["value"].tolist() == VALUE.tolist()
