"""M_MH has the conditional law, as far as many independent last states can tell.

Each statistical assertion fails for a right sampler with chance 1e-9 at most, but for what the
warm-up leaves; each is made again on broken twins that it must catch.
"""

import math
from fractions import Fraction

import numpy as np
import pytest

from holdfast.foundation.errors import BadParameter
from holdfast.foundation.randomness import seeded, tape
from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.noise.gaussian import Gaussian
from holdfast.noise.laplace import Laplace
from holdfast.revision.chains import metropolis
from holdfast.revision.chains.free_cells import free_cells
from holdfast.revision.chains.limits import Limits
from holdfast.revision.chains.metropolis import Metropolis
from holdfast.revision.chains.noise_space import NoiseSpace
from holdfast.revision.chains.proposals import AllCells, OneCell
from holdfast.revision.evidence import NotProven
from holdfast.revision.noisy_system import NoisySystem, system_of
from holdfast.revision.noisy_tree import NoisyTree
from holdfast.worlds.exact_rows import Row
from holdfast.worlds.hierarchy import Hierarchy
from tests.plain import conditional
from tests.plain import gamma_statistic as gamma
from tests.plain.statistics import smallest_visible_fault, strays

DRAWS = 8_000
FEWER = 4_000
WIDE = AllCells(Laplace.with_scale(1))  # short and long steps: it mixes on every structure here


def is_right(noise, system) -> bool:
    return gamma.obeys(noise, system) and gamma.has_gamma_law(noise, system)


@pytest.mark.parametrize("name", gamma.STRUCTURES)
def test_the_sum_of_sizes_has_its_gamma_law(name):
    """With 8,000 chains a fault of 0.059 in the cumulative is seen; false alarm 1e-9 (DKW)."""
    assert smallest_visible_fault(DRAWS) < 0.059
    system = gamma.STRUCTURES[name]
    assert is_right(Metropolis(system, WIDE, 200).noise(seeded(1), DRAWS), system)


def test_one_leaf_at_a_time():
    system = gamma.tree(scales=(1, 1, 1))
    noise = Metropolis(system, None, 240).noise(seeded(2), DRAWS)
    assert is_right(noise, system)
    assert gamma.has_shares(noise, system, gamma.TREE_SIZES)


def test_moves_by_a_function():
    """Uniform moves, as likely as their negatives."""

    def moves(chance, chains, cells):
        words = chance.words(chains * cells).reshape(chains, cells)
        return 4 * ((words >> np.uint64(11)).astype(np.float64) * 2.0**-53 - 0.5)

    system = gamma.tree(scales=(1, 1, 1))
    assert is_right(Metropolis(system, moves, 200).noise(seeded(3), DRAWS), system)


def node_weight_forgotten(system, monkeypatch):
    return Metropolis(gamma.tree(scales=(1, 10**6, 3)), WIDE, 200)


def of_the_wrong_sign(system, monkeypatch):
    first, *others = system.rows
    flipped = Row(tuple((cell, abs(value)) for cell, value in first.terms), 0)
    return Metropolis(NoisySystem(system.laws, [flipped, *others]), WIDE, 200)


def with_two_levels_exchanged(system, monkeypatch):
    return Metropolis(gamma.tree(scales=(1, 3, 2)), WIDE, 200)


def of_leaves_alone(system, monkeypatch):
    """Every move of leaves is judged by the leaves, and by nothing above them."""
    monkeypatch.setattr(
        NoiseSpace,
        "energy",
        lambda space, noise: (np.abs(noise) * space.rates[:-1, 0])[:, space.free].sum(axis=1),
    )
    return Metropolis(system, WIDE, 200)


def started_at_the_data(system, monkeypatch):
    """No noise at first, few steps, and those short: the trap of theory 2.10."""
    monkeypatch.setattr(
        NoiseSpace, "draw", lambda space, chance, count: np.zeros((count, space.free.size))
    )
    return Metropolis(system, AllCells(Gaussian.with_scale("0.3")), 30)


