"""Solve linear equations in fractions."""

from fractions import Fraction


def solved(matrix, right):
    """Return a solution, free unknowns being 0, or None where there is none."""
    rows = [
        [Fraction(x) for x in row] + [Fraction(r)] for row, r in zip(matrix, right, strict=True)
    ]
    width, pivots = len(matrix[0]), []
    for column in range(width):
        place = next((k for k in range(len(pivots), len(rows)) if rows[k][column]), None)
        if place is None:
            continue
        top = len(pivots)
        rows[top], rows[place] = rows[place], rows[top]
        rows[top] = [x / rows[top][column] for x in rows[top]]
        for k, row in enumerate(rows):
            if k != top and row[column]:
                rows[k] = [x - row[column] * y for x, y in zip(row, rows[top], strict=True)]
        pivots.append(column)
    if any(row[-1] for row in rows[len(pivots) :]):
        return None
    answer = [Fraction(0)] * width
    for row, column in zip(rows, pivots, strict=False):
        answer[column] = row[-1]
    return answer
