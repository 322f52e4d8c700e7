"""The files of a release as one run of bytes, the same for the same files; and back.

The ledger seals these bytes before anyone sees them.

Claim.      `unpacked(packed(files))` is `files`.
Reason.     docs/theory/plans.md#the-order-of-a-publication
Checked by. tests/publication/writing/test_bundle.py
"""

import io
import zipfile
from collections.abc import Mapping

from holdfast.foundation.errors import BadRecord, Fault

EPOCH = (1980, 1, 1, 0, 0, 0)  # no clock is read: the same files give the same bytes
MODE = 0o644 << 16
Files = Mapping[str, bytes]


def packed(files: Files) -> bytes:
    """Return the files as one run of bytes."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.external_attr = MODE
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return target.getvalue()


def unpacked(content: bytes) -> dict[str, bytes]:
    """Return the files of such bytes."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    except (zipfile.BadZipFile, EOFError):
        found = "bytes that are no bundle of files"
    remedy = "Restore the ledger from a backup."
    raise BadRecord(Fault("sealed release", "a bundle of files", found, remedy))
