"""Backups, restores and moves: nothing spent is forgotten, and one place at most spends."""

import shutil
from fractions import Fraction

import pytest
from benchmarks.faults import kills
from benchmarks.faults.site import Site

from holdfast.foundation.errors import BadLedger, BadParameter, Burnt
from holdfast.privacy.ledger.ledger import Ledger
from holdfast.privacy.ledger.sqlite_store import SqliteStore
from tests.privacy.ledger.papers import PURE


def never():
    raise AssertionError("drawn although nothing was granted")


def made(site):
    ledger = site.create(epsilon=10)
    ledger.spend("first", epsilon=1)
    site.release(ledger, "table")
    return ledger


def test_a_backup_comes_back_as_it_was(site, tmp_path):
    ledger = made(site)
    ledger.backup(tmp_path / "backup")
    found = sorted(path.name for path in (tmp_path / "backup").iterdir())
    assert found == ["ledger.sqlite", "ledger.witness"]
    restored = Ledger.restore(
        tmp_path / "backup", tmp_path / "back.sqlite", key=site.key, witness=site.witness
    )
    assert restored.entries == ledger.entries
    assert site.release(restored, "table") == site.release(ledger, "table")
    restored.verify()


def test_what_was_spent_after_a_backup_is_booked_as_lost(site, tmp_path):
    ledger = made(site)
    ledger.backup(tmp_path / "backup")
    ledger.spend("late", epsilon="2.5", delta="0.0000000000001")
    due = ledger.spent
    restored = Ledger.restore(
        tmp_path / "backup", tmp_path / "back.sqlite", key=site.key, witness=site.witness
    )
    assert restored.spent == due
    lost = restored.entries[-1]
    assert (lost.state, lost.cost.epsilon) == ("lost", Fraction(5, 2))
    restored.spend("further", epsilon=1)
    restored.verify()
    with pytest.raises(BadLedger):
        ledger.spend("on-the-old-one", epsilon=1)


def test_a_release_whose_sealing_was_lost_is_burnt(tmp_path):
    site = Site(tmp_path)
    ledger = site.create(epsilon=10)

    def draw():
        ledger.backup(tmp_path / "backup")
        return b"bytes"

    ledger.release("table", b"plan", PURE, draw)
    restored = Ledger.restore(
        tmp_path / "backup", tmp_path / "back.sqlite", key=site.key, witness=site.witness
    )
    with pytest.raises(Burnt):
        restored.release("table", b"plan", PURE, never)
    assert restored.spent.epsilon == Fraction(1, 2)


def test_the_lost_relation_is_kept(tmp_path):
    """Otherwise a restored ledger would take a second relation beside the forgotten one."""
    site = Site(tmp_path)
    ledger = site.create(epsilon=10)
    ledger.backup(tmp_path / "backup")
    ledger.spend("first", certificate=PURE)
    restored = Ledger.restore(
        tmp_path / "backup", tmp_path / "back.sqlite", key=site.key, witness=site.witness
    )
    assert (restored.neighbours, restored.unit) == ("add-remove", "row")


@pytest.mark.parametrize("lost", ["key", "witness"])
def test_without_key_or_witness_no_backup_comes_back(tmp_path, lost):
    site = Site(tmp_path)
    made(site).backup(tmp_path / "backup")
    (site.folder / f"budget.sqlite.{lost}").unlink()
    (site.folder / "budget.sqlite").unlink()
    with pytest.raises(BadLedger, match="ENOENT"):
        Ledger.restore(tmp_path / "backup", site.place)
    assert not (site.folder / "budget.sqlite").exists()


def test_another_ledgers_witness_is_refused(tmp_path):
    site, other = Site(tmp_path / "one"), Site(tmp_path / "other")
    made(site).backup(tmp_path / "backup")
    made(other)
    with pytest.raises(BadLedger):
        Ledger.restore(tmp_path / "backup", tmp_path / "b", key=site.key, witness=other.witness)


def test_a_witness_of_another_branch_is_refused(tmp_path):
    """The same key, but other events since the same start."""
    site = Site(tmp_path / "one")
    ledger = site.create(epsilon=10)
    shutil.copytree(site.folder, tmp_path / "branch")
    branch = Site(tmp_path / "branch")
    ledger.spend("first", epsilon=1)
    ledger.backup(tmp_path / "backup")
    for number in range(3):
        branch.open().spend(f"other-{number}", epsilon=1)
    with pytest.raises(BadLedger, match="other events"):
        Ledger.restore(tmp_path / "backup", tmp_path / "b", key=site.key, witness=branch.witness)


def test_a_backup_is_not_written_over_another(tmp_path):
    ledger = made(Site(tmp_path))
    ledger.backup(tmp_path / "backup")
    with pytest.raises(BadLedger, match="nothing stands"):
        ledger.backup(tmp_path / "backup")


