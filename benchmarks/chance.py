"""Words of 64 bits from each source of chance.

Run: python -m benchmarks.chance
"""

import os

import numpy as np

import holdfast as hf
from benchmarks.rounds import medians

WORDS = 1 << 20


def main() -> None:
    system, seeded = hf.system_chance(), hf.seeded(1)
    twister, pcg = np.random.MT19937(), np.random.PCG64()
    found = medians(
        {
            "system_chance (AES-256-CTR)": lambda: system.words(WORDS),
            "seeded (AES-256-CTR)": lambda: seeded.words(WORDS),
            "NumPy PCG64": lambda: pcg.random_raw(WORDS),
            "NumPy MT19937": lambda: twister.random_raw(WORDS),
            "os.urandom": lambda: np.frombuffer(os.urandom(8 * WORDS), dtype=np.uint64),
        },
        rounds=15,
    )
    print("million words of 64 bits a second, median of 15 interleaved rounds")
    for name, time in found.items():
        print(f"{name:30} {WORDS / time / 1e6:7.0f}")


if __name__ == "__main__":
    main()
