"""Sources of chance: uniform, reproducible where they should be, refusing what they are not for."""

from fractions import Fraction

import numpy as np
import pytest

from holdfast.foundation import keystream
from holdfast.foundation.errors import BadChance, BadParameter
from holdfast.foundation.randomness import TapeEnded, _uniform, seeded, system_chance, tape
from tests.plain.enumeration import law


def test_the_cipher_answers_the_published_question():
    """A faulty cipher is refused before it hands out a word."""
    assert keystream.answers_as_known()


def test_a_faulty_cipher_is_refused(monkeypatch):
    monkeypatch.setattr(keystream, "answers_as_known", lambda: False)
    with pytest.raises(BadChance, match="Do not release"):
        system_chance().words(1)


def test_a_seed_gives_one_stream_whatever_the_sizes():
    one, other = seeded(5), seeded(5)
    pieces = [one.words(n) for n in (0, 1, 3, 200_000, 2)]
    assert np.array_equal(np.concatenate(pieces), other.words(200_006))
    assert not np.array_equal(seeded(6).words(4), seeded(5).words(4))


@pytest.mark.parametrize("bound", [1, 2, 3, 6, 7])
def test_below_is_uniform_on_every_tape(bound):
    """The tape answers the question itself; words come in the next tests."""
    found, left = law(lambda chance: chance.below(bound), depth=1, width=3)
    assert found == {k: Fraction(1, bound) for k in range(bound)}
    assert left == 0


class Scripted:
    """A source whose words are given; `width` is 64 as for the real ones."""

    width = 64
    purpose = "proof"

    def __init__(self, words):
        self._words = iter(words)

    def words(self, count):
        return np.array([next(self._words) for _ in range(count)], dtype=np.uint64)

    def below(self, bound):
        return _uniform(self, bound)


def top(bits: int, value: int) -> int:
    """Return a word whose first bits are this value."""
    return value << (64 - bits)


def is_uniform(below) -> bool:
    """Whether a number below 5 comes from three bits, each of 0 to 4 from one, 5 to 7 from none.

    All first words are tried; a word that is not kept is followed by one that gives 2.
    """
    found = [below(Scripted([top(3, v), top(3, 2), 0]), 5) for v in range(8)]
    return found == [0, 1, 2, 3, 4, 2, 2, 2]


def test_uniform_numbers_take_the_first_bits_and_try_again():
    assert is_uniform(_uniform)


def by_remainder(source, bound):
    """Takes the remainder, which favours small numbers."""
    return int(source.words(1)[0] >> np.uint64(61)) % bound


def keeps_the_bound_itself(source, bound):
    """Takes "at most" for "below"."""
    while (number := int(source.words(1)[0] >> np.uint64(61))) > bound:
        pass
    return number


def cuts_what_is_too_large(source, bound):
    """Gives the last number the chance of all that are too large."""
    return min(int(source.words(1)[0] >> np.uint64(61)), bound - 1)


@pytest.mark.parametrize("sabotage", [by_remainder, keeps_the_bound_itself, cuts_what_is_too_large])
def test_the_uniform_test_barks(sabotage):
    assert not is_uniform(sabotage)


def test_uniform_numbers_of_many_words():
    bound = 2**100
    assert Scripted([0, 0]).below(bound) == 0
    assert Scripted([2**64 - 1, 2**64 - 1]).below(bound) == bound - 1
    assert Scripted([]).below(1) == 0


@pytest.mark.parametrize("bound", [0, -1, 2.5, True])
def test_a_bad_bound_is_refused(bound):
    with pytest.raises(BadParameter):
        system_chance().below(bound)


def test_the_tape_ends_and_says_what_it_was_asked():
    source = tape([1])
    assert source.below(2) == 1
    with pytest.raises(TapeEnded) as caught:
        source.below(6)
    assert caught.value.bound == 6


def test_an_answer_that_does_not_fit_is_refused():
    with pytest.raises(BadParameter, match="answer on the tape"):
        tape([5]).below(3)


@pytest.mark.parametrize("seed", [-1, 1.5, True, "x", 2**128])
def test_a_bad_seed_is_refused(seed):
    with pytest.raises(BadParameter, match="seed"):
        seeded(seed)


def test_each_source_says_what_it_is_for():
    assert system_chance().purpose == "release"
    assert seeded(1).purpose == "simulation"
    assert tape([]).purpose == "proof"
    assert "simulations only" in repr(seeded(1))


def test_bits_are_balanced():
    """Each of 64 bits in 200 000 words: false alarm 1e-9 for all together (Hoeffding)."""
    words = system_chance().words(200_000)
    allowed = np.sqrt(np.log(2 * 64 / 1e-9) / (2 * words.size))
    shares = [float(((words >> np.uint64(bit)) & np.uint64(1)).mean()) for bit in range(64)]
    assert max(abs(share - 0.5) for share in shares) < allowed < 0.008
