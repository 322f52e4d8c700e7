"""Read a plan from TOML: every fault at once, with a suggestion for a misspelt key.

Claim.      What is returned has no fault that can be seen without the files it names.
Reason.     docs/theory/plans.md#how-a-plan-is-read
Checked by. tests/publication/plan/test_reading.py
"""

import re
import tomllib
from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from holdfast.data.declaration import Declaration, Person
from holdfast.foundation.errors import BadPlan, Fault, HoldfastError, raise_all, shown
from holdfast.noise.budget import Budget, Concentrated, Pure
from holdfast.noise.law import family_of
from holdfast.noise.sensitivity import neighbours_of
from holdfast.privacy.certificate.written import text_of
from holdfast.publication.plan import kinds
from holdfast.publication.plan.fields import Fields, did_you_mean
from holdfast.publication.plan.plan import Method, Plan, Privacy, Rules, Split, Wish

LARGEST = 1 << 20  # bytes
SECTIONS = ("data", "privacy", "rules", "method", "release")
STREETS = (
    ("revise sums", "update nonnegative"),
    ("revise sums",),
    ("revise",),
    ("update",),
)
SAMPLERS = ("auto", "closed-form", "exact", "messages")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def read_plan(plan: Plan | str | Path) -> Plan:
    """Return the plan of a file; one that is read already, as it is."""
    if isinstance(plan, Plan):
        return plan
    path = Path(plan)
    return plan_of(_text_of(path), path.parent)


def plan_of(text: str, folder: Path) -> Plan:
    """Return the plan of a text; its paths are relative to a folder."""
    found, faults = _toml(text), list[Fault]()
    top = Fields("plan", found, faults)
    data, privacy, rules, method, release = (
        Fields(name, top.take(name, _as_it_is, None), faults) for name in SECTIONS
    )
    top.close()
    held = Rules(
        rules.take("nonnegative", kinds.flag, True), rules.take("total", kinds.total, None)
    )
    if not rules.take("sums", kinds.flag, True):
        rules.fault("sums", "true", "false", "A table that need not add up needs no plan.")
    rules.close()
    drawn = _method(method, held)
    spent = _privacy(privacy, drawn.noise)
    person = privacy.take("unit", partial(_person, faults=faults), None)
    privacy.close()
    counted = _data(data, person)
    wished = _wish(release)
    if held.total is not None and spent.neighbours != "replace-one":
        remedy = 'Set neighbours = "replace-one", or leave the total out.'
        rules.fault("total", "pairs that share the total", "add-remove", remedy)
    raise_all(BadPlan, faults)
    return Plan(counted, spent, held, drawn, wished, folder)


def _text_of(path: Path) -> str:
    """Return the text of a plan file."""
    try:
        content = path.read_bytes() if path.stat().st_size <= LARGEST else b""
        text = content.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        found = f"{type(error).__name__} at {shown(str(path))}"
        raise BadPlan(Fault("plan", "a readable file", found, "Name a TOML file.")) from None
    if not text:
        asked = "a file of at most a mebibyte, not empty"
        raise BadPlan(Fault("plan", asked, shown(str(path)), "Name a TOML file."))
    return text


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        where = str(error)
    except RecursionError:
        where = "brackets within brackets, too deep"
    raise BadPlan(Fault("plan", "TOML", shown(where), "Mend this place."))


def _as_it_is(value: Any) -> Any:
    return value


def _data(fields: Fields, person: Person | None) -> Declaration:
    """Return what is public about the data; where a fault was kept, with a word in its place."""
    levels = fields.need("levels", kinds.texts, '["Borough", "Zone"]') or ("level",)
    key = fields.take("key", partial(_key, levels=levels), ())
    words: dict[str, Any] = {
        "source": fields.need("source", kinds.text, '"trips.parquet"') or "rows.csv",
        "domain": fields.need("domain", kinds.text, '"zones.csv"') or "leaves.csv",
        "root": fields.take("root", kinds.text, "total"),
        "label": fields.take("label", kinds.text, None),
        "count": fields.take("count", kinds.text, None),
        "outside": fields.take("outside", _outside, "drop"),
    }
    fields.close()
    try:
        return Declaration(levels=levels, key=key, person=person, **words)
    except HoldfastError as error:
        fields.faults += error.faults
    return Declaration(source="rows.csv", levels=("level",), domain="leaves.csv")