def accepting_always(system, monkeypatch):
    monkeypatch.setattr(
        metropolis._Steps, "accepted", lambda steps, chance, rise: np.ones(rise.size, dtype=bool)
    )
    return Metropolis(system, WIDE, 50)


@pytest.mark.parametrize(
    "sabotage",
    [
        node_weight_forgotten,
        of_the_wrong_sign,
        with_two_levels_exchanged,
        of_leaves_alone,
        started_at_the_data,
        accepting_always,
    ],
)
def test_the_gamma_test_barks(sabotage, monkeypatch):
    system = gamma.STRUCTURES["tree"]
    assert not is_right(sabotage(system, monkeypatch).noise(seeded(4), DRAWS), system)


def test_a_short_chain_from_the_data_releases_the_data(monkeypatch):
    """Theory 2.10 on the taxi tree: with the best step, r = 0.1, the mode is never left.

    From the conditional law the same step is accepted about one time in five.
    """
    sizes = (69, 69, 61, 43, 20, 1)
    paths = [(f"b{b}", f"z{b}.{z}") for b, size in enumerate(sizes) for z in range(size)]
    system, step = gamma.tree(paths, (1, 1, 1)), AllCells(Gaussian.with_scale("0.1"))
    states = Metropolis(system, step, 1_000, chains=4).states(seeded(5), 200)
    share = (np.diff(states, axis=1) != 0).any(axis=2).mean()
    assert 0.1 < share < 0.4
    monkeypatch.setattr(
        NoiseSpace, "draw", lambda space, chance, count: np.zeros((count, space.free.size))
    )
    stuck = Metropolis(system, step, 1_000).noise(seeded(5), 4)
    assert not stuck.any()


# Whole numbers: the exact conditional law, world by world


def whole_tree(paths, laws, pinned=()) -> NoisyTree:
    return NoisyTree(Hierarchy.from_paths(paths), laws, pinned)


HALF, THIRD = DiscreteLaplace.with_ratio("0.5"), DiscreteLaplace(Fraction(1, 3))
GROUP = [("x",), ("y",)]
WHOLE = {
    "group": (whole_tree(GROUP, [THIRD, HALF]), 14),
    "tree": (whole_tree(gamma.TREE, [HALF, THIRD, HALF]), 9),
    "pinned tree": (whole_tree(gamma.TREE, [HALF, THIRD, HALF], [0]), 14),
    "two families": (whole_tree(gamma.TREE, [HALF, HALF, DiscreteGaussian(Fraction(2))]), 7),
}
JUMPS = AllCells(HALF)


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("proposal", [None, JUMPS])
def test_whole_noise_has_the_conditional_law(name, proposal):
    """In three orders of the worlds; with 4,000 chains a fault of 0.09 in one is seen (DKW)."""
    assert conditional.smallest_visible_fault(FEWER) < 0.09
    noisy, reach = WHOLE[name]
    law, rest = conditional.conditional_law(noisy, reach)
    noise = Metropolis(system_of(noisy), proposal, 200).noise(seeded(6), FEWER)
    assert noise.dtype == np.int64
    assert not conditional.strays(noise, law, rest)


def whole_weight_forgotten(monkeypatch):
    monkeypatch.setattr(metropolis, "energies", lambda noise, rates: np.abs(noise)[:, :1] * 0.7)
    return


def whole_start_at_the_data(monkeypatch):
    monkeypatch.setattr(
        NoiseSpace,
        "draw",
        lambda space, chance, count: np.zeros((count, space.free.size), dtype=np.int64),
    )
    return 1


@pytest.mark.parametrize("sabotage", [whole_weight_forgotten, whole_start_at_the_data])
def test_the_conditional_test_barks(sabotage, monkeypatch):
    noisy, reach = WHOLE["tree"]
    law, rest = conditional.conditional_law(noisy, reach)
    steps = sabotage(monkeypatch) or 200
    noise = Metropolis(system_of(noisy), None, steps).noise(seeded(7), FEWER)
    assert conditional.strays(noise, law, rest)


