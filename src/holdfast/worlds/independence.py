"""Equations taken up one by one: whether each says something new. Exact, sparse."""

from collections.abc import Mapping
from fractions import Fraction

from holdfast.worlds.exact_program import Condition, Variable

Line = tuple[dict[Variable, Fraction], Fraction]


class Equations:
    """A growing set of independent equations, each solved for one variable of its own."""

    __slots__ = ("_solved", "contradicted")

    def __init__(self) -> None:
        self._solved: dict[Variable, Line] = {}
        self.contradicted = False

    def add(self, condition: Condition) -> bool:
        """Take up an equation; return whether it is independent of those before it."""
        terms, right = self._reduce(condition.terms, condition.right)
        if not terms:
            self.contradicted |= right != 0
            return False
        variable, scale = next(iter(terms.items()))
        line = {other: value / scale for other, value in terms.items() if other != variable}
        self._solved[variable] = (line, right / scale)
        return True

    def _reduce(self, terms: Mapping[Variable, int], right: int) -> Line:
        """Return the equation with every solved variable replaced."""
        left: dict[Variable, Fraction] = {}
        side = Fraction(right)
        pending = [(variable, Fraction(value)) for variable, value in terms.items()]
        while pending:
            variable, value = pending.pop()
            if variable not in self._solved:
                left[variable] = left.get(variable, Fraction(0)) + value
                continue
            line, constant = self._solved[variable]
            side -= value * constant
            pending.extend((other, -value * share) for other, share in line.items())
        return {variable: value for variable, value in left.items() if value}, side
