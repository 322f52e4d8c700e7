"""Which rows of whole numbers follow from those before them. Exact, and quick on trees.

A cell that stands in one row alone frees that row: no sum of rows in which it takes part is 0.
Such rows are laid aside, again and again; what is left is taken up equation by equation.

Claim.      A row is left out exactly if it is a sum of multiples of the rows before it.
Reason.     docs/theory/chains.md#rows-that-follow-from-others
Checked by. tests/solvers/test_gram.py
"""

from collections.abc import Sequence

from holdfast.worlds.exact_program import Condition, Variable
from holdfast.worlds.exact_rows import Row
from holdfast.worlds.independence import Equations

Terms = dict[Variable, int]


def terms_of(row: Row) -> Terms:
    """Return the coefficient of each cell; a cell named twice has the sum of both."""
    terms: Terms = {}
    for cell, coefficient in row.terms:
        terms[cell] = terms.get(cell, 0) + coefficient
    return {cell: coefficient for cell, coefficient in terms.items() if coefficient}


def independent_rows(rows: Sequence[Row]) -> tuple[int, ...]:
    """Return the numbers of the rows that do not follow from those before them."""
    terms = [terms_of(row) for row in rows]
    free = _free_rows(terms)
    equations = Equations()
    kept = [
        number
        for number, row in enumerate(terms)
        if number in free or equations.add(Condition(row, "=", 0))
    ]
    return tuple(kept)


def _free_rows(terms: Sequence[Terms]) -> set[int]:
    """Return the rows that are laid aside, each for a cell that no remaining row has."""
    users: dict[Variable, set[int]] = {}
    for number, row in enumerate(terms):
        for cell in row:
            users.setdefault(cell, set()).add(number)
    lonely = [cell for cell, rows in users.items() if len(rows) == 1]
    free: set[int] = set()
    while lonely:
        for number in users[lonely.pop()] - free:  # at most one; none if it went for another cell
            free.add(number)
            for cell in terms[number]:
                users[cell].discard(number)
                if len(users[cell]) == 1:
                    lonely.append(cell)
    return free
