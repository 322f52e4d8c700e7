"""Where chance comes from: the operating system, a seed, or a tape. It hands out integers.

Claim.      A system source never repeats itself: not after a fork, in another thread, through a
            pickle or a copy, or in a second import.
Reason.     docs/theory/chance.md#no-repetition
Checked by. tests/foundation/test_no_repetition.py
"""

import hashlib
import os
import threading
import weakref
from collections.abc import Iterable
from typing import Literal, NoReturn, Protocol

import numpy as np

from holdfast.foundation.errors import BadChance, Fault
from holdfast.foundation.exact import whole
from holdfast.foundation.keystream import Words, keystream, next_words

Purpose = Literal["release", "simulation", "proof"]
WORD = 64
BUFFER = 1 << 13  # words: 64 KiB, one fresh key each


class Chance(Protocol):
    """A source of chance: independent words of `width` bits, each value equally likely."""

    @property
    def purpose(self) -> Purpose:
        """Return what the source is for."""

    @property
    def width(self) -> int:
        """Return the number of bits of a word."""

    def words(self, count: int) -> Words:
        """Return so many words, each uniform on 0, ..., 2**width - 1."""

    def below(self, bound: int) -> int:
        """Return each of 0, ..., bound - 1 with equal chance."""


def _refuse_pickle(source: object, protocol: object = None) -> NoReturn:
    raise BadChance(
        Fault(
            type(source).__name__,
            "a source that stays where it is",
            "an attempt to copy or pickle it",
            "Make a new source in the other place.",
        )
    )


def check_chance(chance: object) -> None:
    """Refuse what is no source of chance, such as a seed or a generator of NumPy's."""
    if not isinstance(chance, SystemChance | SeededChance | Tape):
        raise BadChance(
            Fault(
                "chance",
                "system_chance(), seeded(n) or tape(answers)",
                f"a {type(chance).__name__}",
                "Call one of these and hand over what it returns.",
            )
        )


def checked_count(chance: object, count: object) -> int:
    """Return how many draws are asked for; refuse another number, and what is no chance."""
    check_chance(chance)
    return whole(count, "count", least=0)


def check_simulation(chance: object) -> None:
    """Refuse system chance where many draws of one table are asked: each one is a release."""
    check_chance(chance)
    if isinstance(chance, SystemChance):
        raise BadChance(
            Fault(
                "draws",
                "a seed (simulation) or a tape (proof)",
                "system chance, which is for releases",
                "Use seeded(n): many draws of one table are many releases.",
            )
        )


def check_release(chance: object) -> None:
    """Refuse all but system chance: who knows a seed can take the noise away."""
    check_chance(chance)
    if not isinstance(chance, SystemChance):
        raise BadChance(
            Fault(
                "release",
                "system chance",
                "a seed or a tape, which others may know",
                "Use system_chance(); to simulate, use draw or draws.",
            )
        )


def _check_count(count: int) -> None:
    """Refuse a negative number of words: it would move a cursor back to words already used."""
    if count < 0:
        raise BadChance(
            Fault("words", "a count of at least 0", "a negative one", "Ask for some words.")
        )


