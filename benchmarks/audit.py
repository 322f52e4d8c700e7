"""The audit in full: thirteen faulty mechanisms must be flagged, a hundred right ones must not.

Run: python -m benchmarks.audit, or python -m benchmarks.audit quick for what the tests do.
"""

import sys

from tests.plain.audit import battery
from tests.plain.audit.battery import AUDITORS, Effort, Findings, examine_all, seen_by, summary
from tests.plain.audit.claim import Audited
from tests.plain.audit.mutants import MUTANTS
from tests.plain.audit.register import right_ones

from benchmarks.rounds import seconds

SIGNS = {True: "flagged", False: "-", None: "cannot judge"}


def timed(many: tuple[Audited, ...], effort: Effort) -> tuple[dict[str, Findings], float]:
    """Return what is found, and in how many seconds."""
    found: dict[str, Findings] = {}
    return found, seconds(lambda: found.update(examine_all(many, effort)))


def show(found: dict[str, Findings]) -> None:
    """Print a line for each mechanism."""
    print(f"{'':36}" + "".join(f"{name:14}" for name in AUDITORS))
    for name, findings in found.items():
        print(f"{name:36}" + "".join(f"{SIGNS[findings[who].alarm]:14}" for who in AUDITORS))


def main() -> None:
    quick = sys.argv[1:] == ["quick"]
    faulty, right = battery.MUTANT_IN_FULL, battery.RIGHT_IN_FULL
    if quick:
        faulty, right = battery.MUTANT, battery.RIGHT
    mutants, mutants_time = timed(MUTANTS, faulty)
    show(mutants)
    others, others_time = timed(right_ones(), right)
    print()
    for who in AUDITORS:
        judged = sum(findings[who].alarm is not None for findings in others.values())
        print(f"{who:14} judges {judged:3} of {len(others)} right mechanisms")
    print(f"{mutants_time:.0f} s for the mutants, {others_time:.0f} s for the right ones")
    print(f"false alarms: at most {battery.ALARM:.1e} a run, all auditors together")
    print(summary(mutants, others))
    missed = any(not seen_by(findings) for findings in mutants.values())
    sys.exit(missed or any(seen_by(findings) for findings in others.values()))


if __name__ == "__main__":
    main()
