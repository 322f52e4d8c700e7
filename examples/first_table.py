"""A first table that adds up: New York's taxi trips of January 2022 by borough and kind of zone.

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
BOROUGHS = slice(1, 8)
TREE = hf.Hierarchy.from_paths(TRIPS, root="New York")
TABLE: list[int] = TREE.aggregate([TRIPS[leaf] for leaf in TREE.leaves]).tolist()
MECHANISM = hf.Mechanism.calibrate(TREE, "discrete-laplace", epsilon="0.1")
REVISED = MECHANISM.revise(TREE.sums())


def two_tables(chance: Chance) -> tuple[list[int], list[int]]:
    """Return the table with plain noise, and with noise revised on the sums."""
    return MECHANISM.draw(TABLE, chance).tolist(), REVISED.draw(TABLE, chance).tolist()


def main() -> None:
    """Print both tables and the error to expect; then both views on a box with a fruit."""
    rules = TREE.sums() & hf.nonnegative()
    print(repr(TREE))
    print(f"must hold: {rules!r}\n")
    noisy, revised = two_tables(hf.system_chance())
    left = REVISED.expected_error()  # of plain noise it is 1 / sinh(1 / scale), nearly the scale
    print(f"{'':34}{'trips':>11}{'noisy':>11}{'revised':>11}{'error to expect':>18}")
    for node, path in enumerate(TREE.paths):
        name = "  " * len(path) + (", ".join(map(str, path)) or TREE.root)
        counts = f"{TABLE[node]:11,}{noisy[node]:11,}{revised[node]:11,}"
        print(f"{name:34}{counts}{left[node]:18.1f}")
    print("\nepsilon 0.1, add-remove: noise of scale 30 at every node, 30.0 away on average.")
    print("Revised noise costs the same, is smaller on average at every node, and adds up.")
    print("The boroughs together:")
    print(f"  noisy:   {sum(noisy[BOROUGHS]):,}; the total says {noisy[0]:,}.")
    print(f"  revised: {sum(revised[BOROUGHS]):,}; the total says {revised[0]:,}.")
    print(f"How it was drawn: {REVISED.method}, evidence {REVISED.evidence}.")
    street = REVISED.update(rules).apply(revised)
    moved = sum(a != b for a, b in zip(street, revised, strict=True))
    print(f"Updated onto no count below 0: {moved} of {TREE.size} counts moved.")

    print("\nTwo ways to make a belief obey a rule, on a box with an apple or a banana:")
    box = hf.Belief({"apple": "0.7", "banana": "0.3"})
    print("  revise ('there is no apple'):      ", box.revise({"banana", "empty"}))
    gone = {"apple": "empty", "banana": "banana"}
    print("  update ('the apple has been eaten'):", box.update({"banana", "empty"}, gone))


if __name__ == "__main__":
    main()
