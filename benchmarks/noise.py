"""Exact discrete noise from system chance, against OpenDP's vectorised exact draw.

The least that must be done: one word of 64 bits a draw, 1.1 thousand million a second from the
keystream (benchmarks.chance). What is done: one word and three look-ups a digit.

Run: python -m benchmarks.noise        (needs the extra `bench`)
"""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import opendp.prelude as dp

import holdfast as hf
from benchmarks.rounds import medians, seconds

OURS, THEIRS = 2_000_000, 100_000
SCALES = (1, 3, 10, 1000, 10**6)


def rate(count: int, time: float) -> float:
    """Return million draws a second."""
    return count / time / 1e6


def by_opendp(make, scale):
    """Return their draw of a vector, exact as ours."""
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    if make is dp.m.make_gaussian:
        space = space[0], dp.l2_distance(T="f64")
    measurement = make(*space, scale=float(scale))
    zeros = [0] * THEIRS
    return lambda: measurement(zeros)


def on_two_cores(law) -> float:
    """Return million draws a second with two threads, each with its own source."""

    def work(_: int) -> int:
        source = hf.system_chance()
        for _ in range(5):
            law.draw(source, OURS)
        return 5 * OURS

    with ThreadPoolExecutor(2) as pool:
        return rate(10 * OURS, seconds(lambda: list(pool.map(work, range(2)))))


def table(title: str, make_law, make_theirs) -> None:
    print(f"\n{title}: million exact draws a second, median of 7 interleaved rounds")
    print(
        f"{'scale':>9} {'set-up ms':>10} {'one core':>9} {'two cores':>10} "
        f"{'OpenDP':>8} {'ratio':>7}"
    )
    for scale in SCALES:
        law = make_law(scale)
        source = hf.system_chance()
        setup = seconds(partial(law.draw, source)) * 1000
        ours_now = partial(law.draw, source, OURS)
        found = medians({"ours": ours_now, "theirs": by_opendp(make_theirs, scale)})
        ours, theirs = rate(OURS, found["ours"]), rate(THEIRS, found["theirs"])
        both = on_two_cores(law)
        print(
            f"{scale:>9} {setup:10.1f} {ours:9.1f} {both:10.1f} {theirs:8.3f} {ours / theirs:7.0f}"
        )


def main() -> None:
    table("discrete Laplace", hf.DiscreteLaplace.with_scale, dp.m.make_laplace)
    table("discrete Gaussian", hf.DiscreteGaussian.with_scale, dp.m.make_gaussian)
    generator = np.random.default_rng()
    q = 1 - np.exp(-1 / 3)
    inexact = medians(
        {"numpy": lambda: generator.geometric(q, OURS) - generator.geometric(q, OURS)}
    )
    print(
        f"\nNumPy, difference of two geometrics in floats, not exact, scale 3: "
        f"{rate(OURS, inexact['numpy']):.1f} million a second"
    )


if __name__ == "__main__":
    main()
