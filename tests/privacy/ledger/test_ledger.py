"""What a ledger does, on a file and on a server alike."""

import os
import pickle
import threading
from fractions import Fraction

import pytest
from benchmarks.faults.site import Paper

from holdfast.foundation.errors import BadLedger, BadParameter, Burnt, OverBudget
from holdfast.privacy.ledger.ledger import Ledger
from tests.privacy.ledger.papers import (
    APPROXIMATE,
    CONCENTRATED,
    OF_PERSONS,
    PURE,
    REPLACING,
)


def never():
    raise AssertionError("drawn although nothing was granted")


def test_what_is_spent_and_left_add_up(site):
    ledger = site.create(epsilon="1", delta="0.000001")
    ledger.spend("first", epsilon="0.1")
    ledger.spend("second", epsilon="0.2", delta="0.0000001")
    assert ledger.total.epsilon == 1
    assert ledger.spent.epsilon == Fraction(3, 10)
    assert ledger.left.epsilon == Fraction(7, 10)
    assert ledger.left.delta == Fraction(9, 10**7)
    assert [entry.name for entry in ledger.entries] == ["first", "second"]
    assert site.open().spent == ledger.spent
    ledger.verify()


def test_ten_tenths_are_one_and_not_a_hair_less_or_more(site):
    """With floats an eleventh tenth would pass."""
    ledger = site.create(epsilon=1)
    for number in range(10):
        ledger.spend(f"tenth-{number}", epsilon="0.1")
    assert ledger.left.epsilon == 0
    with pytest.raises(OverBudget):
        ledger.spend("a-hair", epsilon="0.000000000001")


def test_over_the_budget_the_public_figures_are_named(site):
    ledger = site.create(epsilon="1")
    ledger.spend("first", epsilon="0.9")
    with pytest.raises(OverBudget) as caught:
        ledger.spend("second", epsilon="0.25")
    for figure in ("epsilon 0.25", "left: epsilon 0.1", "spent: epsilon 0.9", "total: epsilon 1"):
        assert figure in str(caught.value)
    assert ledger.spent.epsilon == Fraction(9, 10)


def test_delta_is_counted_too(site):
    ledger = site.create(epsilon=10)
    ledger.spend("within", epsilon=1, delta="0.000000000001")
    with pytest.raises(OverBudget, match=r"0\.000000000001"):
        ledger.spend("beyond", epsilon=1, delta="0.000000000000000001")


def test_no_delta_means_none(site):
    ledger = site.create(epsilon=10, delta="0")
    with pytest.raises(OverBudget, match=r"delta 0\b"):
        ledger.spend("any", epsilon=1, delta="0.000000000000000001")


def test_the_repr_shows_the_room_for_delta(site):
    text = repr(site.create(epsilon=10))
    assert "total epsilon 10, delta 0.000000000001" in text
    assert "relation and unit of the first debit" in text


def test_the_repr_of_a_ledger_that_cannot_be_used_says_so(site):
    ledger = site.create(epsilon=10)
    site.witness.write_bytes(b"")
    assert "cannot be used: not one whole line" in repr(ledger)


def test_a_release_is_paid_drawn_kept_and_published_once(site):
    ledger, published = site.create(epsilon=1), []
    first = ledger.release("table", b"plan", PURE, lambda: b"bytes", published.append)
    again = site.open().release("table", b"plan", PURE, never, published.append)
    assert (first, again, published) == (b"bytes", b"bytes", [b"bytes"])
    assert ledger.spent.epsilon == Fraction(1, 2)
    assert [entry.state for entry in ledger.entries] == ["published"]


def test_without_publish_the_bytes_are_kept_for_later(site):
    ledger, published = site.create(epsilon=1), []
    assert ledger.release("table", "plan", PURE, lambda: b"") == b""
    assert ledger.entries[0].state == "sealed"
    assert ledger.release("table", "plan", PURE, never, published.append) == b""
    assert published == [b""]


def test_a_publish_that_failed_is_called_again(site):
    ledger, published = site.create(epsilon=1), []

    def fails(output):
        raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        ledger.release("table", b"plan", PURE, lambda: b"bytes", fails)
    ledger.release("table", b"plan", PURE, never, published.append)
    assert published == [b"bytes"]


@pytest.mark.parametrize(
    ("request_", "paper"),
    [(b"other plan", PURE), (b"plan", APPROXIMATE), (b"plan", Paper(epsilon=Fraction(1, 4)))],
)
def test_the_same_name_for_something_else_is_refused(site, request_, paper):
    ledger = site.create(epsilon=10)
    ledger.release("table", b"plan", PURE, lambda: b"bytes")
    with pytest.raises(BadParameter, match="taken"):
        ledger.release("table", request_, paper, never)
    assert ledger.spent.epsilon == Fraction(1, 2)


