"""Revised noise on large trees, in draws of plain noise from the same source.

The least that must be done: one word of 64 bits a node, as for plain noise (10 bytes of it, with
its sum written). What is done for revised noise: on the way down one word a node but the root,
two look-ups in the weights of its family's shape, and the node's total written; nothing is
passed up, for the messages are computed once for a geometry and its scales. A family unlike
all others has no table: its weights are multiplied together for each draw, some 180 of them.

Set-up: the messages, and the layout of the tree. Each case in a process of its own, for its
memory.

Run: python -m benchmarks.large_trees [us50_2020_blockgroup_population.parquet]
     (without the file, the block groups are a made-up tree of the same size)
"""

import subprocess
import sys
from functools import partial

import numpy as np

import holdfast as hf
from benchmarks import cases
from benchmarks.memory import peak
from benchmarks.rounds import medians, seconds
from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.revision.evidence import WithinTotalVariation

LAWS: dict[str, DiscreteLaplace | DiscreteGaussian] = {
    "laplace": DiscreteLaplace.with_scale(5),  # epsilon 1 on five levels
    "gaussian": DiscreteGaussian.with_variance(25),
}
TOGETHER = 1 << 22  # numbers drawn in one call of `draws`


def measured(tree: hf.Hierarchy, law: str) -> str:
    """Time set-up, plain and revised draws of one table, one at a time and many at once."""
    before = peak()
    mechanism = hf.Mechanism(tree, LAWS[law])
    revised = mechanism.revise(tree.sums(), method="messages")
    table = tree.aggregate(np.full(tree.leaf_nodes.size, 1000))
    chance, many = hf.system_chance(), max(1, TOGETHER // tree.size)
    set_up = seconds(lambda: revised.draw(table, chance))
    found = medians(
        {
            "plain": partial(mechanism.draw, table, chance),
            "revised": partial(revised.draw, table, chance),
            "many plain": partial(mechanism.draws, table, many, hf.seeded(1)),
            "many revised": partial(revised.draws, table, many, hf.seeded(2)),
        },
        rounds=9,
    )
    evidence = revised.evidence
    assert isinstance(evidence, WithinTotalVariation)
    return (
        f"{tree.leaf_nodes.size:>9,} leaves {tree.size:>9,} nodes  "
        f"set-up and first draw {set_up:5.2f} s  {_pair(found, '', tree.size)}  "
        f"{many} at once: {_pair(found, 'many ', tree.size * many)}  "
        f"{peak():4.2f} GiB ({before:.2f} before)  distance at most {float(evidence.bound):.1e}"
    )


def _pair(found: dict[str, float], which: str, nodes: int) -> str:
    plain, revised = found[f"{which}plain"], found[f"{which}revised"]
    return (
        f"plain {plain * 1e3:6.1f} ms  revised {revised * 1e3:6.1f} ms = "
        f"{revised / plain:4.2f} plain, {nodes / revised / 1e6:5.1f} M nodes/s"
    )


def main() -> None:
    if sys.argv[-1] in LAWS:
        name, *file, law = sys.argv[1:]
        tree = cases.blocks() if name == "blocks" else cases.block_groups(*file)
        print(measured(tree, law))
        return
    for name in ("block_groups", "blocks"):
        for law in LAWS:
            line = [sys.executable, "-m", "benchmarks.large_trees", name, *sys.argv[1:], law]
            found = subprocess.run(line, capture_output=True, text=True)
            print(f"{name:13}{law:9}", found.stdout.strip() or found.stderr, flush=True)


if __name__ == "__main__":
    main()
