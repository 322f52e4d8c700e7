"""Counting as its rules are written, row by row in Python: the twin of the SQL."""

import hashlib
import math
import re
from collections import defaultdict
from datetime import date
from decimal import Decimal

MOST_CANDIDATES = 1000


def whole(cell):
    """Return the whole number that a cell stands for, or None."""
    match cell:
        case None | bool() | date():
            return None
        case int():
            return cell
        case float() if not math.isfinite(cell):
            return None
        case float() | Decimal():
            return int(cell) if abs(cell) <= 2**53 and cell == int(cell) else None
        case str():
            good = re.fullmatch(r"-?[0-9]{1,18}([.]0*)?", cell)
            return int(cell.split(".")[0]) if good else None


def text(cell):
    """Return the text that a cell stands for, or None."""
    match cell:
        case None | str():
            return cell
        case bool():
            return str(cell).lower()
        case date():
            return cell.isoformat()
    number = whole(cell)
    return None if number is None else str(number)


def place(cells, leaves):
    """Return the leaf whose labels the cells are, or None; the label decides how it is read."""
    for number, leaf in enumerate(leaves):
        pairs = zip(cells, leaf, strict=True)
        if all((_read(cell, label) or "") == str(label) for cell, label in pairs):
            return number
    return None


def _read(cell, label):
    if type(label) is int:
        number = whole(cell)
        return None if number is None else str(number)
    return text(cell)


def weight(cell):
    """Return how many rows a row of this count stands for."""
    number = whole(cell)
    return number if number is not None and 0 < number <= 2**53 else 0


def counts(rows, leaves, outside=None, bound=None, key=""):
    """Return counts of rows (cells, weight, person); persons are bound where `bound` is given."""
    answer = [0] * len(leaves)
    held = defaultdict(lambda: defaultdict(int))
    for cells, number, person in rows:
        leaf = place(cells, leaves)
        leaf = outside if leaf is None else leaf
        if leaf is None:
            continue
        if bound is None:
            answer[leaf] += number
        elif text(person):
            held[text(person)][leaf] += number
    for person, by_leaf in held.items():
        for leaf in _chosen(person, by_leaf, bound, key):
            answer[leaf] += 1
    return [min(number, 2**62 // len(leaves)) for number in answer]


def _chosen(person, by_leaf, bound, key):
    """Return the leaves of the rows of a person that count."""
    most = max(MOST_CANDIDATES, bound)
    every = [(leaf, i) for leaf, n in by_leaf.items() for i in range(1, min(n, most) + 1)]
    every.sort(key=lambda row: _hashed(f"{key}|{row[0]}|{row[1]}|{person}"))
    return [leaf for leaf, _ in every[:bound]]


def _hashed(words):
    return hashlib.sha256(words.encode()).hexdigest()