def test_a_booked_name_is_booked_once(site):
    """A second call may stand for a second answer: nothing tells them apart."""
    ledger = site.create(epsilon=10)
    ledger.spend("query", epsilon=1)
    for again in (
        lambda: ledger.spend("query", epsilon=1),
        lambda: ledger.release("query", b"plan", PURE, never),
    ):
        with pytest.raises(BadParameter, match="taken"):
            again()
    assert ledger.spent.epsilon == 1


def test_an_error_in_the_draw_burns_the_name(site):
    ledger = site.create(epsilon=1)

    def breaks():
        raise ZeroDivisionError("in the draw")

    with pytest.raises(ZeroDivisionError, match="in the draw"):
        ledger.release("table", b"plan", PURE, breaks)
    with pytest.raises(Burnt, match="take another name"):
        ledger.release("table", b"plan", PURE, never)
    assert ledger.spent.epsilon == Fraction(1, 2)
    assert ledger.entries[0].state == "reserved"


def test_a_draw_that_gives_no_bytes_burns_the_name(site):
    ledger = site.create(epsilon=1)
    with pytest.raises(BadParameter, match="burnt"):
        ledger.release("table", b"plan", PURE, lambda: "text")
    with pytest.raises(Burnt):
        ledger.release("table", b"plan", PURE, never)


def test_a_name_under_way_is_not_drawn_by_another(site):
    ledger = site.create(epsilon=1)

    def draw():
        with pytest.raises(Burnt, match="under way"):
            site.open().release("table", b"plan", PURE, never)
        return b"bytes"

    assert ledger.release("table", b"plan", PURE, draw) == b"bytes"


def test_beyond_the_budget_nothing_is_drawn(site):
    ledger = site.create(epsilon="0.4")
    with pytest.raises(OverBudget):
        ledger.release("table", b"plan", PURE, never)
    assert ledger.entries == ()


def test_without_a_certificate_nothing_is_drawn(site):
    ledger = site.create(epsilon=1)
    with pytest.raises(BadParameter, match="certificate"):
        ledger.release("table", b"plan", None, never)


@pytest.mark.parametrize(("paper", "word"), [(REPLACING, "replace-one"), (OF_PERSONS, "person")])
def test_the_first_debit_fixes_relation_and_unit(site, paper, word):
    ledger = site.create(epsilon=10)
    ledger.spend("first", certificate=PURE)
    assert (ledger.neighbours, ledger.unit) == ("add-remove", "row")
    with pytest.raises(BadParameter, match=word):
        ledger.spend("second", certificate=paper)
    assert ledger.spent.epsilon == Fraction(1, 2)


def test_relation_and_unit_given_at_the_start_are_kept(site):
    ledger = site.create(epsilon=10, neighbours="replace-one", unit="row")
    with pytest.raises(BadParameter, match="add-remove"):
        ledger.spend("first", certificate=PURE)
    ledger.spend("second", certificate=REPLACING)
    ledger.spend("third", epsilon=1)
    assert ledger.entries[-1].neighbours == "replace-one"


def test_a_rho_ledger_takes_rho_and_pure_epsilon(site):
    ledger = site.create(rho="1", delta="0.000001")
    ledger.spend("rho", certificate=CONCENTRATED)
    ledger.spend("epsilon", epsilon="0.5")
    assert ledger.spent.rho == Fraction(1, 8) + Fraction(1, 8)
    assert ledger.spent.epsilon is None
    with pytest.raises(BadParameter, match="Epsilon with delta has no rho"):
        ledger.spend("both", epsilon="0.5", delta="0.0000001")


def test_an_epsilon_ledger_refuses_rho_and_says_what_to_do(site):
    ledger = site.create(epsilon=1)
    with pytest.raises(BadParameter, match="Convert the certificate"):
        ledger.spend("rho", certificate=CONCENTRATED)


BAD_COSTS = [0, -1, "-0.5", float("nan"), float("inf"), True, 10**30, None, "1e9", "1_0", [], 1j]


