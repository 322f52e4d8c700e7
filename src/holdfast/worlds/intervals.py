"""Rules that speak of one node each: decided by intervals, bottom up, for trees of any size.

Claim.      The rules can all hold exactly if no node's interval is empty.
Reason.     docs/theory/invariants.md#intervals
Checked by. tests/worlds/test_feasibility.py
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from holdfast.worlds.rules import Linear, Nonnegative, Rule, Sums, Total
from holdfast.worlds.spine import Spine

Low = Fraction | None  # None: no bound
High = Fraction | None


@dataclass(slots=True)
class _Ends:
    """The tightest bounds that rules put on each node by itself."""

    low: dict[int, Fraction] = field(default_factory=dict)
    high: dict[int, Fraction] = field(default_factory=dict)

    def raise_low(self, node: int, bound: Fraction) -> None:
        self.low[node] = max(bound, self.low.get(node, bound))

    def lower_high(self, node: int, bound: Fraction) -> None:
        self.high[node] = min(bound, self.high.get(node, bound))


def intervals_meet(rules: Iterable[Rule], spine: Spine | None) -> bool:
    """Return whether numbers exist that obey all these rules."""
    chosen = list(rules)
    ends = _Ends()
    for rule in chosen:
        match rule:
            case Total(value):
                _bound(ends, 0, Fraction(value), "=", 1)
            case Linear(row, relation):
                node, coefficient = row.terms[0]
                _bound(ends, node, Fraction(row.right, coefficient), relation, coefficient)
            case _:
                pass
    floor = Fraction(0) if any(isinstance(rule, Nonnegative) for rule in chosen) else None
    if spine is not None and any(isinstance(rule, Sums) for rule in chosen):
        return _sums_meet(ends, spine, floor)
    return all(_meet(ends.low.get(v), floor, ends.high.get(v)) for v in ends.low | ends.high)


def _bound(ends: _Ends, node: int, bound: Fraction, relation: str, coefficient: int) -> None:
    """Enter node = bound, or coefficient * node >= coefficient * bound."""
    if relation == "=" or coefficient > 0:
        ends.raise_low(node, bound)
    if relation == "=" or coefficient < 0:
        ends.lower_high(node, bound)


def _meet(low: Low, floor: Low, high: High) -> bool:
    """Return whether a number lies above both lower bounds and below the upper one."""
    lows = [bound for bound in (low, floor) if bound is not None]
    return not lows or high is None or max(lows) <= high


def _sums_meet(ends: _Ends, spine: Spine, floor: Low) -> bool:
    """Go up the spine; each node's interval is what its parts can add up to and its own allow."""
    lows: dict[int, Low] = {}
    highs: dict[int, High] = {}
    for node in reversed(spine.nodes):
        parts_low = [lows[under] for under in spine.below[node]]
        parts_high = [highs[under] for under in spine.below[node]]
        if spine.has_leaves_of_its_own(node):
            parts_low.append(floor)
            parts_high.append(None)
        low = [_total(parts_low), ends.low.get(node), floor]
        high = [_total(parts_high), ends.high.get(node)]
        lows[node] = max((bound for bound in low if bound is not None), default=None)
        highs[node] = min((bound for bound in high if bound is not None), default=None)
        if not _meet(lows[node], None, highs[node]):
            return False
    return True


def _total(parts: list[Fraction | None]) -> Fraction | None:
    """Return the sum of bounds, or None where one of them is missing."""
    return None if any(part is None for part in parts) else sum(filter(None, parts), Fraction(0))
