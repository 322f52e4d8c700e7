"""Losses after an update: what it leaves, what it saves, and the limit of plain-update."""

from fractions import Fraction
from itertools import product

import numpy as np

from tests.plain import exact_loss
from tests.plain.exact_loss import Case, worst_ratio
from tests.plain.loss_windows import noises, weight, within
from tests.plain.update_loss import revised_weight, updated_law, updated_loss

HALF, THIRD, MIXED = (
    Fraction(1, 2),
    Fraction(1, 3),
    (Fraction(3, 5), Fraction(1, 3), Fraction(1, 2)),
)
STAR, ROW, GROUPS = (("a",), ("b",)), (("a",), ("b",), ("c",)), (("a", "a"), ("a", "b"), ("b",))
ROOT = ((),)


def test_the_update_leaves_tables_without_zeros_to_themselves():
    """No other table of a window has such an image: what `reaches` rests on."""
    for paths, pinned in product((STAR, (("a", "a"), ("a", "b"))), ((), ROOT)):
        case = Case(paths, MIXED, "replace-one", 1, pinned, "revise-update", 4)
        law, _ = updated_law(case, (2, 1), 5)
        free = {
            tuple(x + u for x, u in zip((2, 1), leaves, strict=True)): weight(case, nodes)
            for leaves, nodes in noises(case, 5)
        }
        inner = [z for z in law if min(z) >= 1]
        assert len(inner) >= 2
        assert all(law[z] == free[z] / revised_weight(case) for z in inner)


def test_what_revise_update_reaches():
    """With room the update saves nothing; where every table has a zero it may: 14/5, not 4."""
    room = Case(ROW, (HALF,) * 2, "replace-one", 1, ROOT, "revise-update", 3)
    assert worst_ratio(room) == (4, 4)
    assert within(Fraction(4), updated_loss(room, (2, 1, 1), (1, 2, 1), 8))
    tight = Case(ROW, (HALF,) * 2, "replace-one", 1, ROOT, "revise-update", 1)
    found = updated_loss(tight, (1, 0, 0), (0, 1, 0), 10)
    assert worst_ratio(tight) == (1, 4)
    assert within(Fraction(14, 5), found)
    assert found.above < 3


def test_a_twin_that_always_reaches_is_seen(monkeypatch):
    monkeypatch.setattr(exact_loss, "reaches", lambda case, move: True)
    tight = Case(ROW, (HALF,) * 2, "replace-one", 1, ROOT, "revise-update", 1)
    assert worst_ratio(tight).below > updated_loss(tight, (1, 0, 0), (0, 1, 0), 8).above


def chain_loss(ratios, steps, places):
    """Return the largest quotient on a root with one leaf, both noisy, updated to their mean.

    The images of y are those of y + k (steps[0], -steps[1]); the sums over k are in floats.
    """
    near = np.arange(-400, 401)

    def image(y):
        powers = np.log([float(q) for q in ratios])
        return np.exp(
            powers[0] * abs(y + near * steps[0]) + powers[1] * abs(y - near * steps[1])
        ).sum()

    return max(image(y) / image(y + 1) for y in places)


def test_plain_update_comes_near_the_plain_loss_with_equal_laws_only():
    """A chain of two nodes: 4 as a limit where the laws are alike; less where they are not."""
    case = Case((("a",),), (HALF, HALF), "add-remove", 1, (), "plain-update", 1)
    assert worst_ratio(case) == (4, 4)
    assert 3.9 < chain_loss((HALF, HALF), (1, 1), range(100)) < 4
    # weights 1/4 and 2/3, in the ratio 3 to 8: k (8, -3) is what the update does not see
    case = Case((("a",),), (HALF, THIRD), "add-remove", 1, (), "plain-update", 1)
    assert worst_ratio(case) == (1, 6)
    assert chain_loss((HALF, THIRD), (8, 3), range(-60, 60)) < 5.999
