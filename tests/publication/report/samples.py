"""Releases to report, made as the product makes them but with a seed: a simulation."""

from functools import cache

import numpy as np

import holdfast as hf
from holdfast.foundation.randomness import seeded
from holdfast.publication.level_error import LevelError
from holdfast.publication.report.reported import Reported

ZONES = {
    "EWR": 1,
    "Queens": 69,
    "Bronx": 43,
    "Manhattan": 69,
    "Staten Island": 20,
    "Brooklyn": 61,
}
NASTY = (
    "<img onerror=x src=y>",
    "<script>alert(1)</script>",
    "a \"quoted\" name & 'another'",
    "=HYPERLINK(1)",
    "@sum",
    "-1+2",
    "Long" * 200,
    "many short words " * 20 + "end",
    "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd",
    "\u0645\u0631\u062d\u0628\u0627",
    "\u6771\u4eac\u90fd\u65b0\u5bbf\u533a" * 12,
    "</table></main><style>*{display:none}</style>",
)


def released(tree, *, epsilon="1", name="trips-2022-02", labels=None, counts=None, **words):
    """Return a release by the recommended street; `words` replace what is reported."""
    neighbours = words.pop("neighbours", "add-remove")
    facts = words.pop("facts", None)
    leaves = _counts(tree.leaf_nodes.size) if counts is None else counts
    table = tree.aggregate(leaves)
    mechanism = hf.Mechanism.calibrate(
        tree,
        words.pop("noise", "discrete-laplace"),
        neighbours=neighbours,
        rows=words.pop("rows", 1),
        **({"rho": words.pop("rho")} if "rho" in words else {"epsilon": epsilon}),
    )
    sums = tree.sums() if facts is None else tree.sums() & facts(table)
    revised = mechanism.revise(sums)
    street = revised.update(sums & hf.nonnegative())
    noisy = revised.draw(table, seeded(7))
    value = street.apply(noisy)
    half = np.ceil(revised.interval("0.95")).astype(np.int64)
    lower = np.minimum(np.maximum(noisy - half, 0), value)
    upper = np.maximum(noisy + half, value)
    parts = {
        "name": name,
        "rehearsal": False,
        "tree": tree,
        "labels": labels,
        "street": "revise sums, update nonnegative",
        "sampler": revised.method,
        "confidence": "0.95",
        "value": value,
        "lower": lower,
        "upper": upper,
        "certificate": street.certificate,
        "diagnosis": street.diagnose(noisy, value),
        "levels": errors(tree, revised, half),
        "wide": upper - lower > np.maximum(value, 1),
    }
    return Reported(**{**parts, **words})


def errors(tree, revised, half):
    """Return the errors to expect by level."""
    means, variances = revised.expected_error(), revised.variance()
    return tuple(
        LevelError(
            name,
            int((tree.levels == depth).sum()),
            float(means[tree.levels == depth].mean()),
            float(np.sqrt(variances[tree.levels == depth].mean())),
            float(half[tree.levels == depth].mean()),
            True,
        )
        for depth, name in enumerate(tree.level_names)
    )


def _counts(size):
    """Return public invented counts: few large ones, many small ones, some 0."""
    place = np.arange(size)
    return (40_000 / (1 + place * 7 % (size + 1)) ** 1.1).astype(np.int64) - (place % 5 == 0)


@cache
def small():
    """A tree of 13 nodes."""
    names = {"Bronx": 2, "Queens": 4, "Brooklyn": 3}
    paths = [(borough, f"zone {k}") for borough, many in names.items() for k in range(many)]
    tree = hf.Hierarchy.from_paths(paths, root="New York")
    assert tree.size == 13
    return released(tree, counts=[12, 340, 5, 2_165_475, 0, 33, 9_800, 1, 77])


@cache
def taxi():
    """A tree of the shape of New York's taxi zones, 270 nodes, with a label beside each leaf."""
    leaves = [(name, k) for name, zones in ZONES.items() for k in range(1, zones + 1)]
    tree = hf.Hierarchy.from_paths(leaves, root="NYC")
    labels = tuple(f"{name} Heights/{k} Street & Park" for name, k in tree.leaves)
    return released(tree, counts=_counts(tree.leaf_nodes.size) // 40, labels=labels)


@cache
def deep():
    """A tree of four levels below the root and some 3,000 nodes."""
    paths = [
        (f"Region {r}", f"County {r}.{c}", f"Tract {r}.{c}.{t}", f"Block {b}")
        for r in range(8)
        for c in range(6)
        for t in range(8)
        for b in range(7 - (r + t) % 3)
    ]
    return released(hf.Hierarchy.from_paths(paths, root="Ruritania"), epsilon="0.5")


@cache
def rehearsal():
    return released(small().tree, rehearsal=True, name="trips-2022-03", epsilon="0.1")


@cache
def with_facts():
    """A release under replace-one whose total is given, three rows a person, in rho."""
    tree = small().tree
    return released(
        tree,
        name="patients-2025",
        neighbours="replace-one",
        rows=3,
        noise="discrete-gaussian",
        rho="0.06",
        counts=[120, 3400, 56, 21654, 0, 330, 9800, 10, 770],
        facts=lambda table: hf.total(int(table[0])),
    )


@cache
def nasty():
    """Names that look like markup, like formulas, that run from right to left, or do not end."""
    paths = [(name, inner) for name in NASTY for inner in (NASTY[0], NASTY[6], "plain")]
    tree = hf.Hierarchy.from_paths(paths, root='<b onclick="x">root</b>')
    labels = tuple("\u202eevil\nline" if k % 2 else NASTY[1] for k in range(len(paths)))
    return released(tree, labels=labels, name="</title><script>x</script>")


@cache
def broad():
    """Nearly the most that stands side by side: four levels, a label, numbers of six digits."""
    paths = [tuple(f"a part {depth} of number {k}" for depth in range(4)) for k in range(4)]
    tree = hf.Hierarchy.from_paths(paths, root="Ruritania")
    counts = [456_789, 5, 99_999, 1]
    return released(tree, counts=counts, labels=("a label",) * 4)


@cache
def tall():
    """Twelve levels, and errors from none at all to millions."""
    paths = [tuple(f"part {depth} of {k}" for depth in range(12)) for k in range(4)]
    tree = hf.Hierarchy.from_paths(paths, root="R\N{LATIN SMALL LETTER E WITH ACUTE}union")
    sizes = [0.0, 0.02, 0.5, 3, 40, 500, 6e3, 7e4, 8e5, 9e6, 12.5, 1e-4, 3.25]
    levels = tuple(
        LevelError(name, 4, size, 1.3 * size, 3 * size, depth % 2 == 0)
        for depth, (name, size) in enumerate(zip(tree.level_names, sizes, strict=True))
    )
    return released(tree, levels=levels, labels=("a", "b", "c", "d"))


def plain():
    """A release without rules: nothing revised, nothing updated."""
    tree = small().tree
    mechanism = hf.Mechanism.calibrate(tree, "discrete-laplace", epsilon="2")
    value = mechanism.draw(small().value, seeded(3))
    levels = tuple(LevelError(name, 1, 1.5, 2.1, 4.5, False) for name in tree.level_names)
    return released(
        tree,
        certificate=mechanism.certificate,
        value=value,
        lower=value - 5,
        upper=value + 5,
        diagnosis=None,
        levels=levels,
        street="noise",
        sampler="independent",
    )


EVERY = {
    each.__name__: each
    for each in (small, taxi, deep, rehearsal, with_facts, nasty, broad, tall, plain)
}
