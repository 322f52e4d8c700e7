"""Trees and mechanisms on which the room of publication is tried."""

import holdfast as hf

GROUP = hf.Hierarchy.from_paths([(n,) for n in range(6)], root="whole")
TREE = hf.Hierarchy.from_paths([("a", n) for n in range(5)] + [("b", 0), ("b", 1), ("c", 0)])
LAPLACE, GAUSSIAN = "discrete-laplace", "discrete-gaussian"


def mechanism(tree=TREE, family=LAPLACE, neighbours="add-remove", **words):
    budget = {"rho": "0.1"} if family == GAUSSIAN else {"epsilon": 1}
    if family == "gaussian":
        budget["delta"] = "0.000001"
    return hf.Mechanism.calibrate(tree, family, neighbours, **(words or budget))


def rules_of(tree):
    return tree.sums() & hf.nonnegative()
