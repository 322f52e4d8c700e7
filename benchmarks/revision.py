"""Independent draws of revised noise on the taxi tree, against chains that seek the same law.

The least that must be done: one word of 64 bits a node, as for plain noise. What is done:
messages take one word and two look-ups a leaf; exact trials make some 24 draws of totals, and
then about four numbers of 32 bits and their sort for each leaf.

An effective draw is one of as many independent ones as would tell as much of the mean of the
size of a zone's noise (bulk, rank-normalised; of a median zone). Compiling is not counted.

Run: python -m benchmarks.revision        (needs the extra `bench`; about four minutes)
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np

import holdfast as hf
from benchmarks.cases import taxi
from benchmarks.rounds import medians, seconds
from holdfast.revision.chains.gibbs import Gibbs
from holdfast.revision.chains.metropolis import Metropolis
from holdfast.revision.chains.mixing import effective_draws_bulk
from holdfast.revision.chains.proposals import AllCells, OneCell
from holdfast.revision.noisy_system import system_of
from holdfast.revision.noisy_tree import NoisyTree

TREE = taxi()
SCALE = 3  # epsilon 1, three levels
COUNT = 4_000  # vectors at one go
ZONES = TREE.leaf_nodes
CHAINS = 64


def plain_and_revised() -> float:
    """Print the cost of revised draws in plain ones; return exact draws a second."""
    mechanism = hf.Mechanism(TREE, hf.DiscreteLaplace.with_scale(SCALE))
    values, chance = TREE.aggregate(np.full(ZONES.size, 1000)), hf.seeded(1)
    work = {"plain": partial(mechanism.draws, values, COUNT, chance)}
    for method in ("messages", "exact"):
        revised = mechanism.revise(TREE.sums(), method=method)
        work[method] = partial(revised.draws, values, COUNT, chance)
    found = medians(work, rounds=15)
    print(f"{'':28}{'draws a second':>15} {'M nodes a second':>17} {'plain draws':>12}")
    for name, time in found.items():
        print(
            f"{name:28}{COUNT / time:>15,.0f} {COUNT * TREE.size / time / 1e6:>17.1f} "
            f"{time / found['plain']:>12.2f}"
        )
    return COUNT / found["exact"]


def chain_rate(states: Callable[[], np.ndarray]) -> tuple[float, float]:
    """Return effective draws a second of the size at a median zone, and at the root."""
    kept: list[np.ndarray] = []
    time = seconds(lambda: kept.append(states()))
    sizes = np.abs(kept[0][:, :, [0, *ZONES[::10].tolist()]])
    effective = effective_draws_bulk(sizes) / time
    return float(np.median(effective[1:])), float(effective[0])


def gibbs() -> tuple[float, float]:
    """Sweeps of four chains."""
    continuous = NoisyTree(TREE, [hf.Laplace.with_scale(SCALE)] * 3)
    return chain_rate(partial(Gibbs(system_of(continuous)).states, hf.seeded(1), 5_000))


def metropolis(law: object, proposal: object, steps: int, thin: int) -> tuple[float, float]:
    """M_MH, 64 chains side by side, from noise that has its law but for the inner nodes."""
    system = system_of(NoisyTree(TREE, [law] * 3))  # type: ignore[list-item]
    chain = Metropolis(system, proposal, 1, CHAINS, thin)  # type: ignore[arg-type]
    return chain_rate(lambda: chain.states(hf.seeded(1), steps)[:, steps // 5 :])


def nuts() -> tuple[float, float]:
    """NumPyro's no-U-turn sampler on the zones, the others their sums."""
    import jax
    import jax.numpy as jnp
    from numpyro.infer import MCMC, NUTS

    parents = np.repeat(np.arange(6), np.diff(TREE.arrays.child_offsets)[1:7])

    def energy(zones: object) -> object:
        boroughs = jax.ops.segment_sum(zones, parents, num_segments=6)
        sizes = jnp.abs(zones).sum() + jnp.abs(boroughs).sum() + jnp.abs(boroughs.sum())
        return sizes / SCALE

    sampler = MCMC(
        NUTS(potential_fn=energy), num_warmup=1_000, num_samples=2_000, progress_bar=False
    )
    start = jnp.asarray(np.random.default_rng(1).laplace(0, SCALE, ZONES.size))
    sampler.warmup(jax.random.PRNGKey(0), init_params=start)
    sampler.run(jax.random.PRNGKey(1))  # compiles

    def states() -> np.ndarray:
        sampler.run(jax.random.PRNGKey(2))
        zones = np.asarray(sampler.get_samples(), dtype=np.float64)
        return np.stack([[TREE.aggregate(row) for row in zones]])

    return chain_rate(states)


def main() -> None:
    exact = plain_and_revised()
    steps = (Fraction(3, 4), Fraction(3, 2), Fraction(3))
    whole, real = hf.DiscreteLaplace.with_scale(SCALE), hf.Laplace.with_scale(SCALE)
    peers: dict[str, Callable[[], tuple[float, float]]] = {"Gibbs": gibbs, "NUTS": nuts}
    for step in steps:
        square = (step * SCALE) ** 2
        one = OneCell(hf.DiscreteGaussian(square))
        peers[f"M_MH whole, one zone, {float(step)}"] = partial(metropolis, whole, one, 2_000, 100)
        one = OneCell(hf.Gaussian(square))
        peers[f"M_MH real, one zone, {float(step)}"] = partial(metropolis, real, one, 2_000, 100)
    for step in (Fraction(7, 100), Fraction(1, 10), Fraction(13, 100)):
        every = AllCells(hf.Gaussian((step * SCALE) ** 2))
        peers[f"M_MH real, all zones, {float(step)}"] = partial(metropolis, real, every, 1_000, 20)
    print(f"\n{'effective draws a second':28}{'median zone':>15} {'root':>17} {'exact is':>12}")
    for name, peer in peers.items():
        zone, root = peer()
        print(f"{name:28}{zone:>15,.1f} {root:>17,.1f} {exact / zone:>10,.0f} x", flush=True)


if __name__ == "__main__":
    main()
