"""What is written down of a release, so that a stranger can check it without the data.

Reason.     docs/theory/plans.md#the-record
Checked by. tests/publication/writing/test_record.py
"""

import hashlib
import json
import platform
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

import holdfast
from holdfast.foundation.signature import sign
from holdfast.mechanism.release import Release
from holdfast.mechanism.revised import Revised
from holdfast.mechanism.updated import Updated
from holdfast.noise.law import Law
from holdfast.privacy.certificate.record import written
from holdfast.privacy.certificate.written import write_number
from holdfast.publication.level_error import LevelError
from holdfast.publication.plan.plan import Plan
from holdfast.publication.street import Street
from holdfast.publication.writing.bundle import Files
from holdfast.worlds.hierarchy import Hierarchy

FORMAT, VERSION = "holdfast release", 1
INTERVAL = (
    "the revised value plus and minus the half-width that the conditioned noise exceeds no more "
    "often; after an update cut at 0 and stretched to hold the value"
)


def record_of(
    plan: Plan, tree: Hierarchy, street: Street, release: Release, levels: tuple[LevelError, ...]
) -> dict[str, Any]:
    """Return the record of a release, but for its files."""
    diagnosis = release.diagnosis
    return {
        "format": FORMAT,
        "version": VERSION,
        "name": plan.release.name,
        "rehearsal": False,
        "software": {
            "holdfast": holdfast.__version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
        },
        "plan": plan.words(),
        "tree": {
            "root": tree.root,
            "levels": list(tree.level_names[1:]),
            "nodes": tree.size,
            "leaves": int(tree.leaf_nodes.size),
        },
        "laws": [write_number(law) for law in laws_of(street)],
        "certificate": written(release.certificate),
        "interval": {"confidence": plan.release.interval, "method": INTERVAL},
        "levels": [asdict(level) for level in levels],
        "moved": [asdict(level) for level in diagnosis.levels] if diagnosis else [],
    }


def laws_of(street: Street) -> tuple[Law, ...]:
    """Return the laws that were drawn from, level by level."""
    source = street.source if isinstance(street, Updated) else street
    return source.mechanism.laws if isinstance(source, Revised) else source.laws


def with_files(record: dict[str, Any], files: Files) -> bytes:
    """Return the record with the digest and size of each file, as JSON."""
    listed = {
        name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in sorted(files.items())
    }
    text = json.dumps({**record, "files": listed}, indent=2, ensure_ascii=False)
    return (text + "\n").encode("utf-8")


def signature_of(record: bytes, key_file: Path) -> bytes:
    """Return a signature of the record, as JSON."""
    public, signature = sign(record, key_file)
    words = {"algorithm": "Ed25519", "public_key": public, "signature": signature}
    return (json.dumps(words, indent=2) + "\n").encode()
