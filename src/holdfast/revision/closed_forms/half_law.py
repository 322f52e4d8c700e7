"""The law of the first cells' total, given the total of a group of cells.

Of a + b cells of one discrete Laplace law with total s, the first a have the total x with chance
W_a(x) W_b(s - x) / W_(a+b)(s), where W_k(s) is the weight of all noise of k cells with sum s.

Claim.      The weights are those of this law, between bounds; what is not listed weighs at most
            `rest`.
Reason.     docs/theory/closed_forms.md#whole-numbers-a-group-by-halves
Checked by. tests/revision/test_halves.py
"""

from dataclasses import dataclass
from fractions import Fraction

from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.fixed_point import Fixed
from holdfast.noise.inversion import Weights
from holdfast.revision.closed_forms.group_weights import (
    cell_weights,
    exact_cell_weights,
    fallen_bits,
    first_reach,
)


@dataclass(frozen=True, slots=True)
class HalfLaw:
    """Outcomes in order: a window of totals from `start` upwards, then above and below in turn."""

    left: int  # cells
    right: int
    total: int  # of all cells, at least 0
    start: int
    columns: int
    law: DiscreteLaplace

    def part(self, outcome: int) -> int:
        """Return the first cells' total that an outcome stands for."""
        beyond = outcome - self.columns
        if beyond < 0:
            return self.start + outcome
        steps = beyond // 2
        return self.start - 1 - steps if beyond % 2 else self.start + self.columns + steps

    def weigh(self, precision: int) -> Weights:
        """Return the weights until all that follow weigh about one unit each that is listed."""
        working = precision + fallen_bits(self.law, self.total)
        reach = first_reach(self.law)
        while True:
            listed = self._listed(reach, working)
            rests = [_beyond(listed[side::2]) for side in (self.columns, self.columns + 1)]
            largest = max(weight.below for weight in listed)
            if all(rest << precision <= len(listed) * largest for rest in rests):
                return Weights(listed, sum(rests) + 1)
            reach *= 2

    def _listed(self, reach: int, precision: int) -> list[Fixed]:
        """Return the weights of the window and of so many outcomes on each side."""
        parts = [self.part(outcome) for outcome in range(self.columns + 2 * reach)]
        sizes = [(abs(x), abs(self.total - x)) for x in parts]
        far = max(max(pair) for pair in sizes)
        one = cell_weights(self.left, self.law, far, precision)
        other = (
            one if self.left == self.right else cell_weights(self.right, self.law, far, precision)
        )
        return [one[x] * other[y] for x, y in sizes]

    def cumulative(self, outcome: int) -> Fraction | None:
        """Return P(at most this outcome) for a rational ratio."""
        if self.law.ratio is None:
            return None
        parts = [self.part(place) for place in range(outcome + 1)]
        far = max(self.total, *(max(abs(x), abs(self.total - x)) for x in parts))
        one, other, whole = (
            exact_cell_weights(cells, self.law.ratio, far)
            for cells in (self.left, self.right, self.left + self.right)
        )
        below = sum((one[abs(x)] * other[abs(self.total - x)] for x in parts), Fraction(0))
        return below / whole[self.total]


def _beyond(outwards: list[Fixed]) -> int:
    """Return a bound on the weight of all that follow on one side; too large while they rise.

    The weights are log-concave: once they fall, they go on falling at least as fast.
    """
    before, last = outwards[-2].below, outwards[-1].above
    return -(-last * last // (before - last)) if last < before else 1 << 4 * last.bit_length()