@pytest.mark.parametrize("laws", [[HALF, HALF, HALF], [HALF, THIRD, THIRD], [THIRD, HALF, HALF]])
def test_the_conditional_test_barks_at_other_scales(laws):
    noisy, reach = WHOLE["tree"]
    law, rest = conditional.conditional_law(noisy, reach)
    other = Metropolis(system_of(whole_tree(gamma.TREE, laws)), JUMPS, 200)
    assert conditional.strays(other.noise(seeded(8), FEWER), law, rest)


# Detailed balance, exactly: the chance of a move is read off the words that accept it

WIDTH = 14


def acceptance(step_of, leaves, move) -> float:
    """The share of words that accept, by halving: small words accept whenever larger ones do."""
    low, high = 0, 1 << WIDTH
    while low < high:
        middle = (low + high) // 2
        if step_of(leaves, move, tape([middle], WIDTH)):
            low = middle + 1
        else:
            high = middle
    return low / (1 << WIDTH)


def steps_of(system):
    """One step from given leaves by a given move; whether it was made."""
    given = []
    kernel = Metropolis(system, lambda chance, chains, cells: np.array(given), 1)._steps

    def step(leaves, move, chance):
        given[:] = [move]
        noise = np.pad(kernel.space.complete(np.array([leaves])), ((0, 0), (0, 1)))
        energy = kernel.space.energy(noise[:, :-1])
        state = metropolis._State(np.array([leaves]), noise, energy, np.zeros(1, dtype=bool))
        return bool(kernel.step(state, chance).moved[0].any())

    return step


def balanced(noisy, step) -> bool:
    """p(u) accept(u, v) = p(v) accept(v, u) on a box of worlds, to the width of a word.

    A move whose odds lie beyond the width of a word is the same in both.
    """
    law, _ = conditional.conditional_law(noisy, 2)
    leaves = noisy.tree.leaf_nodes.tolist()
    by_leaves = {tuple(world[leaf] for leaf in leaves): chance for world, chance in law.items()}
    for here, chance in by_leaves.items():
        for move in ((1, 0, 0), (0, 0, -1), (1, -1, 0), (2, 1, -1)):
            there = tuple(a + b for a, b in zip(here, move, strict=True))
            if there in by_leaves:
                forth = float(chance) * acceptance(step, here, move)
                back = float(by_leaves[there]) * acceptance(step, there, tuple(-m for m in move))
                if abs(forth - back) > 2.0 ** (2 - WIDTH):
                    return False
    return True


def test_detailed_balance():
    noisy, _ = WHOLE["tree"]
    assert balanced(noisy, steps_of(system_of(noisy)))


@pytest.mark.parametrize("laws", [[HALF, HALF, HALF], [THIRD, HALF, HALF]])
def test_the_balance_test_barks(laws):
    noisy, _ = WHOLE["tree"]
    assert not balanced(noisy, steps_of(system_of(whole_tree(gamma.TREE, laws))))


# Free cells


def test_on_a_tree_the_leaves_are_free_and_parents_are_their_sums():
    noisy = whole_tree(gamma.BROAD, [HALF] * 3)
    system = system_of(noisy)
    found = free_cells(system.rows, len(system.laws))
    assert found.free == tuple(noisy.tree.leaf_nodes.tolist())
    space = NoiseSpace(system)
    leaves = np.arange(10).reshape(2, 5) ** 2 - 7
    expected = [noisy.tree.aggregate(line).tolist() for line in leaves]
    assert space.complete(leaves).tolist() == expected


@pytest.mark.parametrize("seed", range(12))
def test_completed_noise_obeys_random_rows(seed):
    system = gamma.random_rows(seed, rows=3, cells=6)
    space = NoiseSpace(system)
    free = np.random.default_rng(seed).normal(size=(4, space.free.size))
    noise = space.complete(free)
    assert gamma.obeys(noise, system)
    assert (noise[:, space.free] == free).all()
    assert space.free.size == gamma.free_count(system)


