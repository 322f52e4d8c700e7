"""A certificate as JSON and back: stable, versioned, and worked out again when read.

Every reason is written with its name, its proof's address, its cost, its numbers and what it
rests on. Reading refuses unknown reasons, unknown keys, and a cost that does not follow.

Reason.     docs/theory/certificates.md#the-record
Checked by. tests/privacy/certificate/test_record.py
"""

import json
from dataclasses import fields
from typing import Any, get_args

from holdfast.foundation.errors import BadCertificate, Fault, HoldfastError, shown
from holdfast.noise.sensitivity import neighbours_of
from holdfast.privacy.certificate.certificate import Certificate, Promise
from holdfast.privacy.certificate.consistency import DEEPEST
from holdfast.privacy.certificate.cost import Cost, EpsilonCost
from holdfast.privacy.certificate.reasons import Reason, parts_of
from holdfast.privacy.certificate.written import (
    Words,
    check_keys,
    read_number,
    text_of,
    write_number,
)
from holdfast.worlds.rules import Kind, Statement

FORMAT = "holdfast certificate"
VERSION = 1
LONGEST = 1 << 20
REASONS: dict[str, type[Any]] = {kind.name: kind for kind in get_args(Reason)}
KEYS = ("format", "version", "promise", "invariants", "sampler", "reason")


def written(certificate: Certificate) -> dict[str, Any]:
    """Return the certificate as words, numbers and lists."""
    promise = certificate.promise
    return {
        "format": FORMAT,
        "version": VERSION,
        **_cost(certificate.cost),
        "promise": {
            "neighbours": str(promise.neighbours),
            "rows": promise.rows,
            "unit": promise.unit,
        },
        "invariants": [{"rule": s.name, "kind": str(s.kind)} for s in certificate.invariants],
        "sampler": certificate.sampler,
        "reason": _reason(certificate.reason),
    }


def _cost(cost: Cost) -> Words:
    if isinstance(cost, EpsilonCost):
        modelled, numerical = text_of(cost.modelled), text_of(cost.numerical)
        words = {"delta_modelled": modelled, "delta_numerical": numerical}
        return {"epsilon": text_of(cost.epsilon), **words}
    return {"rho": text_of(cost.rho), "total_variation": text_of(cost.numerical)}


def _reason(reason: Reason) -> Words:
    numbers = {
        field.name: write_number(getattr(reason, field.name))
        for field in fields(reason)
        if field.name != "of"
    }
    return {
        "name": reason.name,
        "proof": reason.proof,
        "cost": _cost(reason.cost),
        "numbers": numbers,
        "of": [_reason(part) for part in parts_of(reason)],
    }


def read_text(text: str) -> Certificate:
    """Return the certificate of a JSON text."""
    if not isinstance(text, str) or len(text) > LONGEST:
        raise _refused("a text of at most a mebibyte", "another")
    try:
        words = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        words = None
    return read(words)


def read(words: Any) -> Certificate:
    """Return the certificate of such words; all that is in doubt is refused."""
    if not isinstance(words, dict) or not set(KEYS) <= set(words):
        raise _refused(f"an object with the keys {', '.join(KEYS)}", "another")
    if (words["format"], words["version"]) != (FORMAT, VERSION):
        raise _refused(f"{FORMAT}, version {VERSION}", "another format or version")
    reason = _read_reason(words["reason"], 0)
    _check_cost({key: words[key] for key in words if key not in KEYS}, reason)
    certificate = Certificate(
        _read_promise(words["promise"]),
        tuple(map(_read_statement, _list(words["invariants"]))),
        _text(words["sampler"]),
        reason,
    )
    if json.dumps(written(certificate)) != json.dumps(words):
        raise _refused("a certificate as it was written", "one that was changed")
    return certificate


def _read_reason(words: Any, depth: int) -> Reason:
    """Return a reason, its cost worked out again."""
    check_keys(words, ("name", "proof", "cost", "numbers", "of"))
    kind = REASONS.get(words["name"]) if isinstance(words["name"], str) else None
    if kind is None or depth > DEEPEST:
        raise _refused("a known reason", shown(words["name"]) if kind is None else "too many")
    parts = tuple(_read_reason(part, depth + 1) for part in _list(words["of"]))
    named = [field.name for field in fields(kind) if field.name != "of"]
    check_keys(words["numbers"], tuple(named))
    numbers = {name: read_number(kind, name, words["numbers"][name]) for name in named}
    reason: Reason = kind(**_rests_on(kind, parts), **numbers)
    _check_cost(words["cost"], reason)
    return reason


def _rests_on(kind: type[Any], parts: tuple[Reason, ...]) -> dict[str, Any]:
    """Return the parts as the reason takes them: none, one, or several."""
    annotations = {field.name: str(field.type) for field in fields(kind)}
    if "of" not in annotations:
        wanted: dict[str, Any] = {}
        fits = not parts
    elif annotations["of"].startswith("tuple"):
        wanted, fits = {"of": parts}, bool(parts)
    else:
        wanted, fits = {"of": parts[0] if parts else None}, len(parts) == 1
    if not fits:
        raise _refused("as many reasons as it rests on", "more or fewer")
    return wanted


def _check_cost(words: Any, reason: Reason) -> None:
    """Refuse a cost that does not follow from the reason."""
    if words != _cost(reason.cost):
        found = f"another than {reason.name} gives"
        raise _refused("the cost that follows", found)


def _read_promise(words: Any) -> Promise:
    check_keys(words, ("neighbours", "rows", "unit"))
    return Promise(neighbours_of(words["neighbours"]), words["rows"], _text(words["unit"]))


def _read_statement(words: Any) -> Statement:
    check_keys(words, ("rule", "kind"))
    kind = next((kind for kind in Kind if str(kind) == words["kind"]), None)
    if kind is None:
        raise _refused("a structural rule or a data fact", "another kind")
    return Statement(_text(words["rule"]), kind)


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise _refused("a list", "something else")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.isprintable():
        raise _refused("printable text", "something else")
    return value


def _once(pairs: list[tuple[str, Any]]) -> Words:
    """Return an object; a key that comes twice is refused."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError
    return dict(pairs)


def _no_constant(_: str) -> None:
    raise ValueError


def _refused(asked: str, found: str) -> HoldfastError:
    remedy = "Ask for the record as it was published."
    return BadCertificate(Fault("certificate record", asked, found, remedy))
