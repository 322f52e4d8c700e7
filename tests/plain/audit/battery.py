"""All auditors on one mechanism. False alarms: at most `ALARM` for all of them together."""

from dataclasses import dataclass

from holdfast.foundation.randomness import seeded
from tests.plain.audit import exact_loss, forking, frequencies, lattice, replay, shared_noise
from tests.plain.audit.claim import Audited, Finding

AUDITORS = {
    "exact loss": exact_loss,
    "frequencies": frequencies,
    "replay": replay,
    "forking": forking,
    "shared noise": shared_noise,
    "lattice": lattice,
}
ALARM = sum(module.ALARM for module in AUDITORS.values())
Findings = dict[str, Finding]


@dataclass(frozen=True, slots=True)
class Effort:
    """How much each auditor does: runs on tapes a table, draws a table, seeds, looks, outputs."""

    tapes: int
    draws: int
    replays: int
    looks: int
    outputs: int


MUTANT = Effort(tapes=9000, draws=6_000_000, replays=400, looks=2000, outputs=20_000)
MUTANT_IN_FULL = Effort(tapes=20_000, draws=30_000_000, replays=5000, looks=20_000, outputs=10**6)
RIGHT = Effort(tapes=250, draws=60_000, replays=3, looks=1000, outputs=1000)
RIGHT_IN_FULL = Effort(tapes=3000, draws=1_000_000, replays=100, looks=20_000, outputs=100_000)


def examine(audited: Audited, effort: Effort, seed: int) -> Findings:
    """Return what each auditor but `forking` finds; seeds of different auditors differ."""
    chances = [seeded(3 * seed + number) for number in range(3)]
    return {
        "exact loss": exact_loss.examine(audited, effort.tapes),
        "frequencies": frequencies.examine(audited, chances[0], effort.draws),
        "replay": replay.examine(audited, effort.replays),
        "shared noise": shared_noise.examine(audited, chances[1], effort.looks),
        "lattice": lattice.examine(audited, chances[2], effort.outputs),
    }


def examine_all(many: tuple[Audited, ...], effort: Effort) -> dict[str, Findings]:
    """Return what every auditor finds of each mechanism, by name."""
    forks = forking.examine(tuple(audited.name for audited in many))
    return {
        audited.name: {**examine(audited, effort, seed), "forking": forks[audited.name]}
        for seed, audited in enumerate(many)
    }


def summary(mutants: dict[str, Findings], right: dict[str, Findings]) -> str:
    """Return in one line how many mutants were flagged and how many right ones with them."""
    flagged = sum(bool(seen_by(findings)) for findings in mutants.values())
    false = sum(bool(seen_by(findings)) for findings in right.values())
    return f"{flagged} of {len(mutants)} flagged, {false} false alarms in {len(right)} runs"


def seen_by(findings: Findings) -> set[str]:
    """Return the auditors that raise an alarm."""
    return {name for name, finding in findings.items() if finding.alarm}