@pytest.mark.parametrize("name", gamma.STRUCTURES)
def test_a_path_holds_the_cells_that_move_with_a_free_cell(name):
    space = NoiseSpace(gamma.STRUCTURES[name])
    for number, (cells, speeds) in enumerate(
        zip(space.columns.cells, space.columns.speeds, strict=True)
    ):
        free = np.zeros((1, space.free.size))
        free[0, number] = 1.0
        moved = np.zeros(space.cells + 1)
        moved[cells] = speeds
        assert (moved[:-1] == space.complete(free)[0]).all()


# Limits

LIMITED = gamma.tree(scales=(1, 1, 1))
NOT_BELOW = tuple(Row(((leaf, 1),), -1) for leaf in (3, 4, 5))  # every leaf at least -1
START = (1.5, 1.0, 0.5, 0.5, 0.5, 0.5)


@pytest.mark.parametrize("proposal", [None, WIDE])
def test_limits_hold_and_the_law_is_the_one_given_them(proposal):
    """One leaf, noise at least -1 on a line of two cells: e**(-2 |u|) cut at -1 (DKW)."""
    system = gamma.tree([("x",)], (1, 1))
    limits = Limits((Row(((1, 1),), -1),), (0.5, 0.5))
    noise = Metropolis(system, proposal, 60, limits=limits).noise(seeded(9), DRAWS)
    cut = math.exp(-2) / 2
    line = Laplace.with_scale("0.5")
    assert not strays(noise[:, 1], lambda u: (line.cumulative(u) - cut) / (1 - cut))
    free = Metropolis(system, proposal, 60).noise(seeded(9), DRAWS)
    assert strays(free[:, 1], lambda u: max(line.cumulative(u) - cut, 0) / (1 - cut))


@pytest.mark.parametrize("proposal", [None, WIDE])
def test_limits_on_a_tree_hold(proposal):
    sampler = Metropolis(LIMITED, proposal, 100, limits=Limits(NOT_BELOW, START))
    noise = sampler.noise(seeded(10), 500)
    assert gamma.obeys(noise, LIMITED)
    assert noise[:, 3:].min() >= -1
    assert np.unique(noise[:, 0]).size == 500


def test_a_chain_that_never_moved_from_the_public_start_is_refused():
    """It would release the table plus public noise."""
    limits = Limits(NOT_BELOW, START)
    sampler = Metropolis(LIMITED, AllCells(Gaussian.with_scale(10**6)), 1, limits=limits)
    with pytest.raises(BadParameter, match="never moved"):
        sampler.noise(seeded(11), 5)


@pytest.mark.parametrize(
    ("start", "found"),
    [
        ((0.0,) * 6, "no noise"),
        ((1.0, 1.0, 0.5, 0.5, 0.5, 0.5), "does not"),
        ((-3.0, -2.0, -1.0, -2.0, 0.0, -1.0), "does not"),
        ((1.0, 2.0), "something else"),
        (("1",) * 6, "something else"),
        ((math.nan,) * 6, "something else"),
    ],
)
def test_a_start_that_is_none_is_refused(start, found):
    with pytest.raises(BadParameter, match=found):
        Metropolis(LIMITED, limits=Limits(NOT_BELOW, start))


def test_a_limit_out_of_reach_is_refused():
    with pytest.raises(BadParameter, match="in reach"):
        Metropolis(LIMITED, limits=Limits((Row((), 1),), START))


def test_a_limit_on_a_cell_that_is_not_there_is_refused():
    with pytest.raises(BadParameter, match="cells from 0 to 5"):
        Metropolis(LIMITED, limits=Limits((Row(((6, 1),), 0),), START))


