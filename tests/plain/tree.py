"""Trees by dictionaries of paths."""

from collections.abc import Sequence
from typing import Any

Path = tuple[Any, ...]


def nodes(leaves: Sequence[Path]) -> list[Path]:
    """Return all paths: root first, breadth first, siblings together by first appearance."""
    children: dict[Path, list[Path]] = {}
    for leaf in leaves:
        for depth in range(len(leaf)):
            siblings = children.setdefault(leaf[:depth], [])
            if leaf[: depth + 1] not in siblings:
                siblings.append(leaf[: depth + 1])
    answer: list[Path] = [()]
    for node in answer:
        answer.extend(children.get(node, []))
    return answer


def aggregate(leaves: Sequence[Path], values: dict[Path, int]) -> list[int]:
    """Return the sum over the leaves below each node."""
    return [
        sum(values[leaf] for leaf in leaves if leaf[: len(node)] == node) for node in nodes(leaves)
    ]
