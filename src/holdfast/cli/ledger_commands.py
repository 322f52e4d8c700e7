"""What `holdfast ledger` does."""

import argparse
import json
import sys

from holdfast.noise.budget import BudgetWords
from holdfast.privacy.ledger.ledger import Ledger


def create(asked: argparse.Namespace) -> int:
    """Make a ledger."""
    budget: BudgetWords = {"epsilon": asked.epsilon, "rho": asked.rho, "delta": asked.delta}
    ledger = Ledger.create(asked.file, neighbours=asked.neighbours, unit=asked.unit, **budget)
    sys.stdout.write(f"{ledger!r}\n")
    sys.stdout.write(
        f"Keep {asked.file}.key and {asked.file}.witness: without them it stays shut.\n"
    )
    return 0


def show(asked: argparse.Namespace) -> int:
    """Show what was spent and on what."""
    ledger = Ledger(asked.file)
    if asked.json:
        sys.stdout.write(json.dumps(_words(ledger), indent=2) + "\n")
        return 0
    sys.stdout.write(f"{ledger!r}\n")
    for entry in ledger.entries:
        sys.stdout.write(f"  {entry.name:32} {entry.state:10} {entry.cost}\n")
    return 0


def _words(ledger: Ledger) -> dict[str, object]:
    """Return a ledger as JSON has it."""
    return {
        "total": str(ledger.total),
        "spent": str(ledger.spent),
        "left": str(ledger.left),
        "neighbours": ledger.neighbours,
        "unit": ledger.unit,
        "entries": [
            {"name": entry.name, "state": entry.state, "cost": str(entry.cost)}
            for entry in ledger.entries
        ],
    }


def backup(asked: argparse.Namespace) -> int:
    """Write a verified copy."""
    Ledger(asked.file).backup(asked.folder)
    sys.stdout.write(f"{asked.folder}: a copy without the key; keep a copy of the key apart.\n")
    return 0


def restore(asked: argparse.Namespace) -> int:
    """Bring a backup back."""
    sys.stdout.write(f"{Ledger.restore(asked.folder, asked.file)!r}\n")
    return 0


def move(asked: argparse.Namespace) -> int:
    """Close a ledger and go on at another place."""
    sys.stdout.write(f"{Ledger(asked.file).move(asked.target)!r}\n")
    return 0
