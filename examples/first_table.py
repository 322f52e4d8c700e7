"""A first noisy table: New York's taxi trips of January 2022 by borough and kind of zone.

Run: python examples/first_table.py
"""

import holdfast as hf
from holdfast.foundation.randomness import Chance

TRIPS: dict[tuple[str | int, ...], int] = {
    ("Manhattan", "Yellow Zone"): 2_165_475,
    ("Manhattan", "Boro Zone"): 60_595,
    ("Queens", "Airports"): 162_740,
    ("Queens", "Boro Zone"): 27_077,
    ("Brooklyn", "Boro Zone"): 13_831,
    ("Bronx", "Boro Zone"): 3_893,
    ("Staten Island", "Boro Zone"): 133,
    ("Newark", "Airports"): 347,
    ("Unknown", "Unknown"): 29_788,
}


def noisy_table(chance: Chance) -> tuple[hf.Hierarchy, list[int], list[int]]:
    """Return the tree, the table, and the table with exact discrete Laplace noise."""
    tree = hf.Hierarchy.from_paths(TRIPS, root="New York")
    table = tree.aggregate([TRIPS[leaf] for leaf in tree.leaves])
    mechanism = hf.Mechanism.calibrate(tree, "discrete-laplace", epsilon="0.1")
    return tree, table.tolist(), mechanism.draw(table, chance).tolist()


def main() -> None:
    """Print the noisy table, how far it is from adding up, and what the two views would say."""
    tree, table, noisy = noisy_table(hf.system_chance())
    rules = tree.sums() & hf.nonnegative()
    print(repr(tree))
    print(f"must hold: {rules!r}\n")
    print(f"{'':34}{'trips':>12}{'noisy':>12}")
    for path, count, seen in zip(tree.paths, table, noisy, strict=True):
        name = "  " * len(path) + (", ".join(map(str, path)) or tree.root)
        print(f"{name:34}{count:12,}{seen:12,}")
    boroughs = sum(noisy[1 : 1 + 7])
    print(f"\nepsilon 0.1, add-remove; every node has noise of scale {3 / 0.1:.0f}.")
    print(f"The noisy boroughs add up to {boroughs:,}, the noisy total is {noisy[0]:,}.")
    print(f"Does the true table obey the rules? {rules.holds(table)}. The noisy one? ", end="")
    print(f"{rules.holds(noisy)}.")

    print("\nTwo ways to make a belief obey a rule, on a box with an apple or a banana:")
    box = hf.Belief({"apple": "0.7", "banana": "0.3"})
    print("  revise ('there is no apple'):      ", box.revise({"banana", "empty"}))
    gone = {"apple": "empty", "banana": "banana"}
    print("  update ('the apple has been eaten'):", box.update({"banana", "empty"}, gone))


if __name__ == "__main__":
    main()
