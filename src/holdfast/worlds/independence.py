"""Equations taken up one by one: whether each says something new. Exact, sparse."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from holdfast.worlds.exact_program import Condition, Variable

Terms = dict[Variable, Fraction]


@dataclass(slots=True)
class _Line:
    """A solved variable: constant minus the sum of coefficient times free variable."""

    terms: Terms
    constant: Fraction


class Equations:
    """A growing set of independent equations, each solved for one variable of its own.

    Solved variables stand on no right side, so taking one up costs one pass over the others.
    """

    __slots__ = ("_solved", "_used_in", "contradicted")

    def __init__(self) -> None:
        self._solved: dict[Variable, _Line] = {}
        self._used_in: dict[Variable, set[Variable]] = {}
        self.contradicted = False

    def add(self, condition: Condition) -> bool:
        """Take up an equation; return whether it is independent of those before it."""
        terms, right = self._reduce(condition.terms, condition.right)
        if not terms:
            self.contradicted |= right != 0
            return False
        variable = min(terms, key=lambda v: len(self._used_in.get(v, ())))
        scale = terms.pop(variable)
        line = _Line({v: value / scale for v, value in terms.items()}, right / scale)
        for user in self._used_in.pop(variable, set()):
            self._put(user, variable, line)
        self._solved[variable] = line
        for other in line.terms:
            self._used_in.setdefault(other, set()).add(variable)
        return True

    def _reduce(self, terms: Mapping[Variable, int], right: int) -> tuple[Terms, Fraction]:
        """Return the equation with every solved variable replaced."""
        left: Terms = {}
        side = Fraction(right)
        for variable, value in terms.items():
            line = self._solved.get(variable)
            if line is None:
                _add(left, variable, Fraction(value))
                continue
            side -= value * line.constant
            for other, share in line.terms.items():
                _add(left, other, -value * share)
        return left, side

    def _put(self, user: Variable, variable: Variable, line: _Line) -> None:
        """Replace a newly solved variable in the line of another."""
        mine = self._solved[user]
        share = mine.terms.pop(variable)
        mine.constant -= share * line.constant
        for other, value in line.terms.items():
            _add(mine.terms, other, -share * value)
            users = self._used_in.setdefault(other, set())
            users.add(user) if other in mine.terms else users.discard(user)


def _add(terms: Terms, variable: Variable, value: Fraction) -> None:
    """Add to a coefficient; one that becomes 0 disappears."""
    total = terms.get(variable, Fraction(0)) + value
    if total:
        terms[variable] = total
    else:
        terms.pop(variable, None)
