"""The witness: whole lines count, cut ones do not, foreign ones are refused."""

from itertools import permutations

import pytest

from holdfast.foundation.errors import BadLedger
from holdfast.privacy.ledger import private_files
from holdfast.privacy.ledger.chain import Key
from holdfast.privacy.ledger.event import Head
from holdfast.privacy.ledger.witness import Witness, line_of

KEY = Key(bytes(32))
HEADS = [Head(seq, f"{seq:064x}", seq * 10, seq, "add-remove", "row") for seq in range(4)]
LINES = [line_of(KEY, head) for head in HEADS]


def witness(folder, content):
    (folder / "w").write_bytes(content)
    return Witness(folder / "w", KEY)


def test_the_furthest_line_counts_in_any_order(tmp_path):
    """Two processes may write their lines in another order than they committed."""
    for lines in permutations(LINES):
        assert witness(tmp_path, b"".join(lines)).last() == HEADS[3]


def test_an_empty_relation_is_carried(tmp_path):
    head = Head(0, "0" * 64, 0, 0, "", "")
    assert witness(tmp_path, line_of(KEY, head)).last() == head


def test_a_line_cut_anywhere_is_no_line_and_the_next_one_is_whole(tmp_path):
    for cut in range(len(LINES[2])):
        found = witness(tmp_path, LINES[0] + LINES[1] + LINES[2][:cut])
        assert found.last() == HEADS[1]
        found.add(HEADS[3])
        assert found.path.read_bytes() == LINES[0] + LINES[1] + LINES[3]
        assert Witness(found.path, KEY).last() == HEADS[3]


def test_a_line_is_not_added_twice(tmp_path):
    found = witness(tmp_path, LINES[0])
    for head in (HEADS[2], HEADS[2], HEADS[1]):
        found.add(head)
    assert found.path.read_bytes() == LINES[0] + LINES[2]


@pytest.mark.parametrize(
    "line",
    [
        LINES[2].replace(b" 20 ", b" 10 "),
        LINES[2][:-2] + b"x\n",
        b"\n",
        b"\xff\n",
        b"2 \n",
        line_of(Key(bytes(31) + b"\1"), HEADS[2]),
        LINES[1][:-1] + LINES[2],
        LINES[2].replace(b"\n", b"\r\n"),
    ],
)
def test_a_whole_line_that_does_not_verify_is_refused(tmp_path, line):
    with pytest.raises(BadLedger, match="key"):
        witness(tmp_path, LINES[0] + line + LINES[3]).last()


@pytest.mark.parametrize("content", [b"", LINES[0][:-1]])
def test_no_whole_line_is_a_lost_witness(tmp_path, content):
    with pytest.raises(BadLedger, match="lost"):
        witness(tmp_path, content).last()


def test_what_was_read_before_is_looked_at_again_where_it_changed(tmp_path):
    found = witness(tmp_path, b"".join(LINES[:3]))
    assert found.last() == HEADS[2]
    found.path.write_bytes(b"".join(LINES[:2]))
    assert found.last() == HEADS[1]
    found.path.write_bytes(b"".join(LINES))
    assert found.last() == HEADS[3]


def test_each_line_is_forced_to_disk(tmp_path, monkeypatch):
    forced = []
    monkeypatch.setattr(private_files.os, "fsync", lambda number: forced.append(number))
    found = witness(tmp_path, LINES[0])
    found.add(HEADS[1])
    found.add(HEADS[2])
    assert len(forced) == 2
