"""Noise on a tree given the sums, and given that no count of the noisy table is below 0.

A leaf of count x has the message r**|s| for s >= -x and 0 below; the rest is as for equalities,
but each table has messages of its own. All ranges are fixed by public things, every table takes
the same steps over arrays of the same size, and nothing ends early.

Claim.      A draw has the conditional law up to the truncation and rounding that the evidence
            states, whatever the table.
Reason.     docs/theory/inequalities.md
Checked by. tests/revision/test_nonnegative_messages.py
"""

from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from holdfast.foundation.bounds import Bounds, exp_bounds
from holdfast.foundation.errors import BadParameter, BadTable, Fault
from holdfast.foundation.randomness import Chance, checked_count
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.revision.evidence import WithinTotalVariation
from holdfast.revision.inequalities.geometry import Join, Node, steps_of
from holdfast.revision.inequalities.reach import Reach, reach_of
from holdfast.revision.inequalities.split import split
from holdfast.revision.inequalities.wide import Wide, fractions_of, wide_weights
from holdfast.revision.messages.message import ROUNDING
from holdfast.revision.noisy_tree import NoisyTree

Integers = npt.NDArray[np.int64]


class NonnegativeMessages:
    """Draws noise for one table at a time; everything but `noise_for` is public."""

    def __init__(self, noisy: NoisyTree) -> None:
        laws = [law for law in noisy.laws if isinstance(law, DiscreteLaplace)]
        if len(laws) < len(noisy.laws):
            raise BadParameter(
                Fault(
                    "laws",
                    "discrete Laplace laws, where noise is conditioned on nonnegative",
                    "another law",
                    "Revise on the sums and update onto nonnegative, which costs nothing.",
                )
            )
        self._tree = noisy.tree
        self._is_pinned = noisy.is_pinned
        self._levels = noisy.tree.levels
        self._steps, self._count = steps_of(noisy.tree)
        self._reach: Reach = reach_of(noisy, laws, self._count)
        self._own = [wide_weights(law, self._reach.radius, self._reach.kind) for law in laws]

    @property
    def radius(self) -> int:
        """Return how far noise is followed; it depends on the tree and the laws alone."""
        return self._reach.radius

    @cached_property
    def evidence(self) -> WithinTotalVariation:
        """Return the bound on a draw's distance from the conditional law, for every table."""
        terms = (2 * self.radius + 2) * ROUNDING + self._reach.underflow
        own = max(2 * weights.error for weights in self._own) + ROUNDING
        joins = sum(isinstance(step, Join) for step in self._steps)
        return WithinTotalVariation(
            truncation=self._reach.truncation,
            rounding=2 * (joins * terms + self._tree.size * own),
        )

    def chance_of(self, table: Integers) -> Bounds:
        """Return the chance that the revised table has no count below 0, given the true one.

        For the true table it is confidential; for public tables it prices the rule.
        """
        held, free = (self._weight(self._messages(t)) for t in (table, table * 0 + self.radius))
        slack = self.evidence.rounding
        ratio = held / free
        low, high = exp_bounds(-2 * slack).below, exp_bounds(2 * slack).above
        cut = 1 - 2 * self._reach.truncation
        return Bounds(ratio * low * cut, min(Fraction(1), ratio * high / cut))

    def noise_for(self, table: Integers, chance: Chance, count: int) -> Integers:
        """Return so many independent noise vectors for a coherent table of no count below 0."""
        many = checked_count(chance, count)
        self._check(table)
        messages = self._messages(table)
        answer = np.zeros((many, self._tree.size), dtype=np.int64)
        for noise in answer:
            self._draw(messages, noise, chance)
        return answer

    def _check(self, table: Integers) -> None:
        """Refuse what is no coherent table of whole counts of at least 0; say no more of it."""
        whole = table.shape == (self._tree.size,) and table.dtype.kind == "i"
        if not (whole and (table >= 0).all() and self._tree.adds_up(table)):
            asked = "whole counts of at least 0 that add up"
            remedy = "Make it with tree.aggregate from the leaves."
            raise BadTable(Fault("table", asked, "something else", remedy))

    def _draw(self, messages: list[Wide], noise: Integers, chance: Chance) -> None:
        """Fill in the noise from the root down."""
        totals = [0] * self._count
        totals[0] = split(messages[0], messages[0], None, chance)
        for step in reversed(self._steps):
            if isinstance(step, Node):
                totals[step.family] = totals[step.node]
            else:
                whole = totals[step.result]
                left = split(messages[step.left], messages[step.right], whole, chance)
                totals[step.left], totals[step.right] = left, whole - left
        noise[:] = totals[: noise.size]

    def _messages(self, table: Integers) -> list[Wide]:
        """Return the message of every node, and of every run of siblings."""
        messages: list[Wide] = [np.empty(0)] * self._count
        for leaf in self._tree.leaf_nodes.tolist():
            allowed = np.arange(-self.radius, self.radius + 1) >= -table[leaf]
            messages[leaf] = self._weights(leaf) * allowed
        for step in self._steps:
            if isinstance(step, Join):
                whole = np.convolve(messages[step.left], messages[step.right])
                messages[step.result] = whole[self.radius : 3 * self.radius + 1]
            else:
                messages[step.node] = messages[step.family] * self._weights(step.node)
        return messages

    def _weights(self, node: int) -> Wide:
        """Return the weights of a node's own noise; a pinned one has none."""
        if not self._is_pinned[node]:
            return self._own[int(self._levels[node])].weights
        only_zero = np.zeros(2 * self.radius + 1, dtype=self._reach.kind)
        only_zero[self.radius] = 1.0
        return only_zero

    def _weight(self, messages: list[Wide]) -> Fraction:
        """Return the weight of all noise that is followed."""
        return sum(fractions_of(messages[0]), Fraction(0))
