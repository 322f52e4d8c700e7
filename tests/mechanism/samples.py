"""Trees, laws and rules on which the room of mechanisms is tried."""

import holdfast as hf

GROUP = hf.Hierarchy.from_paths([("a",), ("b",), ("c",)], root="whole")
TREE = hf.Hierarchy.from_paths([("A", 1), ("A", 2), ("B", 3)], root="whole")
TABLE = TREE.aggregate([4, 0, 7])
DEEP = hf.Hierarchy.from_paths(
    [tuple(f"{n >> level & 1}" for level in range(8)) for n in range(256)], root="whole"
)
WHOLE = hf.DiscreteLaplace.with_scale(2)
WHOLE_GAUSSIAN = hf.DiscreteGaussian.with_scale(2)
REAL = hf.Laplace.with_scale(2)
NORMAL = hf.Gaussian.with_scale(2)
A_IS_B = hf.equalities([[0, 1, -1, 0, 0, 0]], -3)
FIRST_IS_MORE = hf.inequalities([[0, 0, 0, 1, -1, 0]], 0)


def mechanism(tree=TREE, law=WHOLE) -> hf.Mechanism:
    return hf.Mechanism(tree, law, neighbours="replace-one")
