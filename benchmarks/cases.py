"""The trees that benchmarks share: taxi zones, block groups, census blocks."""

from pathlib import Path

import numpy as np

import holdfast as hf

BOROUGHS = (69, 69, 61, 43, 20, 1)  # zones of each borough of New York: 263
BLOCKS = (51, 61, 23, 3, 36)  # states, counties, tracts, groups, blocks: 7,727,724 leaves
BLOCK_GROUPS = (50, 3_143, 84_415, 239_209)  # of the United States, level by level


def taxi() -> hf.Hierarchy:
    """A root, six boroughs, 263 zones."""
    return hf.Hierarchy.from_paths(
        [(b, z) for b, zones in enumerate(BOROUGHS) for z in range(zones)]
    )


def blocks() -> hf.Hierarchy:
    """Every parent of a level with as many children as the others."""
    grid = np.unravel_index(np.arange(np.prod(BLOCKS)), BLOCKS)
    columns = {f"level {place}": part.astype(np.int32) for place, part in enumerate(grid)}
    return hf.Hierarchy.from_frame(columns, list(columns))


def block_groups(file: str | None = None) -> hf.Hierarchy:
    """Read state, county, tract and blockgroup from a Parquet file, or make a tree as large.

    The one that is made has random families; no parent is without a child.
    """
    if file is not None:
        import polars as pl

        levels = ["state", "county", "tract", "blockgroup"]
        return hf.Hierarchy.from_frame(pl.read_parquet(Path(file), columns=levels), levels)
    parents = [np.arange(BLOCK_GROUPS[-1])]
    random = np.random.default_rng(1)
    for above, below in zip(BLOCK_GROUPS[-2::-1], BLOCK_GROUPS[:0:-1], strict=True):
        family = np.concatenate([np.arange(above), random.integers(above, size=below - above)])
        parents.append(np.sort(family)[parents[-1]])
    return hf.Hierarchy.from_frame(
        {f"level {n}": p for n, p in enumerate(parents[::-1])},
        [f"level {n}" for n in range(len(parents))],
    )
