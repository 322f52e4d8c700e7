"""What a failure says to the shell: public words, and an exit code.

Reason.     docs/theory/confidentiality.md#errors
Checked by. tests/cli/test_failure.py
"""

from holdfast.foundation.errors import (
    BadCertificate,
    BadDeclaration,
    BadParameter,
    BadPlan,
    BadRules,
    BadTree,
    Burnt,
    HoldfastError,
    OverBudget,
)

WRONG_PLAN, OVER_BUDGET, FAILED = 2, 3, 4


def code_of(error: BaseException) -> int:
    """Return the exit code of a failure."""
    match error:
        case OverBudget() | Burnt():
            return OVER_BUDGET
        case (
            BadPlan()
            | BadDeclaration()
            | BadParameter()
            | BadRules()
            | BadTree()
            | BadCertificate()
        ):
            return WRONG_PLAN
        case _:
            return FAILED


def said(error: BaseException) -> str:
    """Return what is said of a failure; of one that is not ours, its kind alone."""
    if isinstance(error, HoldfastError):
        return f"holdfast: {error}\n"
    return f"holdfast: {type(error).__name__}: it could not be done; no more is shown here.\n"