def test_a_damaged_ledger_is_not_backed_up(site, tmp_path):
    ledger = made(site)
    site.statements(["DELETE FROM outputs"])
    with pytest.raises(BadLedger, match="missing"):
        ledger.backup(tmp_path / "backup")
    assert not (tmp_path / "backup").exists()


def test_a_moved_ledger_goes_on_in_one_place(site, tmp_path):
    old = made(site)
    (tmp_path / "new").mkdir()
    place = tmp_path / "new" / "budget.sqlite"
    new = old.move(place)
    assert site.release(new, "table") == site.release(old, "table")
    new.spend("there", epsilon=1)
    assert new.spent.epsilon == 3
    for ledger in (old, site.open()):
        with pytest.raises(BadLedger, match=r"moved to 'budget\.sqlite'"):
            ledger.spend("here", epsilon=1)
        assert "moved" in repr(ledger)
    assert Ledger(place).spent.epsilon == 3
    new.verify()
    with pytest.raises(BadLedger):
        old.move(tmp_path / "third.sqlite")


def test_a_ledger_moves_to_a_server_and_back(site_on, tmp_path):
    site, server = Site(tmp_path), site_on(tmp_path / "unused")
    made(site)
    there = site.open().move(server.address)
    there.spend("there", epsilon=1)
    (tmp_path / "new").mkdir()
    back = there.move(tmp_path / "new" / "budget.sqlite")
    assert [entry.name for entry in back.entries] == ["first", "table", "there"]
    back.verify()
    with pytest.raises(BadLedger):
        site.open()


def test_a_draw_under_way_while_the_ledger_moves_is_burnt_there(tmp_path):
    site = Site(tmp_path)
    ledger, moved = site.create(epsilon=1), []

    def draw():
        moved.append(site.open().move(tmp_path / "new.sqlite"))
        return b"bytes"

    with pytest.raises(BadLedger, match="moved"):
        ledger.release("table", b"plan", PURE, draw)
    with pytest.raises(Burnt):
        moved[0].release("table", b"plan", PURE, never)
    assert moved[0].spent.epsilon == Fraction(1, 2)


def test_a_backup_comes_back_on_a_server(site_on, tmp_path):
    site = Site(tmp_path)
    ledger = made(site)
    ledger.backup(tmp_path / "backup")
    ledger.spend("late", epsilon=1)
    address = site_on(tmp_path).address
    restored = Ledger.restore(tmp_path / "backup", address, key=site.key, witness=site.witness)
    assert restored.spent.epsilon == 3
    assert [site.answer(restored, "table").hex()] == site.draws("table")
    restored.verify()


def test_a_backup_does_not_bring_back_the_place_that_a_ledger_left(tmp_path):
    """Two places would spend, and the old one would know nothing of the new one's debits."""
    site = Site(tmp_path / "old")
    ledger = made(site)
    ledger.backup(tmp_path / "backup")
    moved = ledger.move(tmp_path / "new.sqlite")
    moved.spend("there", epsilon=5)
    with pytest.raises(BadLedger, match="move away"):
        Ledger.restore(tmp_path / "backup", tmp_path / "back", key=site.key, witness=site.witness)
    witness = tmp_path / "new.sqlite.witness"
    back = Ledger.restore(tmp_path / "backup", tmp_path / "back", key=site.key, witness=witness)
    assert back.spent.epsilon == 7


def test_a_move_onto_something_is_refused_and_the_old_place_goes_on(tmp_path):
    site = Site(tmp_path)
    old = made(site)
    (tmp_path / "taken").write_text("something")
    with pytest.raises(BadLedger, match="nothing stands"):
        old.move(tmp_path / "taken")
    old.spend("still", epsilon=1)


def test_a_move_to_where_nothing_can_be_made_leaves_the_old_place_open(tmp_path):
    old = made(Site(tmp_path))
    with pytest.raises(BadLedger, match="ENOENT"):
        old.move(tmp_path / "nowhere" / "budget.sqlite")
    old.spend("still", epsilon=1)


def test_a_move_cut_short_is_done_again(tmp_path, monkeypatch):
    """The disk of the new place fills up after the old one is closed."""
    old = made(Site(tmp_path))
    with monkeypatch.context() as broken:
        broken.setattr(SqliteStore, "make", lambda store, writing: store.path / writing)
        with pytest.raises(TypeError):
            old.move(tmp_path / "new.sqlite")
    with pytest.raises(BadLedger, match="moved"):
        old.spend("here", epsilon=1)
    assert not list(tmp_path.glob("new*"))
    old.move(tmp_path / "new.sqlite").spend("there", epsilon=1)


def test_a_server_needs_paths_of_key_and_witness(postgres):
    with pytest.raises(BadParameter, match="key"):
        Ledger.create(postgres, epsilon=1)


@pytest.mark.parametrize("fault", [kills.while_making, kills.while_moving, kills.while_restoring])
def test_a_crash_at_any_step_is_survived(in_memory, fault):
    assert fault(in_memory, 1).failures == []
