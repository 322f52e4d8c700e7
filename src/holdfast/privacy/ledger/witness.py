"""The witness: a file beside the ledger, to which a line is added after every commit.

A ledger that stands behind its witness was rolled back. A line cut short by a crash is no line;
a whole line that does not verify is refused.

Claim.      A ledger whose last events were taken away is refused as long as its witness stands.
Reason.     docs/theory/ledger.md#the-witness
Checked by. tests/privacy/ledger/test_rollback.py
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from holdfast.foundation.errors import BadLedger, Fault
from holdfast.privacy.ledger import private_files
from holdfast.privacy.ledger.chain import Key, same
from holdfast.privacy.ledger.event import Head

LINE = re.compile(
    r"(\d{1,19}) ([0-9a-f]{64}) (\d{1,19}) (\d{1,19}) (\S+) (\S+) (open|moved) ([0-9a-f]{64})"
)
NONE = "-"


def line_of(key: Key, head: Head) -> bytes:
    """Return the line that bears witness of a head."""
    fields = [head.seq, head.mac, head.cost, head.delta, head.neighbours, head.unit, head.state]
    text = " ".join(str(field) or NONE for field in fields)
    return f"{text} {key.code('witness', text.encode())}\n".encode()


def _head_of(key: Key, line: bytes) -> Head | None:
    """Return what a line bears witness of, or None where it was not written under this key."""
    try:
        text = line.decode("ascii")
    except UnicodeDecodeError:
        return None
    match = LINE.fullmatch(text)
    if not match or not same(match[8], key.code("witness", text[:-65].encode())):
        return None
    seq, mac, cost, delta, neighbours, unit, state, _ = match.groups()
    relation, kind = ("" if word == NONE else word for word in (neighbours, unit))
    return Head(int(seq), mac, int(cost), int(delta), relation, kind, state)


class Witness:
    """A witness file, and how far of it this process has read and verified."""

    __slots__ = ("_key", "_seen", "path")

    def __init__(self, path: Path, key: Key) -> None:
        self.path = path
        self._key = key
        self._seen: tuple[int, bytes, Head] | None = None  # end, the line before it, the furthest

    def last(self) -> Head:
        """Return the furthest head that the file bears witness of."""
        return self._last(private_files.read(self.path))

    def heads(self) -> list[Head]:
        """Return every head that the file bears witness of, in the order of its lines."""
        lines = private_files.read(self.path).split(b"\n")[:-1]
        return [self._verified(line) for line in lines]

    def add(self, head: Head) -> None:
        """Add a line, unless the file bears witness of as much already."""
        with self.held() as (last, append):
            if last.seq < head.seq:
                append(head)

    @contextmanager
    def held(self) -> Iterator[tuple[Head, Callable[[Head], None]]]:
        """Hold the file for one writer; hand out its furthest head, and what adds a line."""
        with private_files.held(self.path) as file:
            yield (
                self._last(file.read()),
                lambda head: file.append(line_of(self._key, head)),
            )

    def _last(self, content: bytes) -> Head:
        """Return the furthest head of this content; only lines not seen before are verified."""
        end = content.rfind(b"\n") + 1
        start, furthest = self._start(content)
        line = b""
        for line in content[start:end].split(b"\n")[:-1]:
            head = self._verified(line)
            if furthest is None or head.seq > furthest.seq:
                furthest = head
        if furthest is None:
            raise self._bad("not one whole line: the witness was lost")
        if line:
            self._seen = (end, line + b"\n", furthest)
        return furthest

    def _start(self, content: bytes) -> tuple[int, Head | None]:
        """Return from where on the content is new, and the furthest head before that."""
        if self._seen:
            end, line, furthest = self._seen
            if content[end - len(line) : end] == line:
                return end, furthest
        return 0, None

    def _verified(self, line: bytes) -> Head:
        head = _head_of(self._key, line)
        if head is None:
            raise self._bad("a line that was not written with this ledger's key")
        return head

    def _bad(self, found: str) -> BadLedger:
        return BadLedger(
            Fault(
                f"witness {self.path.name!r}",
                "lines under the ledger's key",
                found,
                "Give this ledger's own key and witness; without them it cannot be trusted.",
            )
        )