def _uniform(source: Chance, bound: int) -> int:
    """Return a whole number below `bound`: as many bits as it needs, again while too large."""
    bound = whole(bound, "bound of a uniform number", least=1)
    bits = (bound - 1).bit_length()
    while True:
        number = 0
        for word in source.words(-(-bits // WORD)).tolist():
            number = number << WORD | word
        number >>= -bits % WORD
        if number < bound:
            return number


class _Buffer:
    """Words of one process, drawn ahead; a fork or a change of process takes a new one.

    A caller works on the buffer it has read, never on the source's: so two threads that find
    the process changed each have words of their own.
    """

    __slots__ = ("lock", "next", "process", "words")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.words = np.empty(0, dtype=np.uint64)
        self.next = 0
        self.process = os.getpid()

    def take(self, count: int) -> Words:
        """Return the next words, wiped from the buffer; the cursor moves before they are read."""
        with self.lock:
            if self.next + count > self.words.size:
                self.words = next_words(keystream(os.urandom(32)), BUFFER)
                self.next = 0
            start, self.next = self.next, self.next + count
            taken = self.words[start : start + count].copy()
            self.words[start : start + count] = 0
            return taken


class SystemChance:
    """Chance for releases: AES-256-CTR under keys from the operating system.

    Every refill takes a fresh key and forgets it, so nothing earlier can be computed from what
    the process holds.
    """

    __slots__ = ("__weakref__", "_buffer")
    purpose: Purpose = "release"
    width = WORD
    __reduce_ex__ = _refuse_pickle

    def __init__(self) -> None:
        self.start_afresh()
        _watch_forks(self)

    def start_afresh(self) -> None:
        """Forget all words and take a new lock, as a child process must."""
        self._buffer = _Buffer()

    def words(self, count: int) -> Words:
        """Return words that were never handed out before."""
        _check_count(count)
        if count > BUFFER // 4:
            return next_words(keystream(os.urandom(32)), count)
        buffer = self._buffer
        if buffer.process != os.getpid():
            buffer = self._buffer = _Buffer()
        return buffer.take(count)

    def below(self, bound: int) -> int:
        """Return each of 0, ..., bound - 1 with equal chance."""
        return _uniform(self, bound)

    def __repr__(self) -> str:
        return "<chance from the operating system, for releases>"


class SeededChance:
    """Chance for simulations: the same seed gives the same words, and so no privacy."""

    __slots__ = ("_lock", "_process", "_stream", "seed")
    purpose: Purpose = "simulation"
    width = WORD
    __reduce_ex__ = _refuse_pickle

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._lock = threading.Lock()
        self._stream = keystream(hashlib.sha256(b"holdfast simulation %d" % seed).digest())
        self._process = os.getpid()

    def words(self, count: int) -> Words:
        """Return the next words of the seed's stream, whatever the sizes asked before."""
        if self._process != os.getpid():
            raise BadChance(
                Fault(
                    "seeded chance",
                    "one process a seed",
                    "a source that crossed a fork and would repeat its parent's noise",
                    "Give each process its own seed.",
                )
            )
        _check_count(count)
        with self._lock:
            return next_words(self._stream, count)

    def below(self, bound: int) -> int:
        """Return each of 0, ..., bound - 1 with equal chance."""
        return _uniform(self, bound)

    def __repr__(self) -> str:
        return f"<chance from seed {self.seed}, for simulations only>"


class TapeEnded(BadChance):
    """The tape has no answer left; `bound` says how many the next question has."""

    def __init__(self, bound: int) -> None:
        self.bound = bound
        super().__init__(
            Fault("tape", f"an answer below {bound}", "the end of the tape", "Lengthen the tape.")
        )


class Tape:
    """Chance for proofs: replays given answers, so that a sampler's law can be enumerated."""

    __slots__ = ("_answers", "width")
    purpose: Purpose = "proof"

    def __init__(self, answers: Iterable[int], width: int = WORD) -> None:
        self._answers = iter(tuple(answers))
        self.width = width

    def below(self, bound: int) -> int:
        """Return the next answer."""
        answer = next(self._answers, None)
        if answer is None:
            raise TapeEnded(bound)
        return whole(answer, "answer on the tape", least=0, most=bound - 1)

    def words(self, count: int) -> Words:
        """Return the next answers as words."""
        answers = [self.below(1 << self.width) for _ in range(count)]
        return np.array(answers, dtype=np.uint64)


def system_chance() -> SystemChance:
    """Return chance for a release, seeded by the operating system."""
    return SystemChance()


def seeded(seed: int) -> SeededChance:
    """Return chance for a simulation; the same seed gives the same draws."""
    return SeededChance(whole(seed, "seed", least=0, most=2**128 - 1))


def tape(answers: Iterable[int], width: int = WORD) -> Tape:
    """Return chance that replays the given answers; words have `width` bits."""
    return Tape(answers, whole(width, "width of a word", least=1, most=WORD))


_living: "weakref.WeakSet[SystemChance]" = weakref.WeakSet()
_watching = threading.Event()


def _watch_forks(source: SystemChance) -> None:
    """Have every living source start afresh in a child process; asked of Python once."""
    _living.add(source)
    if not _watching.is_set():
        _watching.set()
        if hasattr(os, "register_at_fork"):  # there is no fork on Windows
            os.register_at_fork(after_in_child=_start_all_afresh)


def _start_all_afresh() -> None:
    for source in list(_living):
        source.start_afresh()
