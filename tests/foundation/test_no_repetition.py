"""Noise never repeats: forks, threads, pickles, copies, a second import.

Sixteen words of 64 bits agree by chance with probability 2**-1024.
"""

import copy
import importlib
import pickle
import subprocess
import sys
import threading

import pytest

from holdfast.foundation import randomness
from holdfast.foundation.errors import BadChance
from holdfast.foundation.randomness import SystemChance, seeded, system_chance, tape

FORKS = """
import os, sys
from holdfast.foundation.randomness import {source}
source = {make}
source.words(5)                      # the buffer is warm before the fork
readers = []
for child in range(3):
    read, write = os.pipe()
    if os.fork() == 0:
        try:
            text = " ".join(map(str, source.words(16).tolist()))
        except Exception as error:
            text = type(error).__name__
        os.write(write, text.encode())
        os._exit(0)
    os.close(write)
    readers.append(read)
print(" ".join(map(str, source.words(16).tolist())))
for read in readers:
    print(os.read(read, 65536).decode())
    os.wait()
"""


def after_forks(source: str, make: str) -> list[str]:
    """Return what the parent and its three children drew after the fork."""
    script = FORKS.format(source=source, make=make)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.splitlines()


def test_parent_and_children_draw_different_noise():
    lines = after_forks("SystemChance", "SystemChance()")
    assert len(lines) == len(set(lines)) == 4


def test_the_fork_test_barks():
    """A source without the watch and without the process check repeats itself."""
    careless = "type('Careless', (SystemChance,), {})(); import os; os.getpid = lambda: 1; "
    careless += "source._buffer.process = 1; SystemChance.start_afresh = lambda self: None"
    lines = after_forks("SystemChance", careless)
    assert len(set(lines)) < 4


def test_a_seeded_source_refuses_to_cross_a_fork():
    """A simulation in several processes would repeat itself without a word."""
    lines = after_forks("SeededChance", "SeededChance(1)")
    assert lines[1:] == ["BadChance"] * 3


@pytest.mark.parametrize("source", [system_chance(), seeded(1)])
@pytest.mark.parametrize("act", [pickle.dumps, copy.copy, copy.deepcopy])
def test_sources_refuse_pickle_and_copy(source, act):
    with pytest.raises(BadChance, match="stays where it is"):
        act(source)


def test_a_second_import_draws_different_noise():
    first = system_chance().words(16).tolist()
    again = importlib.util.spec_from_file_location("again", randomness.__file__)
    assert again is not None
    assert again.loader is not None
    module = importlib.util.module_from_spec(again)
    again.loader.exec_module(module)
    assert module.system_chance().words(16).tolist() != first


def drawn_by_threads(source: SystemChance) -> list[int]:
    """Return the words that eight threads draw from one source, one by one."""
    taken: list[list[int]] = [[] for _ in range(8)]

    def draw(mine: list[int]) -> None:
        for _ in range(500):
            mine.extend(source.words(7).tolist())

    threads = [threading.Thread(target=draw, args=(mine,)) for mine in taken]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [word for mine in taken for word in mine]


def test_threads_never_share_a_word():
    """28 000 words are all different; two of them agree by chance with probability 2.2e-11."""
    words = drawn_by_threads(system_chance())
    assert len(set(words)) == len(words) == 28_000


def test_words_are_wiped_as_they_are_handed_out():
    source = system_chance()
    source.words(10)
    assert not source._buffer.words[:10].any()
    assert source._buffer.words[10:30].all()


def test_two_sources_differ():
    assert system_chance().words(16).tolist() != system_chance().words(16).tolist()


def test_a_tape_of_words_is_what_was_given():
    assert tape([3, 1], width=2).words(2).tolist() == [3, 1]


@pytest.mark.parametrize("source", [system_chance(), seeded(1)])
def test_a_negative_count_cannot_move_the_cursor_back(source):
    source.words(5)
    with pytest.raises(BadChance, match="at least 0"):
        source.words(-5)
    assert source.words(5).all()


class Interrupted(Exception):
    """What a signal would raise in the middle of a draw."""


class Unreadable:
    """Words whose reading is interrupted."""

    size = 100

    def __getitem__(self, place):
        raise Interrupted


class ReadsFirst(randomness._Buffer):
    """A saboteur: moves the cursor after the words are read and wiped."""

    __slots__ = ()

    def take(self, count):
        with self.lock:
            taken = self.words[self.next : self.next + count].copy()
            self.words[self.next : self.next + count] = 0
            self.next += count
            return taken


def cursor_after_an_interruption(buffer) -> int:
    buffer.words = Unreadable()
    with pytest.raises(Interrupted):
        buffer.take(5)
    return buffer.next


def test_an_interruption_loses_words_and_repeats_none():
    """The cursor moves before the words are read, so they can never come again, nor as zeros."""
    assert cursor_after_an_interruption(randomness._Buffer()) == 5
    assert cursor_after_an_interruption(ReadsFirst()) == 0


def test_two_threads_after_a_silent_fork_have_words_of_their_own():
    """Each caller works on the buffer it read, so a changed process never shares one."""
    source = system_chance()
    source.words(1)
    source._buffer.process = -1
    first = source._buffer
    one = source.words(8).tolist()
    source._buffer = first
    other = source.words(8).tolist()
    assert one != other
