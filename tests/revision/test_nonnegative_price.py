"""What it costs to condition on counts of at least 0: closed forms, messages and published prices.

If one of these failed, a rule that costs privacy would be sold for less than it costs.
"""

import math
from fractions import Fraction

import numpy as np
import pytest

from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.revision.inequalities.nonnegative_messages import NonnegativeMessages
from holdfast.revision.noisy_tree import NoisyTree
from tests.revision.test_nonnegative_messages import taxi_tree


def closed_form(n, others, q):
    """c(e_j)/c(0) on a tree of groups, for a leaf of a group of n beside so many others."""
    p0, po = (1 - q**3) ** (n - 1), (1 - q**3) ** others
    return 1 + (1 - q**3) * q * ((1 - p0) * q**-2 + p0 * ((1 - po) + po * q**2))


@pytest.mark.parametrize(("scale", "sizes"), [(3, (5, 4, 1)), ("1.5", (6, 2))])
def test_the_price_on_a_tree_is_its_closed_form(scale, sizes):
    tree = taxi_tree(sizes)
    sampler = NonnegativeMessages(NoisyTree(tree, [DiscreteLaplace.with_scale(scale)] * 3))
    empty = np.zeros(tree.leaf_nodes.size, dtype=np.int64)
    base = sampler.chance_of(tree.aggregate(empty))
    first = 0
    for n in sizes:
        one = empty.copy()
        one[first] = 1
        first += n
        found = sampler.chance_of(tree.aggregate(one))
        expected = closed_form(n, sum(sizes) - n, math.exp(-1 / float(Fraction(scale))))
        assert float(found) / float(base) == pytest.approx(expected, rel=1e-8)


PRICES = {  # theory 3.8: gamma for a leaf of a borough of 69, 20 and 1 zones
    0.1: (0.938438, 0.938438, 0.880501),
    0.5: (0.763477, 0.763477, 0.574961),
    1: (0.632439, 0.632401, 0.373585),
    2: (0.493668, 0.478883, 0.183686),
    4: (0.329528, 0.206398, 0.057156),
}
CONTINUOUS = {  # the same for continuous noise, of 69 zones and of 1
    0.1: (0.968411, 0.938106),
    0.5: (0.868858, 0.757633),
    1: (0.782456, 0.615405),
    2: (0.673153, 0.450030),
    4: (0.559672, 0.291506),
}


def prices(epsilon, power=3) -> list[float]:
    """Return gamma for each size of borough, by the closed form."""
    q = math.exp(-epsilon / power)
    return [math.log(closed_form(n, 263 - n, q)) / epsilon for n in (69, 20, 1)]


@pytest.mark.parametrize("epsilon", PRICES)
def test_every_published_price_is_that_of_the_closed_form(epsilon):
    """To six digits, for scales at which no message on the taxi tree can be followed, too."""
    assert prices(epsilon) == pytest.approx(PRICES[epsilon], abs=5.1e-7)
    assert prices(epsilon, 3.001)[0] != pytest.approx(PRICES[epsilon][0], abs=5.1e-7)


FINE = 4096


@pytest.mark.parametrize("epsilon", CONTINUOUS)
def test_prices_of_continuous_noise_are_limits_of_whole_ones(epsilon):
    """A person is many units: each is one more step of c, and c is a sum of powers of q.

    Of a large borough c grows as q**-x, of one zone as q**x (theory 3.8); a unit of 1/4096 is
    off by less than a thousandth, and half of it by half as much, so both give the limit.
    """
    found = []
    for growth in (-1, 1):
        one, two = (_summed(epsilon, growth, units) for units in (FINE, 2 * FINE))
        found.append(math.log(2 * two - one) / epsilon)
    assert found == pytest.approx(CONTINUOUS[epsilon], abs=5.1e-7)


def _summed(epsilon, growth, units) -> float:
    """Return c(units)/c(0) where the other zones are many: the closed form's steps, added up."""
    q = math.exp(-epsilon / 3 / units)
    steps = q ** (growth * np.arange(units))
    first = (1 - q**3) * q * (q**-2 if growth < 0 else 1)
    return 1 + first * float(steps.sum())


ON_THE_TREE = (4, 2)  # others have ranges that take minutes


@pytest.mark.parametrize("epsilon", ON_THE_TREE)
def test_the_price_on_the_taxi_tree_is_the_published_one(epsilon):
    """263 zones: the weights go down to e**-900 and e**-1356, which floats do not hold."""
    tree = taxi_tree((69, 69, 61, 43, 20, 1))
    law = DiscreteLaplace.with_scale(Fraction(3, epsilon))
    sampler = NonnegativeMessages(NoisyTree(tree, [law] * 3))
    empty = np.zeros(263, dtype=np.int64)
    base = sampler.chance_of(tree.aggregate(empty))
    assert base.width < base.below / 10**8
    for leaf, expected in zip((0, 250, 262), PRICES[epsilon], strict=True):
        one = empty.copy()
        one[leaf] = 1
        price = math.log(sampler.chance_of(tree.aggregate(one)).below / base.below)
        assert price / epsilon == pytest.approx(expected, abs=5.1e-7)
        assert price / epsilon != pytest.approx(expected + 2e-6, abs=5.1e-7)