def test_whole_noise_starts_from_whole_noise():
    noisy, _ = WHOLE["group"]
    with pytest.raises(BadParameter, match="whole"):
        Metropolis(system_of(noisy), limits=Limits((), (0.5, 0.5, 0.0)))
    limits = Limits((Row(((1, 1),), 0),), (2, 1, 1))
    noise = Metropolis(system_of(noisy), None, 400, limits=limits).noise(seeded(12), 200)
    assert noise.dtype == np.int64
    assert noise[:, 1].min() == 0


# What is refused, and the rest


@pytest.mark.parametrize(
    ("laws", "proposal", "found"),
    [
        ([HALF, Laplace.with_scale(1)], None, "both kinds"),
        ([HALF] * 2, OneCell(Gaussian.with_scale(1)), "a continuous one"),
        ([Laplace.with_scale(1)] * 2, AllCells(HALF), "a discrete one"),
        ([HALF] * 2, OneCell("wide"), "'wide'"),
        ([HALF] * 2, 3, "found 3"),
    ],
)
def test_laws_and_proposals_that_do_not_fit_are_refused(laws, proposal, found):
    with pytest.raises(BadParameter, match=found):
        Metropolis(NoisySystem(laws, [Row(((0, 1), (1, -1)), 0)]), proposal)


@pytest.mark.parametrize(
    "moves", [np.zeros((2, 3), dtype=np.int64), np.zeros((2, 2)), [[0.0] * 3] * 2]
)
def test_moves_of_another_shape_or_kind_are_refused(moves):
    sampler = Metropolis(gamma.STRUCTURES["tree"], lambda *_: moves, 1)
    with pytest.raises(BadParameter, match="one move a free cell"):
        sampler.noise(seeded(13), 2)


def test_rows_that_settle_everything_are_refused():
    with pytest.raises(BadParameter, match="cell free"):
        Metropolis(NoisySystem([HALF], [Row(((0, 1),), 0)]))


@pytest.mark.parametrize("terms", [((0, 2), (1, -1)), ((0, 1), (1, 2**21))])
def test_whole_noise_with_broken_or_large_coefficients_is_refused(terms):
    """2 u = v has whole solutions, but not one for each whole v."""
    with pytest.raises(BadParameter, match="whole sums of free cells"):
        Metropolis(NoisySystem([HALF, HALF], [Row(terms, 0)]))


@pytest.mark.parametrize("proposal", [None, WIDE])
def test_the_layouts(proposal):
    sampler = Metropolis(gamma.STRUCTURES["tree"], proposal, 5, chains=3, thin=2)
    assert sampler.noise(seeded(14), 4).shape == (4, 6)
    assert sampler.noise(seeded(14), 0).shape == (0, 6)
    states = sampler.states(seeded(14), 7)
    assert states.shape == (3, 7, 6)
    assert np.unique(states[:, :, 0]).size > 8  # kept states are not one array, moved in place


@pytest.mark.parametrize("bad", [{"warm_up": 0}, {"chains": 0}, {"thin": -1}])
def test_bad_lengths_are_refused(bad):
    with pytest.raises(BadParameter):
        Metropolis(gamma.STRUCTURES["tree"], **bad)


@pytest.mark.parametrize("ask", [Metropolis.noise, Metropolis.states])
def test_a_bad_count_is_refused_before_any_chance_is_used(ask):
    with pytest.raises(BadParameter, match="count"):
        ask(Metropolis(gamma.STRUCTURES["tree"]), tape([]), -1)


def test_nothing_is_proven():
    evidence = Metropolis(gamma.STRUCTURES["tree"]).evidence
    assert isinstance(evidence, NotProven)
    assert "Metropolis" in evidence.reason


def test_no_chain_takes_data():
    """There is no argument that a table could be given by."""
    names = set(Metropolis.__init__.__annotations__) | set(Metropolis.noise.__annotations__)
    assert names == {
        *("system", "proposal", "warm_up", "chains", "thin", "limits"),
        *("chance", "count", "return"),
    }
