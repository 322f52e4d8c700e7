"""One person changes the counts by at most k rows; all small data are tried."""

from itertools import combinations, combinations_with_replacement, permutations

import pytest

from holdfast.data import question
from holdfast.data.counting import count
from holdfast.data.declaration import Declaration, Person
from holdfast.data.domain import read_domain
from holdfast.foundation.randomness import seeded, tape
from tests.data.places import ENGINES, Rows

COLUMNS = {"leaf": "text", "who": "text", "n": "whole"}
LEAVES = ("a", "b")
CELLS = [("a", 1), ("a", 3), ("b", 1), ("else", 2)]
BOUNDS = (1, 2)
KEYS = (1, 2, 3)


def hands(size=3):
    """Return all that one person can hold: up to so many rows of the few cells."""
    return [hand for n in range(size + 1) for hand in combinations_with_replacement(CELLS, n)]


def rows_of(hands_by_person):
    return [(leaf, who, n) for who, hand in hands_by_person for leaf, n in hand]


@pytest.fixture
def counted(places, tmp_path):
    """Return a function from rows to counts, on one engine."""
    (tmp_path / "domain.csv").write_text("leaf\na\nb\n")

    def made(engine, rows, bound, key=1, weights="n", outside="drop"):
        source = places(engine).source(engine, Rows(COLUMNS, rows))
        declaration = Declaration(
            source,
            ("leaf",),
            "domain.csv",
            count=weights,
            outside=outside,
            person=Person("who", bound),
        )
        domain = read_domain(declaration, tmp_path)
        chance = key if not isinstance(key, int) else tape([key])
        return count(declaration, domain, tmp_path, chance).open_inside_a_mechanism().tolist()

    return made


def distance(one, other):
    return sum(abs(x - y) for x, y in zip(one, other, strict=True))


HEAVY = [
    (("a", 1), ("a", 3), ("b", 1)),
    (("else", 2), ("else", 2), ("a", 1)),
    (("a", 3),),
]


def worlds(engine):
    """Return hands to try: many where a count is quick, the heaviest few where it is slow."""
    step = {"parquet": 2, "csv": 6, "duckdb": 12, "postgres": 2}.get(engine)
    return hands()[1::step] if step else HEAVY


OTHER = (("a", 1), ("b", 2))


def strays(counted, engine):
    """Return the hands whose person changes the counts by more than k, or by too little."""
    wrong = []
    for bound in BOUNDS:
        alone = counted(engine, rows_of([("other", OTHER)]), bound)
        for hand in worlds(engine):
            both = counted(engine, rows_of([("other", OTHER), ("ann", hand)]), bound)
            inside = sum(n for leaf, n in hand if leaf in LEAVES)
            if distance(both, alone) != min(inside, bound):
                wrong.append((bound, hand))
    return wrong


@pytest.mark.parametrize("engine", ENGINES)
def test_one_person_changes_k_rows_at_most_and_as_many_as_may_count(counted, engine):
    """Else the certificate would name a loss that one person with many rows exceeds."""
    assert strays(counted, engine) == []


def bounded_leaf_by_leaf(asked, dialect):
    leaf, i = dialect.written("leaf"), dialect.written("i")
    text = f"concat('{asked.key}|', {leaf}, '|', {i}, '|', person)"
    order = f"row_number() OVER (PARTITION BY person, leaf ORDER BY {dialect.hashed(text)})"
    return f"SELECT leaf, {order} AS place FROM candidates"


def leaves_instead_of_rows(person, dialect):
    return "SELECT leaf, person, n, 1 AS i FROM placed WHERE n > 0"


def ranked_with_numbers(asked, dialect):
    return ranked(asked, dialect).replace("SELECT leaf,", "SELECT leaf, n,")


def whole_groups(person):
    return f"SELECT leaf, n FROM ranked WHERE place <= {person.rows}"


def inside_alone(person):
    return counted_rows(person).replace(" GROUP", " AND leaf IS NOT NULL GROUP")


def no_person_dropped(asked, kinds, dialect):
    return placed(asked, kinds, dialect).replace("JOIN leaves", "LEFT JOIN leaves")


ranked, placed, grouped = question._ranked, question._placed, question._grouped
counted_rows = question._counted
SABOTEURS = {
    "bound after the aggregation over leaves": {"_ranked": bounded_leaf_by_leaf},
    "ordinal forgotten": {
        "_candidates": leaves_instead_of_rows,
        "_ranked": ranked_with_numbers,
        "_counted": whole_groups,
    },
    "rows outside use up the bound": {"_placed": no_person_dropped, "_counted": inside_alone},
    "count ignored": {
        "_grouped": lambda asked, dialect: grouped(asked, dialect).replace(
            "sum(", "count(*) + 0 * sum("
        )
    },
}


