"""From rows to a release: what is spent, what is written, and what is refused before.

If this failed, budget would be spent for nothing, or bytes given away that were not paid for.
"""

import json
from fractions import Fraction

import duckdb
import pytest

import holdfast as hf
from holdfast.foundation.errors import BadPlan, HoldfastError, OverBudget
from holdfast.publication import publish as room
from holdfast.publication.checking.verify import verify
from holdfast.publication.plan.reading import read_plan
from holdfast.publication.publish import publish, rehearse
from tests.publication.places import ROWS, furnished
from tests.publication.samples import PLAN, changed

FILES = {"table.csv", "table.csv-metadata.json", "table.parquet", "report.html", "record.json"}


def contents(folder):
    return {entry.name: entry.read_bytes() for entry in folder.iterdir()}


def spent(folder):
    return hf.Ledger(folder / "budget.sqlite").spent


@pytest.fixture
def place(tmp_path):
    furnished(tmp_path / "home")
    return tmp_path / "home"


def test_a_release_is_written_booked_and_holds(place, tmp_path):
    done = publish(read_plan(place / "plan.toml"), tmp_path / "out")
    assert set(contents(tmp_path / "out")) == FILES
    assert [f for f in verify(tmp_path / "out") if not f.holds] == []
    assert done.certificate.epsilon == 1
    assert "epsilon 1," in str(spent(place))
    record = json.loads((tmp_path / "out" / "record.json").read_text())
    assert record["certificate"]["epsilon"] == "1"
    assert record["rehearsal"] is False


def test_a_notebook_shows_the_report(place, tmp_path):
    frame = publish(place / "plan.toml", str(tmp_path / "out"))._repr_html_()
    assert frame.startswith("<iframe")
    assert "<script" not in frame
    assert "&lt;html" in frame.lower()


def test_narrow_noise_shows_the_counts_of_the_rows(place, tmp_path):
    """At epsilon 900 noise is 0 but for a chance of e**-300 a node."""
    furnished(place, changed(PLAN, ('epsilon = "1"', 'epsilon = "900"')))
    (place / "budget.sqlite").unlink()
    for leftover in place.glob("budget.sqlite*"):
        leftover.unlink()
    hf.Ledger.create(place / "budget.sqlite", epsilon="1000")
    publish(read_plan(place / "plan.toml"), tmp_path / "out")
    found = duckdb.sql(f"SELECT * FROM read_csv('{tmp_path}/out/table.csv', all_varchar=true)")
    counts = {(b or "", z or ""): int(v) for b, z, v, *_ in found.fetchall()}
    assert counts["", ""] == sum(ROWS.values())
    assert {path: counts[path] for path in ROWS} == ROWS


def test_the_same_name_and_plan_give_the_same_bytes_and_cost_nothing(place, tmp_path):
    plan = read_plan(place / "plan.toml")
    publish(plan, tmp_path / "one")
    before = spent(place)
    publish(plan, tmp_path / "one")
    (place / "trips.csv").unlink()
    done = publish(plan, tmp_path / "two")
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    assert spent(place) == before
    assert "before" in done.kind


def test_the_same_name_with_another_plan_is_refused(place, tmp_path):
    publish(read_plan(place / "plan.toml"), tmp_path / "one")
    furnished(place, changed(PLAN, ("nonnegative = true", "nonnegative = false")))
    with pytest.raises(HoldfastError, match="name"):
        publish(read_plan(place / "plan.toml"), tmp_path / "two")
    furnished(place)
    (place / "zones.csv").write_text("Borough,Zone\nA,a\nA,b\nB,c\n")
    with pytest.raises(HoldfastError, match="name"):
        publish(read_plan(place / "plan.toml"), tmp_path / "two")
    assert not (tmp_path / "two").exists()


def test_the_budget_holds(place, tmp_path):
    text = changed(PLAN, ('epsilon = "1"', 'epsilon = "4"'))
    for number in (1, 2):
        furnished(place, changed(text, ("trips-2022-02", f"trips-{number}")))
        publish(read_plan(place / "plan.toml"), tmp_path / str(number))
    furnished(place, changed(text, ("trips-2022-02", "trips-3")))
    with pytest.raises(OverBudget, match="left"):
        publish(read_plan(place / "plan.toml"), tmp_path / "3")
    assert not (tmp_path / "3").exists()


