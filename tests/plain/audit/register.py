"""All audited mechanisms, by name."""

from functools import lru_cache

from tests.plain.audit.claim import Audited
from tests.plain.audit.mutants import MUTANTS
from tests.plain.audit.right import all_right


@lru_cache(maxsize=1)
def right_ones() -> tuple[Audited, ...]:
    """Return the hundred right mechanisms, made once."""
    return tuple(all_right())


def audited_by_name(name: str) -> Audited:
    """Return the mechanism of this name."""
    mutant = [one for one in MUTANTS if one.name == name]
    return (mutant or [one for one in right_ones() if one.name == name])[0]
