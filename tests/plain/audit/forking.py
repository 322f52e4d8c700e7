"""Whether a child process repeats its parent's noise.

A mechanism draws, the process forks, and both draw again. Alarm: all of the child's outputs are
the parent's, though at least `APART` of them differ from those before the fork.

False alarms: at most 2**-APART. For three independent outputs of one law, a triple weighs
sum of p**2 (p + 2 (1 - p)), which is at most 1, if it is counted once where all agree and twice
where only the later two do; so `APART` of the latter have chance at most 2**-APART. Sees noise
that is wholly repeated; does not judge a mechanism whose outputs hardly vary.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from holdfast.foundation.errors import BadChance
from holdfast.foundation.randomness import system_chance
from tests.plain.audit.claim import Audited, Finding

APART = 40
ALARM = 2.0**-APART
ROWS = 2000
FEWER_ROWS = 120  # enough for tables, whose outputs seldom agree
ROOT = Path(__file__).parents[3]
Rows = list[list[float]]


def judge(before: Rows, parent: Rows, child: Rows) -> Finding:
    """Return whether the child repeats the parent, given what came before the fork."""
    apart = sum(a != b for a, b in zip(before, parent, strict=True))
    if child == parent and apart >= APART:
        return Finding(True, f"the child repeats {len(parent)} outputs")
    if apart < APART:
        return Finding(None, f"only {apart} outputs differ from the last ones")
    return Finding(False, "the child's outputs are its own")


def forked(audited: Audited) -> Finding:
    """Return what is found across a fork of this process."""
    chance, draw, table = system_chance(), audited.make(), audited.tables[0]
    rows = ROWS if len(table) == 1 else FEWER_ROWS
    before = draw(table, chance, rows).tolist()
    read, write = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            said = json.dumps(draw(table, chance, rows).tolist())
        except BadChance:
            said = "[]"
        with os.fdopen(write, "w") as pipe:
            pipe.write(said)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        child = json.loads(pipe.read())
    os.waitpid(process, 0)
    return judge(before, draw(table, chance, rows).tolist(), child)


@lru_cache(maxsize=8)
def examine(names: Sequence[str]) -> dict[str, Finding]:
    """Return what is found of these mechanisms, in a process of their own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.plain.audit.forking"],
        input=json.dumps(names),
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        timeout=300,
    )
    return {name: Finding(*found) for name, found in json.loads(done.stdout).items()}


def main() -> None:
    from tests.plain.audit.register import audited_by_name

    found = {name: forked(audited_by_name(name)) for name in json.loads(sys.stdin.read())}
    told = {name: (each.alarm, each.reason) for name, each in found.items()}
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main()