PUBLIC_FAULTS = {
    "no ledger": ('ledger = "budget.sqlite"', 'ledger = "none.sqlite"'),
    "no source": ('source = "trips.csv"', 'source = "none.csv"'),
    "no domain": ('domain = "zones.csv"', 'domain = "none.csv"'),
    "no such column": ('levels = ["Borough", "Zone"]', 'levels = ["Boruogh", "Zone"]'),
    "inequalities revised": ("[rules]", '[method]\nstreet = ["revise"]\n\n[rules]'),
}


@pytest.mark.parametrize("case", PUBLIC_FAULTS)
def test_public_faults_are_refused_before_the_debit_and_before_any_row(
    place, tmp_path, monkeypatch, case
):
    furnished(place, changed(PLAN, PUBLIC_FAULTS[case]))
    read = []
    monkeypatch.setattr(room, "count", lambda *words: read.append(words))
    with pytest.raises(HoldfastError) as error:
        publish(read_plan(place / "plan.toml"), tmp_path / "out")
    assert all(fault.remedy for fault in error.value.faults)
    assert read == []
    assert "epsilon 0," in str(spent(place))
    assert not (tmp_path / "out").exists()


def test_a_folder_of_others_is_refused_before_the_debit(place, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("x")
    with pytest.raises(BadPlan, match="--out"):
        publish(read_plan(place / "plan.toml"), tmp_path / "out")
    assert "epsilon 0," in str(spent(place))


def test_what_breaks_in_the_draw_stays_paid_and_is_never_drawn_again(place, tmp_path, monkeypatch):
    plan = read_plan(place / "plan.toml")

    def breaks(*words):
        raise MemoryError

    monkeypatch.setattr(room, "count", breaks)
    with pytest.raises(MemoryError):
        publish(plan, tmp_path / "out")
    monkeypatch.undo()
    assert "epsilon 1," in str(spent(place))
    with pytest.raises(HoldfastError, match="trips-2022-02"):
        publish(plan, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_rehearsal_touches_neither_data_nor_ledger(place, tmp_path, monkeypatch):
    (place / "trips.csv").unlink()
    for leftover in place.glob("budget.sqlite*"):
        leftover.unlink()
    done = rehearse(read_plan(place / "plan.toml"), tmp_path / "out")
    assert "REHEARSAL" in done.kind
    record = json.loads((tmp_path / "out" / "record.json").read_text())
    assert record["rehearsal"] is True
    assert "REHEARSAL" in (tmp_path / "out" / "report.html").read_text()
    assert "rehearsal" in verify(tmp_path / "out")[0].found


def test_rho(tmp_path):
    text = changed(PLAN, ('epsilon = "1"', 'rho = "0.1"'))
    text += '\n[method]\nnoise = "discrete-gaussian"\n'
    home = tmp_path / "home"
    home.mkdir()
    hf.Ledger.create(home / "budget.sqlite", rho="1")
    furnished(home, text)
    done = publish(read_plan(home / "plan.toml"), tmp_path / "out")
    assert done.certificate.rho == Fraction(1, 10)
    assert [f for f in verify(tmp_path / "out") if not f.holds] == []


def test_a_public_total(tmp_path):
    text = changed(
        PLAN,
        ('"add-remove"', '"replace-one"'),
        ("nonnegative = true\n", "nonnegative = true\ntotal = 60\n"),
    )
    furnished(tmp_path / "home", text)
    done = publish(read_plan(tmp_path / "home" / "plan.toml"), tmp_path / "out")
    assert done.certificate.facts == ("total = 60",)
    first = (tmp_path / "out" / "table.csv").read_text().splitlines()[1]
    assert first == ",,60,60,60,0"


def test_a_total_that_the_data_contradict_stops_with_a_fixed_text(tmp_path):
    text = changed(
        PLAN,
        ('"add-remove"', '"replace-one"'),
        ("nonnegative = true\n", "nonnegative = true\ntotal = 61\n"),
    )
    furnished(tmp_path / "home", text)
    with pytest.raises(HoldfastError) as error:
        publish(read_plan(tmp_path / "home" / "plan.toml"), tmp_path / "out")
    assert "60" not in str(error.value)
    assert not (tmp_path / "out").exists()


def test_no_row_is_read_before_the_debit_is_in_the_ledger(place, tmp_path, monkeypatch):
    seen = []
    honest = room.count

    def watched(*words):
        seen.append(len(hf.Ledger(place / "budget.sqlite").entries))
        return honest(*words)

    monkeypatch.setattr(room, "count", watched)
    publish(read_plan(place / "plan.toml"), tmp_path / "out")
    assert seen == [1]
