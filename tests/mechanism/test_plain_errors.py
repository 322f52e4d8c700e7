"""What to expect of plain noise: the figures of its laws, at every node of a level."""

import math
from fractions import Fraction

import numpy as np
import pytest

import holdfast as hf
from holdfast.foundation.errors import BadParameter
from holdfast.mechanism.plain_errors import half_width_of, mean_size_of, variance_of
from tests.mechanism.samples import NORMAL, REAL, TREE, WHOLE, WHOLE_GAUSSIAN, mechanism

WHOLE_LAWS = [
    hf.DiscreteLaplace.with_ratio("0.5"),
    hf.DiscreteLaplace.with_ratio(Fraction(4, 5)),
    hf.DiscreteLaplace.with_scale("0.01"),
    hf.DiscreteLaplace.with_scale(20),
    hf.DiscreteGaussian.with_variance("0.01"),
    hf.DiscreteGaussian.with_scale(1),
    hf.DiscreteGaussian.with_scale(30),
]
MISSED = [0.5, 0.05, 0.001]


def masses(law):
    """Return the chance of each size, far enough out for floats."""
    reach = 10 + int(40 * math.sqrt(float(law.variance)))
    return [float(law.mass(size)) * (1 if size == 0 else 2) for size in range(reach)]


def errors_of(law):
    listed = masses(law)
    sizes = sum(size * chance for size, chance in enumerate(listed))
    return sizes, sum(size**2 * chance for size, chance in enumerate(listed))


@pytest.mark.parametrize("law", WHOLE_LAWS, ids=repr)
def test_whole_noise_strays_as_its_masses_add_up_to(law):
    sizes, squares = errors_of(law)
    assert mean_size_of(law) == pytest.approx(sizes, rel=1e-9, abs=0)
    assert variance_of(law) == pytest.approx(squares, rel=1e-9, abs=0)
    one_sided, squared_size = sizes / 2, sizes**2  # the test barks
    assert mean_size_of(law) != pytest.approx(one_sided, rel=1e-9, abs=0)
    assert variance_of(law) != pytest.approx(squared_size, rel=1e-9, abs=0)


def keeps(law, width, missed):
    """Whether a width is the smallest that is exceeded no more often, by exact bounds."""
    beyond = [2 * law.cumulative(-size - 1).above for size in (width, width - 1)]
    return beyond[0] <= missed and (width == 0 or beyond[1] > missed - 2e-11)


@pytest.mark.parametrize("law", WHOLE_LAWS, ids=repr)
@pytest.mark.parametrize("missed", MISSED)
def test_whole_half_widths_are_the_smallest_that_keep_their_word(law, missed):
    width = half_width_of(law, missed)
    assert keeps(law, width, missed)
    assert not keeps(law, width + 1, missed)
    assert width == 0 or not keeps(law, width - 1, missed)


@pytest.mark.parametrize("missed", MISSED)
def test_real_noise_strays_as_its_density_says(missed):
    assert (mean_size_of(REAL), variance_of(REAL)) == (2, 8)
    assert math.exp(-half_width_of(REAL, missed) / 2) == pytest.approx(missed, rel=1e-9)
    assert mean_size_of(NORMAL) == pytest.approx(2 * math.sqrt(2 / math.pi))
    assert variance_of(NORMAL) == 4
    beyond = math.erfc(half_width_of(NORMAL, missed) / 2 / math.sqrt(2))
    assert beyond == pytest.approx(missed, rel=1e-9)


def test_a_wide_gaussian_is_all_but_normal():
    """On both sides of the sigma beyond which nothing is summed the figures go on as before."""
    summed, normal = (hf.DiscreteGaussian.with_scale(sigma) for sigma in (4096, 4097))
    for figure in (mean_size_of, lambda law: math.sqrt(variance_of(law))):
        assert figure(normal) / figure(summed) == pytest.approx(4097 / 4096, rel=1e-7)
    for missed in MISSED:
        assert 0 <= half_width_of(normal, missed) - half_width_of(summed, missed) <= 5
        assert keeps(summed, half_width_of(summed, missed), missed)
        assert 2 * normal.cumulative(-half_width_of(normal, missed) - 1).above <= missed


def test_every_node_has_the_figures_of_its_level():
    plain = mechanism(law={0: WHOLE, 1: hf.DiscreteLaplace.with_scale(5), 2: WHOLE})
    sizes = plain.expected_error()
    assert sizes.tolist() == [mean_size_of(plain.laws[level]) for level in TREE.levels]
    assert plain.variance("total") == pytest.approx(plain.variance().sum())
    assert plain.expected_error(by="level")[1] == pytest.approx(2 * sizes[1])
    assert plain.expected_error("l2") ** 2 == pytest.approx(plain.variance())
    widths = plain.interval("0.95")
    assert widths.dtype == np.int64
    assert widths.tolist() == [half_width_of(plain.laws[level], 0.05) for level in TREE.levels]


def test_conditioning_makes_it_less():
    """The plain figures are above the revised ones at every node, by at least a tenth."""
    for law in (WHOLE, WHOLE_GAUSSIAN, REAL, NORMAL):
        plain = mechanism(law=law)
        revised = plain.revise(TREE.sums())
        assert (plain.variance() > 1.1 * revised.variance()).all()
        assert (plain.interval() >= revised.interval()).all()


def test_bad_words_are_refused():
    plain = mechanism()
    with pytest.raises(BadParameter, match='"node", "level" or "total"'):
        plain.variance(by="borough")
    with pytest.raises(BadParameter, match='"l1" or "l2"'):
        plain.expected_error("linf")
    for confidence in (0, 1, "1.5", None):
        with pytest.raises(BadParameter, match="confidence"):
            plain.interval(confidence)
    with pytest.raises(BadParameter, match="Lower the confidence"):
        mechanism(law=WHOLE_GAUSSIAN).interval("0.9999999999")
