"""Errors that say what was asked, what was found, and what to do.

An error is an output. A fault may show a *public* thing (a parameter, a label of the public
list, a rule); what was found in data is described in general words and never shown.

Claim.      No fault raised about rows, counts or vectors carries a value of theirs.
Reason.     docs/theory/confidentiality.md#errors
Checked by. tests/foundation/test_errors.py
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

LONGEST_SHOWN = 80
LONGEST_FRACTION = 20
MOST_LISTED = 12


def shown(value: object) -> str:
    """Return a short, printable, one-line form of a public value."""
    text = ascii(value) if isinstance(value, str) else type(value).__name__
    if type(value) in (int, float, bool, type(None)):
        text = _number(value)
    elif isinstance(value, Fraction):
        text = brief(value)
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "..."


def brief(number: Fraction) -> str:
    """Return a fraction as people write it, or its float where it is long.

    >>> brief(Fraction(3)), brief(Fraction(9, 10)), brief(Fraction(1, 3**40))
    ('3', '9/10', 'about 8.22526e-20')
    """
    text = _number(number)
    return text if len(text) <= LONGEST_FRACTION else f"about {float(number):.6g}"


def _number(value: object) -> str:
    """Return a number as text; one too long for Python's own limit is named by its kind."""
    try:
        return str(value)
    except ValueError:  # over 4300 digits: Python refuses to print it
        return "a number of thousands of digits"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong: its subject, what was asked, what was found, what to do."""

    subject: str
    asked: str
    found: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.subject}: asked for {self.asked}; found {self.found}. {self.remedy}"


class HoldfastError(Exception):
    """The family of all errors raised on purpose; `faults` holds each fault as a value."""

    def __init__(self, *faults: Fault) -> None:
        self.faults = faults
        super().__init__(*faults)

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        """Have pickle carry the error between processes, whatever its own arguments are."""
        return _rebuilt, (type(self), self.args, self.__dict__)

    def __str__(self) -> str:
        if len(self.faults) == 1:
            return str(self.faults[0])
        lines = [f"{len(self.faults)} faults"]
        lines += [f"  {number}. {fault}" for number, fault in enumerate(self.faults, 1)]
        if len(lines) > MOST_LISTED + 1:
            rest = len(lines) - MOST_LISTED - 1
            lines = [*lines[: MOST_LISTED + 1], f"  ... and {rest} more"]
        return "\n".join(lines)


def _rebuilt(
    kind: type[HoldfastError], arguments: tuple[Fault, ...], state: dict[str, object]
) -> HoldfastError:
    """Return the error that pickle took apart."""
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(state)
    return error


class BadParameter(HoldfastError):
    """A public parameter is outside what is allowed."""


class BadTree(HoldfastError):
    """The public list of leaves does not describe a tree."""


class BadTable(HoldfastError):
    """A vector or a frame does not match the tree; its values are never shown."""


class BadRules(HoldfastError):
    """A rule is malformed or does not fit the tree."""


class Contradiction(BadRules):
    """No world obeys all the rules; `conflict` names the rules that cannot hold together.

    `smallest` says whether every smaller set was tried; `irreducible`, whether without any one
    of these rules the others can hold.
    """

    def __init__(
        self, conflict: Iterable[str], *, smallest: bool, irreducible: bool = True
    ) -> None:
        self.conflict = tuple(conflict)
        self.smallest = smallest
        self.irreducible = irreducible
        size = "the smallest" if smallest else "an irreducible" if irreducible else "a"
        named = list(self.conflict[:MOST_LISTED])
        if len(self.conflict) > MOST_LISTED:
            named.append(f"and {len(self.conflict) - MOST_LISTED} more")
        super().__init__(
            Fault(
                "rules",
                "rules that can all hold in one world",
                f"{size} conflicting set: {'; '.join(named)}",
                "Drop or change one of these.",
            )
        )


class BadBelief(HoldfastError):
    """A belief, an event or a nearest-world map is not what the definitions ask for."""


class BadCertificate(HoldfastError):
    """A certificate is asked for what is not proven, or a record does not say what it claims."""


class BadPlan(HoldfastError):
    """A plan asks for what is not there, not known, or not allowed; it is public."""


class BadRecord(HoldfastError):
    """What was published does not stand up to being checked."""


class NotSolved(HoldfastError):
    """A solver was asked, and what it handed back does not stand up to measuring."""


class NoiseDominates(UserWarning):
    """Nothing but zeros is left of a table: the noise is larger than its counts."""


class BadChance(HoldfastError):
    """A source of chance is used for what it is not for."""


class BadLedger(HoldfastError):
    """A ledger cannot be trusted, or cannot be used."""


class OverBudget(HoldfastError):
    """A ledger has too little left for what was asked."""


class Burnt(HoldfastError):
    """A name was paid for and its draw was lost: it stays spent and is never drawn again."""


class BadDeclaration(HoldfastError):
    """What is declared of the data is malformed, or the data's public side is not like it."""


class NotCounted(HoldfastError):
    """An engine could not count; the text is the same whatever the rows hold."""


class Sealed(HoldfastError):
    """A confidential value was asked to show itself."""


def raise_all(kind: type[HoldfastError], faults: list[Fault]) -> None:
    """Raise all faults at once, or do nothing where there is none."""
    if faults:
        raise kind(*faults) from None