@pytest.mark.parametrize("engine", ["parquet", "postgres", "spark"])
@pytest.mark.parametrize("sabotage", SABOTEURS)
def test_the_enumeration_barks(counted, monkeypatch, engine, sabotage):
    for name, value in SABOTEURS[sabotage].items():
        monkeypatch.setattr(question, name, value)
    assert strays(counted, engine) != []


MANY = rows_of([("ann", CELLS * 3), ("bob", CELLS * 2), ("eve", CELLS), (None, CELLS), ("", CELLS)])


@pytest.mark.parametrize("engine", ENGINES)
def test_the_order_of_rows_changes_nothing(counted, engine):
    """Else the published table would tell in which order people stand in the file."""
    first = counted(engine, MANY, 3)
    assert counted(engine, MANY[::-1], 3) == first
    assert counted(engine, sorted(MANY, key=str), 3) == first


def test_every_order_of_a_few_rows_gives_the_same(counted):
    rows = rows_of([("ann", CELLS[:3]), ("bob", CELLS[:2])])
    found = {tuple(counted("parquet", order, 1)) for order in list(permutations(rows))[::5]}
    assert len(found) == 1


def test_every_engine_chooses_the_same_rows(counted):
    """The hash is of the same bytes everywhere, so a move to a server changes no table."""
    found = {tuple(counted(engine, MANY, 4, key=9)) for engine in ENGINES}
    assert len(found) == 1
    assert sum(found.pop()) == 12


def test_another_key_chooses_other_rows(counted):
    """With the key from fresh chance nobody knows in advance which rows count."""
    assert len({tuple(counted("parquet", MANY, 1, key=key)) for key in range(12)}) >= 3
    chance = seeded(4)
    assert len({tuple(counted("parquet", MANY, 1, key=chance)) for _ in range(12)}) >= 3


def test_every_row_is_chosen_as_often(counted):
    """Of 200 persons with 2 rows in a and 6 in b, a quarter of the choices falls on a.

    Binomial(200, 1/4): outside 12 to 94 with a chance below 1e-9 (checked in the test).
    """
    rows = [("a", f"p{i}", 1) for i in range(200) for _ in range(2)]
    rows += [("b", f"p{i}", 1) for i in range(200) for _ in range(6)]
    low, high = 14, 92
    assert binomial_outside(200, 0.25, low, high) < 1e-9
    a, b = counted("parquet", rows, 1)
    assert a + b == 200
    assert low <= a <= high
    one_a_leaf = [("a", f"p{i}", 1) for i in range(200)] + [("b", f"p{i}", 1) for i in range(200)]
    assert counted("parquet", one_a_leaf, 1)[0] > high  # the saboteur: every leaf as often


def binomial_outside(n, p, low, high):
    from scipy.stats import binom

    return binom.cdf(low - 1, n, p) + binom.sf(high, n, p)


@pytest.mark.parametrize("engine", ENGINES)
def test_rows_outside_use_up_the_bound_where_they_go_to_a_leaf(counted, engine):
    rows = rows_of([("ann", [("else", 1), ("else", 1), ("a", 1)])])
    assert counted(engine, rows, 1) == [1, 0]
    assert counted(engine, rows, 3, outside="b") == [1, 2]
    assert sum(counted(engine, rows, 1, outside="b")) == 1


@pytest.mark.parametrize("engine", ENGINES)
def test_rows_of_nobody_are_dropped(counted, engine):
    """A row without a person could be anybody's, so no bound would hold for it."""
    rows = [("a", None, 1), ("a", "", 1), ("a", "ann", 1)]
    assert counted(engine, rows, 5) == [1, 0]


def test_a_huge_count_is_not_expanded(counted):
    """A row of 2**53 would fill memory if each unit became a candidate."""
    rows = [("a", "ann", 2**53), ("b", "ann", 2**53), ("b", "ann", 2**53)]
    assert sum(counted("parquet", rows, 7)) == 7
    assert sum(counted("parquet", rows, 1500)) == 1500


def test_persons_with_awkward_names_stay_apart(counted):
    """Two persons whose hashed texts could be the same would share one choice, not one bound."""
    names = ["1", "1|1", "|", "a'b", 'a"b', "ä", "A", "a", " a", "0|1|1"]
    rows = [("a", name, 1) for name in names for _ in range(3)]
    assert counted("parquet", rows, 2) == [2 * len(names), 0]


def test_worlds_are_many():
    assert len(hands()) == 35
    assert len(list(combinations(hands(), 2))) == 595
