"""Which failure answers what; an unknown one shows nothing of itself."""

import pytest

from holdfast.cli.failure import code_of, said
from holdfast.foundation import errors
from holdfast.foundation.errors import Fault

FAULT = Fault("a", "b", "c", "d.")
CODES = {
    "BadPlan": 2, "BadParameter": 2, "BadRules": 2, "BadTree": 2, "BadCertificate": 2,
    "BadDeclaration": 2, "OverBudget": 3, "Burnt": 3, "BadLedger": 4, "BadTable": 4,
    "NotSolved": 4, "NotCounted": 4, "BadChance": 4, "BadRecord": 4, "Sealed": 4,
}  # fmt: skip


@pytest.mark.parametrize("name", CODES)
def test_each_failure_has_its_code(name):
    error = getattr(errors, name)(FAULT)
    assert code_of(error) == CODES[name]
    assert said(error) == f"holdfast: {FAULT}\n"


@pytest.mark.parametrize("error", [OSError("secret"), KeyError("secret"), MemoryError("secret")])
def test_others_are_named_by_kind_alone(error):
    assert code_of(error) == 4
    assert "secret" not in said(error)
    assert type(error).__name__ in said(error)
