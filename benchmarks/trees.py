"""Building trees: 7.7 million leaves from arrays, one million from a polars frame.

The least that must be done for an array of n labels: read it once (8 n bytes a level). What is
done: about six passes a level, no sort where the keys fit a table.

Run: python -m benchmarks.trees        (each case in a process of its own, for its memory)
"""

import subprocess
import sys

import numpy as np

import holdfast as hf
from benchmarks.cases import BLOCKS
from benchmarks.memory import peak
from benchmarks.rounds import seconds

MILLION = 10**6


def from_arrays() -> str:
    """Whole-number labels, one array a level."""
    grid = np.unravel_index(np.arange(np.prod(BLOCKS)), BLOCKS)
    columns = {f"level {place}": part.astype(np.int32) for place, part in enumerate(grid)}
    return built(columns, list(columns))


def from_shuffled_arrays() -> str:
    """The same, the rows in a random order."""
    order = np.random.default_rng(1).permutation(np.prod(BLOCKS))
    grid = np.unravel_index(order, BLOCKS)
    columns = {f"level {place}": part.astype(np.int32) for place, part in enumerate(grid)}
    return built(columns, list(columns))


def from_polars() -> str:
    """Names as text, one million leaves of three levels."""
    import polars as pl

    number = range(MILLION)
    frame = pl.DataFrame(
        {
            "state": [f"state {n // 20_000}" for n in number],
            "county": [f"county {n // 100}" for n in number],
            "block": [f"block {n}" for n in number],
        }
    )
    return built(frame, frame.columns)


def built(frame: object, levels: list[str]) -> str:
    """Build a tree and add up a table; return time and peak memory."""
    before = peak()
    trees: list[hf.Hierarchy] = []
    build = seconds(lambda: trees.append(hf.Hierarchy.from_frame(frame, levels)))
    (tree,) = trees
    ones = np.ones(tree.leaf_nodes.size, dtype=np.int64)
    add = seconds(lambda: tree.aggregate(ones))
    return (
        f"{tree.leaf_nodes.size:>10,} leaves  {build:6.2f} s to build  "
        f"{add * 1000:6.0f} ms to add up"
        f"  {peak():5.2f} GiB at most ({before:.2f} before)"
    )


CASES = {case.__name__: case for case in (from_arrays, from_shuffled_arrays, from_polars)}


def main() -> None:
    if len(sys.argv) > 1:
        print(CASES[sys.argv[1]]())
        return
    for name in CASES:
        line = [sys.executable, "-m", "benchmarks.trees", name]
        print(f"{name:22}", subprocess.run(line, capture_output=True, text=True).stdout.strip())


if __name__ == "__main__":
    main()
