"""Many processes at once: none takes another's new folder for one left behind.

If this failed, a release would now and then break after its debit, and burn its name.
"""

import multiprocessing

from holdfast.data import spill
from holdfast.data.spill import spill_folder

ROUNDS, PROCESSES = 300, 4


def use_folders(rounds: int) -> int:
    """Return how often a folder was gone while it was in use."""
    lost = 0
    for _ in range(rounds):
        with spill_folder() as folder:
            try:
                (folder / "file").write_bytes(b"x")
            except FileNotFoundError:
                lost += 1
    return lost


def use_folders_unlooked(rounds: int) -> int:
    spill._is_at = lambda folder, lock: True  # the twin that trusts its lock
    return use_folders(rounds)


def lost_by(act) -> int:
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
        return sum(pool.map(act, [ROUNDS] * PROCESSES))


def test_no_folder_is_taken_from_its_owner():
    assert lost_by(use_folders) == 0
