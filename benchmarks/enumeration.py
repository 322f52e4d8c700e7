"""Every certificate against the worst exact loss: all small trees, totals up to 6, in full.

Trees of up to 4 leaves, three sets of ratios, four relations, pins, five streets. The short form
runs with the tests (tests/privacy/test_enumeration.py).

Run: python -m benchmarks.enumeration
"""

import time
from dataclasses import replace

from tests.plain.judged import STREETS, judged
from tests.plain.loss_cases import cases

MOST = 6


def main() -> None:
    every = [replace(case, most=MOST) for case in cases()]
    print(f"{len(every)} cases; tables up to a total of {MOST}\n")
    start = time.perf_counter()
    for street in STREETS:
        seen = list(judged(street, every))
        certified = [each for each in seen if each.certificate is not None]
        wrong = [each for each in certified if not each.is_covered]
        lost = [each for each in seen if each.certificate is None and each.above > 1]
        tight = sum(each.is_tight for each in certified)
        print(f"{street}: {len(certified)} certified, of which {tight} are the exact worst loss; ")
        print(f"  {len(seen) - len(certified)} withheld, of which {len(lost)} without reason")
        print(f"  {len(seen) - len(wrong) - len(lost)} passed, {len(wrong) + len(lost)} failed")
    print(f"\n{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
