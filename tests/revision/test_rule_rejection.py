"""Noise given inequalities, by trial."""

import numpy as np
import pytest

import holdfast as hf
from holdfast.foundation.errors import BadChance, BadParameter
from holdfast.revision.evidence import NotProven
from holdfast.revision.inequalities import rule_rejection
from holdfast.revision.inequalities.rule_rejection import RuleRejection
from holdfast.revision.noisy_tree import NoisyTree
from holdfast.revision.rejection.tree_rejection import TreeRejection
from tests.plain.statistics import smallest_visible_fault
from tests.plain.trees import conditional, laplace_weights, strays_from

TREE = hf.Hierarchy.from_paths([("a", "x"), ("a", "y"), ("b", "z")])
LAW = hf.DiscreteLaplace.with_ratio("0.5")
SAMPLER = TreeRejection(NoisyTree(TREE, [LAW] * 3))
TABLE = TREE.aggregate([3, 2, 6])
DRAWS = 3_000


def a_is_at_most_b(table):
    """z[a] <= z[b] and z[x] <= 3: at TABLE with one unit of room and with none."""
    return bool(table[1] <= table[2] and table[3] <= 3)


def free(noise):
    return bool(noise[1] <= noise[2] and noise[3] <= 0)


WORLDS, CHANCES = conditional(TREE, [laplace_weights(LAW.ratio, 12)] * 3)
ALLOWED = np.array([a_is_at_most_b(TABLE + world) for world in WORLDS])
LAW_GIVEN = CHANCES * ALLOWED / (CHANCES @ ALLOWED)


def sampler(hold=a_is_at_most_b, free_hold=free):
    return RuleRejection(SAMPLER, hold, free_hold)


def test_draws_have_the_law_given_the_rules():
    """3,000 draws: a fault of 0.097 is seen, false alarm 1e-9 (DKW); noise beyond 12 is rarer
    than 1e-5 of it."""
    assert smallest_visible_fault(DRAWS) < 0.097
    noise = sampler().noise_for(TABLE, hf.seeded(1), DRAWS)
    assert not strays_from(WORLDS, LAW_GIVEN, noise, 1e-9)
    assert all(a_is_at_most_b(TABLE + one) for one in noise)


SABOTAGE = {
    "forgets a rule": lambda: sampler(lambda t: bool(t[1] <= t[2])).noise_for,
    "judges the noise, not the table": lambda: sampler(lambda t: free(t - TABLE)).noise_for,
    "forgets the table": lambda: lambda t, c, n: sampler().noise_for(t * 0, c, n),
    "keeps every try": lambda: sampler(lambda t: True).noise_for,
}


@pytest.mark.parametrize("sabotage", SABOTAGE)
def test_the_law_test_barks(sabotage):
    noise = SABOTAGE[sabotage]()(TABLE, hf.seeded(1), DRAWS)
    assert strays_from(WORLDS, LAW_GIVEN, noise, 1e-9)


def test_every_table_is_accepted_at_least_as_often_as_noise_alone():
    """By the definition, for tables that obey the rules; one that does not is seen."""
    least = CHANCES @ np.array([free(world) for world in WORLDS])

    def accepted(leaves):
        table = TREE.aggregate(leaves)
        return CHANCES @ np.array([a_is_at_most_b(table + world) for world in WORLDS])

    tables = [(0, 0, 0), (1, 2, 5), (3, -1, 2), (3, 0, 3), (0, 9, 9), (3, 2, 6)]
    assert all(a_is_at_most_b(TREE.aggregate(t)) for t in tables)
    assert all(accepted(table) >= least - 1e-12 for table in tables)
    assert accepted((3, 0, 3)) == pytest.approx(least)  # attained
    assert accepted((3, 1, 2)) < least


def test_the_least_acceptance_is_stated_and_about_right():
    """4,000 tries: within 0.057 (Hoeffding, 1e-11)."""
    found = sampler()
    least = CHANCES @ np.array([free(world) for world in WORLDS])
    assert found.acceptance == pytest.approx(least, abs=0.057)
    assert isinstance(found.evidence, NotProven)
    assert f"{found.acceptance:.3g}" in found.evidence.reason
    assert (1 - least) ** found.tries < 2**-64


def test_the_tries_suffice_for_a_quarter_of_the_estimate():
    """All estimates that are taken: none of the tries is accepted with chance 2**-64 at most."""
    for accepted in (rule_rejection.LEAST, 0.1, 0.5, 1.0):
        tries = rule_rejection._tries(accepted)
        assert (1 - accepted / 4) ** tries <= 2**-64 < (1 - accepted / 4) ** (tries - 1)


class EndsEarly(RuleRejection):
    def noise_for(self, table, chance, count):
        answer = []
        for _ in range(count):
            while not self._hold(table + (noise := self._sampler.noise(chance, 1)[0])):
                pass
            answer.append(noise)
        return np.array(answer)


def words_used(kind, table):
    """The next word after ten draws from one seed: equal exactly if as many words were used."""
    chance = hf.seeded(4)
    kind(SAMPLER, a_is_at_most_b, free).noise_for(TREE.aggregate(table), chance, 10)
    return int(chance.words(1)[0])


def test_every_table_takes_the_same_tries():
    tables = [(0, 0, 0), (1, 2, 5), (3, 0, 3), (0, 9, 90)]
    assert len({words_used(RuleRejection, table) for table in tables}) == 1


def test_the_test_of_tries_barks():
    tables = [(0, 0, 0), (1, 2, 5), (3, 0, 3), (0, 9, 90)]
    assert len({words_used(EndsEarly, table) for table in tables}) > 1


def test_tries_in_small_blocks_are_the_same_law(monkeypatch):
    monkeypatch.setattr(rule_rejection, "CELLS", 120)
    noise = sampler().noise_for(TABLE, hf.seeded(2), 100)
    assert not strays_from(WORLDS, LAW_GIVEN, noise, 1e-9)


def test_rules_that_noise_hardly_obeys_are_refused():
    with pytest.raises(BadParameter, match=r"once in 40 draws.*update onto the inequalities"):
        sampler(free_hold=lambda noise: bool(noise[0] > 40))


def test_where_no_try_is_accepted_nothing_is_returned():
    """The table breaks the rules by far, which `Revised` would have refused."""
    with pytest.raises(BadChance, match="none in"):
        sampler().noise_for(TREE.aggregate([10**6, 0, 0]), hf.seeded(1), 1)


@pytest.mark.parametrize("values", [[2, 1], [2.0, 1.0]])
def test_floats_are_drawn_too(values):
    """Also for whole tables: the noise is not cut to whole numbers."""
    tree = hf.Hierarchy.from_paths([("a",), ("b",)])
    rules = tree.sums() & hf.inequalities([[0, 1, -1]], 0)
    revised = hf.Mechanism(tree, hf.Laplace.with_scale(1), "replace-one").revise(rules)
    noisy = revised.draws(tree.aggregate(values), 200, hf.seeded(1))
    assert noisy.dtype == np.float64
    assert (noisy != np.rint(noisy)).all()
    assert (noisy[:, 1] >= noisy[:, 2]).all()
    assert np.abs(noisy[:, 0] - noisy[:, 1] - noisy[:, 2]).max() < 1e-12
