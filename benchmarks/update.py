"""Updates onto the sums of a tree and onto counts of at least 0, beside other tools.

The least that must be done: read each value and write it once. What is done: two sweeps for the
sums alone, five passes a level; for counts that must not be negative the same again some five
times; for whole numbers a rounding, and the prices of all moves once, fifty passes a level.

Equal weights; noise of scale 5 on every node of a table of rare people, 1.3 a leaf on average, so
that the rule of no negative counts binds in most leaves. Each peer's objective is told as what it
is above ours, and by how much its worst rule is broken; its statuses are checked, not believed.

Run: python -m benchmarks.update [us50_2020_blockgroup_population.parquet]
"""

import sys
from collections.abc import Iterator
from functools import partial

import numpy as np

import holdfast as hf
from benchmarks import cases
from benchmarks.peers import PEERS, Programme, programme
from benchmarks.rounds import medians, seconds
from holdfast.mechanism.updated import Updated
from holdfast.update.top_down.top_down import TopDown


def ten_thousand() -> hf.Hierarchy:
    """Ten thousand leaves below 40 and 700 nodes, families of all sizes."""
    random = np.random.default_rng(1)
    upper, middle = np.sort(random.integers(0, 40, 700)), np.sort(random.integers(0, 700, 10_000))
    columns = {"a": upper[middle], "b": middle, "c": np.arange(10_000)}
    return hf.Hierarchy.from_frame(columns, ["a", "b", "c"])


def ours(given: Programme, asked: np.ndarray) -> Iterator[tuple[str, float, np.ndarray]]:
    """Yield our real and whole updates, with the median of seven rounds."""
    rules = given.tree.sums() & hf.nonnegative() if given.nonnegative else given.tree.sums()
    mechanism = hf.Mechanism(given.tree, hf.DiscreteLaplace.with_scale(5))
    ways: dict[str, Updated | TopDown] = {
        "Holdfast, real": mechanism.update(rules, integers=False),
        "Holdfast, whole": mechanism.update(rules, integers=True),
    }
    if given.nonnegative:
        ways["TopDown"] = TopDown(given.tree)
    work = {name: partial(way.apply, asked) for name, way in ways.items()}
    found = medians(work)
    for name, way in ways.items():
        yield name, found[name], way.apply(asked).astype(float)


def peers(given: Programme) -> Iterator[tuple[str, float, np.ndarray | str]]:
    """Yield each peer's time and answer, or what it said when it failed."""
    for name, solve in PEERS.items():
        if name == "sparse LU" and given.nonnegative:
            continue
        kept: list[np.ndarray | str] = []

        def work(solve=solve, kept=kept) -> None:
            try:
                kept.append(solve(given))
            except (RuntimeError, ValueError) as fault:
                kept.append(str(fault))

        time = seconds(work)
        yield name, time, kept[0]


def main() -> None:
    trees = [cases.taxi(), ten_thousand(), cases.block_groups(*sys.argv[1:2])]
    for tree in trees:
        random = np.random.default_rng(2)
        truth = tree.aggregate(random.poisson(1.3, tree.leaf_nodes.size))
        asked = truth + hf.DiscreteLaplace.with_scale(5).draw(hf.seeded(1), tree.size)
        for nonnegative in (False, True):
            given = programme(tree, asked, nonnegative)
            said = "sums, no count below 0" if nonnegative else "sums"
            print(f"\n{tree.leaf_nodes.size:,} leaves, {said}")
            first = None
            for name, time, answer in [*ours(given, asked), *peers(given)]:
                if isinstance(answer, str):
                    print(f"  {name:18}{time * 1e3:10.1f} ms  {answer[:60]}", flush=True)
                    continue
                objective = given.objective(answer)
                first = first or (time, objective)
                print(
                    f"  {name:18}{time * 1e3:10.1f} ms {time / first[0]:8.1f} times  objective "
                    f"{objective:.6f} ({objective / first[1] - 1:+.1e})  worst rule off by "
                    f"{given.gap(answer):.0e}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
