"""A folder as a user has it: rows, a public list, a plan, a ledger."""

from pathlib import Path

import holdfast as hf
from tests.publication.samples import PLAN

ZONES = "Borough,Zone\nA,a\nA,b\nB,c\nC,d\n"
ROWS = {("A", "a"): 40, ("A", "b"): 0, ("B", "c"): 17, ("C", "d"): 3}


def furnished(folder: Path, text: str = PLAN, rows=ROWS, epsilon="10") -> Path:
    """Put a plan and all it names into a folder; return the plan's path."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "zones.csv").write_text(ZONES)
    lines = [f"{b},{z}" for (b, z), count in rows.items() for _ in range(count)]
    (folder / "trips.csv").write_text("\n".join(["Borough,Zone", *lines, ""]))
    if not (folder / "budget.sqlite").exists():
        hf.Ledger.create(folder / "budget.sqlite", epsilon=epsilon)
    (folder / "plan.toml").write_text(text)
    return folder / "plan.toml"
