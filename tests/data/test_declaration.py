"""A declaration is checked at birth, and all its faults are told at once."""

import pytest

from holdfast.data.declaration import Declaration, Person
from holdfast.foundation.errors import BadDeclaration

GOOD = {"source": "a.parquet", "levels": ("x", "y"), "domain": "d.csv"}


def test_a_good_declaration_is_born():
    declaration = Declaration(**GOOD)
    assert declaration.matched == (("x", "x"), ("y", "y"))
    assert Declaration(**GOOD, key=(("r", "y"),)).matched == (("r", "y"),)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("source", ""),
        ("source", None),
        ("source", "rows.xlsx"),
        ("levels", ()),
        ("levels", ["x"]),
        ("levels", "x"),
        ("levels", ("x", "x")),
        ("levels", ("x", "")),
        ("levels", ("x", 1)),
        ("levels", ("x", "a\nb")),
        ("domain", "d.txt"),
        ("domain", "http://127.0.0.1/d.csv"),
        ("domain", 3),
        ("root", ""),
        ("root", "=1+1"),
        ("root", None),
        ("key", (("a",),)),
        ("key", {"a": "b"}),
        ("key", (("a", "x"), ("a", "y"))),
        ("key", (("a", "x"), ("b", "x"))),
        ("label", ""),
        ("count", 1),
        ("outside", ()),
        ("outside", ""),
        ("outside", None),
        ("outside", ("a", 1)),
        ("person", ("who", 3)),
    ],
)
def test_what_is_malformed_is_refused(name, value):
    with pytest.raises(BadDeclaration):
        Declaration(**{**GOOD, name: value})


@pytest.mark.parametrize("rows", [0, -1, 1.0, True, "3", None, 10**6 + 1])
def test_a_bound_is_a_whole_number(rows):
    with pytest.raises(BadDeclaration, match="rows of a person"):
        Person("who", rows)


def test_all_faults_are_told_at_once():
    with pytest.raises(BadDeclaration) as caught:
        Declaration("s3://x/y.parquet", (), "d.txt", root="", count="", outside="")
    assert len(caught.value.faults) == 6


def test_a_value_cannot_be_changed():
    with pytest.raises(AttributeError):
        Declaration(**GOOD).root = "other"