def _key(value: Any, levels: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return the pairs of a rows' column and the domain's column that it names."""
    if not isinstance(value, Mapping) or not value:
        asked, remedy = "columns of rows = columns of the domain", 'Write { a = "b" }.'
        raise BadPlan(Fault("key", asked, shown(value), remedy))
    return tuple((kinds.text(mine), kinds.text(theirs)) for mine, theirs in value.items())


def _outside(value: Any) -> str | tuple[str, ...]:
    """Return "drop", or the path of a leaf."""
    return kinds.texts(value) if isinstance(value, list) else kinds.text(value)


def _person(value: Any, faults: list[Fault]) -> Person | None:
    """Return the person column with its bound."""
    fields = Fields("privacy.unit", value, faults)
    column = fields.need("column", kinds.text, '"rider_id"')
    rows = fields.need("rows", kinds.count, "3")
    fields.close()
    return Person(column, rows) if column is not None and rows is not None else None


def _method(fields: Fields, rules: Rules) -> Method:
    """Return the noise, the street and the sampler."""
    default = STREETS[0] if rules.nonnegative else STREETS[1]
    method = Method(
        fields.take("noise", family_of, "discrete-laplace"),
        fields.take("street", _street, default),
        fields.take("sampler", partial(_one_of, known=SAMPLERS), "auto"),
    )
    if method.noise not in ("discrete-laplace", "discrete-gaussian"):
        asked = "discrete-laplace or discrete-gaussian"
        fields.fault("noise", asked, method.noise, "Floats carry no certificate.")
    if "update nonnegative" in method.street and not rules.nonnegative:
        remedy = 'Set nonnegative = true, or street = ["revise sums"].'
        fields.fault("street", "rules to update onto", "nonnegative = false", remedy)
    if method.street == ("revise sums",) and rules.nonnegative:
        remedy = 'Add "update nonnegative" to the street, or set nonnegative = false.'
        fields.fault("street", "a street that makes counts non-negative", "none", remedy)
    fields.close()
    return method


def _street(value: Any) -> tuple[str, ...]:
    """Return a known street."""
    asked = kinds.texts(value) if isinstance(value, list) else (kinds.text(value),)
    for street in STREETS:
        if asked == street:
            return street
    known = " or ".join(str(list(street)) for street in STREETS)
    raise BadPlan(Fault("street", known, shown(", ".join(asked)), "Use one of these."))


def _one_of(value: Any, known: tuple[str, ...]) -> str:
    found = kinds.text(value)
    if found not in known:
        asked = "one of " + ", ".join(known)
        raise BadPlan(Fault("word", asked, shown(found), did_you_mean(found, known)))
    return found


def _privacy(fields: Fields, noise: str) -> Privacy:
    """Return the budget, the relation and the split."""
    budget: Budget = Pure(Fraction(1))
    in_rho = noise == "discrete-gaussian"
    wanted, other = ("rho", "epsilon") if in_rho else ("epsilon", "rho")
    spent = fields.need(wanted, kinds.number, '"1"') or Fraction(1)
    budget = Concentrated(spent) if in_rho else Pure(spent)
    for word in (other, "delta"):
        if fields.has(word):
            fields.take(word, _as_it_is, None)
            fields.fault(word, f"{wanted} alone, for {noise} noise", word, "Leave it out.")
    relation = fields.take("neighbours", lambda value: str(neighbours_of(value)), "add-remove")
    return Privacy(budget, relation, fields.take("split", _split, "equal"))


def _split(value: Any) -> str | Split:
    """Return "equal", "best", or exact shares by level."""
    if isinstance(value, Mapping) and value:
        return tuple(sorted((kinds.text(level), kinds.number(n)) for level, n in value.items()))
    return _one_of(value, ("equal", "best"))


def _wish(fields: Fields) -> Wish:
    """Return what is booked and written."""
    wish = Wish(
        fields.need("ledger", kinds.text, '"budget.sqlite"') or "?",
        fields.need("name", _name, '"trips-2022-02"') or "?",
        fields.take("interval", lambda value: text_of(kinds.chance(value)), "0.95"),
    )
    fields.close()
    return wish


def _name(value: Any) -> str:
    if not isinstance(value, str) or not NAME.fullmatch(value):
        asked = "at most 64 letters, digits, dots, hyphens and underscores, a letter or digit first"
        raise BadPlan(Fault("name", asked, shown(value), 'Write for example "trips-2022-02".'))
    return value