@pytest.mark.parametrize("cost", BAD_COSTS, ids=repr)
def test_a_bad_cost_is_refused_and_nothing_is_booked(tmp_path, cost):
    """`True` once broke a chain for ever: JSON wrote it in another way than it was counted."""
    ledger = Ledger.create(tmp_path / "budget.sqlite", epsilon=10)
    with pytest.raises(BadParameter):
        ledger.spend("name", epsilon=cost)
    with pytest.raises(BadParameter):
        ledger.release("name", b"plan", Paper(epsilon=cost), never)
    assert ledger.entries == ()
    ledger.verify()


@pytest.mark.parametrize("delta", [-1, 1, "1.5", float("nan"), True, "1e-9"], ids=repr)
def test_a_bad_delta_is_refused(tmp_path, delta):
    ledger = Ledger.create(tmp_path / "budget.sqlite", epsilon=10)
    with pytest.raises(BadParameter):
        ledger.spend("name", epsilon=1, delta=delta)
    with pytest.raises(BadParameter):
        Ledger.create(tmp_path / "other.sqlite", epsilon=10, delta=delta)
    assert ledger.entries == ()
    assert not (tmp_path / "other.sqlite").exists()


BAD_NAMES = ["", ".", "..", "../x", "a/b", "-a", "a b", "a\n", "a" * 65, "é", "\ud800", "a\0", 1]


@pytest.mark.parametrize("name", BAD_NAMES, ids=ascii)
def test_a_bad_name_is_refused(tmp_path, name):
    ledger = Ledger.create(tmp_path / "budget.sqlite", epsilon=10)
    with pytest.raises(BadParameter, match="name"):
        ledger.spend(name, epsilon=1)
    with pytest.raises(BadParameter, match="name"):
        ledger.release(name, b"plan", PURE, never)


def test_a_certificate_and_a_cost_together_are_refused(tmp_path):
    ledger = Ledger.create(tmp_path / "budget.sqlite", epsilon=10)
    with pytest.raises(BadParameter, match="both"):
        ledger.spend("name", certificate=PURE, epsilon=1)


def test_a_request_is_bytes_or_text(tmp_path):
    ledger = Ledger.create(tmp_path / "budget.sqlite", epsilon=10)
    with pytest.raises(BadParameter, match="request"):
        ledger.release("name", {"plan": 1}, PURE, never)


def test_a_ledger_is_made_once(site):
    site.create(epsilon=1)
    with pytest.raises(BadLedger, match="nothing stands"):
        site.create(epsilon=100)
    assert site.open().total.epsilon == 1


def test_a_missing_ledger_is_refused_by_name(site):
    with pytest.raises(BadLedger, match="nothing there"):
        site.open()


def test_a_pickle_carries_places_and_no_key(site):
    ledger = site.create(epsilon=1)
    packed = pickle.dumps(ledger)
    assert bytes.fromhex(site.key.read_text()) not in packed
    pickle.loads(packed).spend("from-a-pickle", epsilon=1)
    assert ledger.left.epsilon == 0
    with pytest.raises(BadLedger, match="copy"):
        pickle.dumps(ledger._book.key)
    assert site.key.read_text().strip() not in repr(ledger._book.key)


def test_threads_share_a_ledger(site):
    ledger, refused = site.create(epsilon=20), []

    def work(number):
        for attempt in range(5):
            try:
                ledger.spend(f"{number}-{attempt}", epsilon=1)
            except OverBudget:
                refused.append(attempt)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (ledger.spent.epsilon, len(refused)) == (20, 10)
    site.open().verify()


def test_files_are_their_owners_alone(tmp_path):
    """SQLite made its file readable by all before a mode could be set."""
    kept = os.umask(0)
    try:
        ledger = Ledger.create(tmp_path / "budget.sqlite", epsilon=1)
        ledger.backup(tmp_path / "backup")
    finally:
        os.umask(kept)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == 5
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    assert (tmp_path / "backup").stat().st_mode & 0o777 == 0o700


def test_key_and_witness_can_stand_elsewhere(tmp_path):
    (tmp_path / "safe").mkdir()
    words = {"key": tmp_path / "safe" / "k", "witness": tmp_path / "safe" / "w"}
    Ledger.create(tmp_path / "budget.sqlite", epsilon=1, **words).spend("a", epsilon=1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["budget.sqlite", "safe"]
    assert Ledger(tmp_path / "budget.sqlite", **words).left.epsilon == 0
    with pytest.raises(BadLedger, match="ENOENT"):
        Ledger(tmp_path / "budget.sqlite")


def test_one_path_for_two_files_is_refused(tmp_path):
    place = tmp_path / "budget.sqlite"
    with pytest.raises(BadParameter, match="three files"):
        Ledger.create(place, key=place, epsilon=1)
    assert not place.exists()
