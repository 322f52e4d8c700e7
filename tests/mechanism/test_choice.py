"""Which sampler is taken, and why."""

import pytest

import holdfast as hf
from holdfast.foundation.errors import BadParameter
from holdfast.foundation.progress import silent
from holdfast.mechanism.choice import METHODS, choose
from holdfast.mechanism.condition import Condition
from holdfast.revision.evidence import Exact, NotProven, WithinTotalVariation
from tests.mechanism.samples import (
    A_IS_B,
    DEEP,
    GROUP,
    NORMAL,
    REAL,
    TREE,
    WHOLE,
    WHOLE_GAUSSIAN,
)


def chosen(tree, law, method="auto", rules=None):
    invariant = tree.sums() if rules is None else tree.sums() & rules
    return choose(Condition(tree, (law,) * tree.depth, invariant), method, silent)


@pytest.mark.parametrize(
    ("tree", "law", "rules", "method", "evidence"),
    [
        (GROUP, WHOLE, None, "closed-form", Exact),
        (GROUP, WHOLE_GAUSSIAN, None, "exact", Exact),
        (GROUP, REAL, None, "closed-form", NotProven),
        (GROUP, NORMAL, None, "closed-form", NotProven),
        (TREE, WHOLE, None, "exact", Exact),
        (TREE, WHOLE, hf.total(11), "exact", Exact),
        (TREE, WHOLE_GAUSSIAN, None, "exact", Exact),
        (TREE, REAL, None, "rejection", NotProven),
        (TREE, REAL, hf.total(11), "gibbs", NotProven),
        (TREE, NORMAL, None, "closed-form", NotProven),
        (DEEP, WHOLE, None, "messages", WithinTotalVariation),
        (DEEP, WHOLE_GAUSSIAN, None, "messages", WithinTotalVariation),
        (DEEP, REAL, None, "gibbs", NotProven),
        (TREE, REAL, A_IS_B, "gibbs", NotProven),
        (TREE, NORMAL, A_IS_B, "closed-form", NotProven),
    ],
)
def test_auto_takes_the_first_that_fits(tree, law, rules, method, evidence):
    choice = chosen(tree, law, rules=rules)
    assert choice.method == method
    assert isinstance(choice.sampler.evidence, evidence)
    assert choice.why


@pytest.mark.parametrize(("law", "method"), [(REAL, "gibbs"), (WHOLE, "exact")])
def test_a_group_with_a_public_leaf_is_not_drawn_in_closed_form(law, method):
    """Its cells are not alike: the closed form would put noise on what is public."""
    public = hf.equalities([[0, 1, 0, 0]], 5)
    assert chosen(GROUP, law, rules=public).method == method
    assert chosen(GROUP, law, rules=hf.total(5)).method == "closed-form"


def test_levels_of_two_continuous_laws_are_drawn_on_a_grid():
    laws = (REAL, NORMAL, REAL)
    assert choose(Condition(TREE, laws, TREE.sums()), "auto", silent).method == "messages"


def test_the_reason_speaks_of_the_cost():
    assert "draws for 6 nodes" in chosen(TREE, WHOLE).why
    assert "any size" in chosen(DEEP, WHOLE).why
    assert chosen(TREE, WHOLE, "messages").why == "asked for by name"


WORDS = {
    WHOLE: {"exact", "messages", "metropolis"},
    WHOLE_GAUSSIAN: {"exact", "messages", "metropolis"},
    REAL: {"rejection", "messages", "gibbs", "metropolis"},
    NORMAL: {"closed-form", "messages", "metropolis"},
}


@pytest.mark.parametrize("method", [m for m in METHODS if m != "auto"])
@pytest.mark.parametrize("law", WORDS)
def test_each_method_draws_what_it_can_and_refuses_the_rest_by_name(method, law):
    if method in WORDS[law]:
        choice = chosen(TREE, law, method)
        assert choice.method == method
        assert isinstance(choice.sampler.evidence, NotProven) == (
            method == "metropolis" or law in (REAL, NORMAL)
        )
    else:
        with pytest.raises(BadParameter, match=f"method '{method}'.*Use method=\"auto\""):
            chosen(TREE, law, method)


def test_no_float_answers_to_the_name_exact():
    for law in (REAL, NORMAL):
        with pytest.raises(BadParameter, match="method 'exact'"):
            chosen(TREE, law, "exact")


def test_an_unknown_word_is_refused_with_all_words():
    with pytest.raises(BadParameter, match="auto, closed-form, exact, rejection, messages, gibbs"):
        chosen(TREE, WHOLE, "magic")


def test_whole_noise_on_further_equalities_is_refused_with_the_reason():
    with pytest.raises(BadParameter, match="no exact sampler is known"):
        chosen(TREE, WHOLE, rules=A_IS_B)
    assert chosen(TREE, WHOLE, "metropolis", A_IS_B).method == "metropolis"


def test_costly_trials_are_drawn_when_asked_for_by_name():
    """Eight levels of pairs cost some six thousand draws; by name they are taken all the same."""
    assert chosen(DEEP, WHOLE, "exact").method == "exact"


def test_a_tree_too_large_to_predict_trials_is_drawn_by_messages():
    wide = hf.Hierarchy.from_paths([(a, b) for a in range(150) for b in range(150)])
    assert chosen(wide, WHOLE).method == "messages"
