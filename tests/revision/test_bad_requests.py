"""No sampler draws a word for a request that it refuses."""

import pytest

import holdfast as hf
from holdfast.foundation.errors import BadChance, BadParameter
from holdfast.revision.chains.gibbs import Gibbs
from holdfast.revision.chains.metropolis import Metropolis
from holdfast.revision.closed_forms.gaussian_closed_form import GaussianClosedForm
from holdfast.revision.closed_forms.gaussian_tree import GaussianTree
from holdfast.revision.closed_forms.group import GroupClosedForm
from holdfast.revision.closed_forms.group_continuous import GroupClosedFormContinuous
from holdfast.revision.messages.grid_messages import GridMessages
from holdfast.revision.messages.tree_messages import TreeMessages
from holdfast.revision.noisy_system import system_of
from holdfast.revision.noisy_tree import NoisyTree
from holdfast.revision.rejection.tree_rejection import TreeRejection
from holdfast.revision.rejection.tree_rejection_continuous import TreeRejectionContinuous

PAIR = hf.Hierarchy.from_paths([("a",), ("b",)])
WHOLE, REAL, NORMAL = (
    NoisyTree(PAIR, [law, law])
    for law in (
        hf.DiscreteLaplace.with_scale(1),
        hf.Laplace.with_scale(1),
        hf.Gaussian.with_scale(1),
    )
)
SAMPLERS = [
    GroupClosedForm(WHOLE),
    TreeRejection(WHOLE),
    TreeMessages(WHOLE),
    Metropolis(system_of(WHOLE)),
    GroupClosedFormContinuous(REAL),
    TreeRejectionContinuous(REAL),
    GridMessages(REAL),
    Gibbs(system_of(REAL)),
    GaussianTree(NORMAL),
    GaussianClosedForm(system_of(NORMAL)),
]


@pytest.mark.parametrize("sampler", SAMPLERS, ids=lambda sampler: type(sampler).__name__)
@pytest.mark.parametrize("count", [-1, 1.5, "many", None, True])
def test_a_bad_count_is_refused_before_any_chance(sampler, count):
    """The tape is empty: a word drawn before the refusal would end it."""
    with pytest.raises(BadParameter, match="count"):
        sampler.noise(hf.tape([]), count)


@pytest.mark.parametrize("sampler", SAMPLERS, ids=lambda sampler: type(sampler).__name__)
def test_what_is_no_chance_is_refused(sampler):
    with pytest.raises(BadChance, match="system_chance"):
        sampler.noise(7, 1)


@pytest.mark.parametrize("sampler", SAMPLERS, ids=lambda sampler: type(sampler).__name__)
def test_no_vector_at_all_is_no_fault(sampler):
    assert sampler.noise(hf.seeded(1), 0).shape == (0, 3)
