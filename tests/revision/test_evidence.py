"""What a sampler says of itself is not less than the truth."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from holdfast.foundation.bounds import exp_bounds
from holdfast.revision.evidence import WithinTotalVariation

Bound = Callable[[WithinTotalVariation], Fraction]


def worst_excess(bound: Bound, cases: int = 300) -> Fraction:
    """The largest distance over its bound, on laws cut and bent as far as the words allow."""
    rng = np.random.default_rng(5)
    worst = Fraction(0)
    for _ in range(cases):
        weights = [Fraction(int(w)) for w in rng.integers(1, 50, 6)]
        law = [w / sum(weights) for w in weights]
        kept = int(rng.integers(3, 7))
        cut = sum(law[kept:], Fraction(0))
        given = [p / (1 - cut) for p in law[:kept]] + [Fraction(0)] * (6 - kept)
        factor = Fraction(int(rng.integers(100, 140)), 100)
        bent = [p * (factor if i % 2 else 1 / factor) for i, p in enumerate(given)]
        scale = sum(bent)
        bent = [p / scale for p in bent]
        ratios = [b / g for b, g in zip(bent, given, strict=True) if g]
        largest = max(*ratios, *(1 / r for r in ratios))
        rounding = Fraction(int((float(largest) - 1) * 1e6) + 1, 10**6)  # e**x >= 1 + x
        assert exp_bounds(rounding, 30).below >= largest
        distance = sum(abs(b - p) for b, p in zip(bent, law, strict=True)) / 2
        if distance:
            worst = max(worst, distance / bound(WithinTotalVariation(cut, rounding)))
    return worst


def test_the_bound_holds() -> None:
    assert worst_excess(lambda evidence: evidence.bound) <= 1


@pytest.mark.parametrize(
    "forgets",
    [
        lambda e: e.bound / 2,
        lambda e: e.truncation + Fraction(1, 10**9),
        lambda e: e.bound - e.truncation + Fraction(1, 10**9),
    ],
)
def test_the_test_barks(forgets: Bound) -> None:
    assert worst_excess(forgets) > 1
