"""Files as bytes and back, the same every time.

If this failed, a release given twice would not be the same one.
"""

import pytest

from holdfast.foundation.errors import BadRecord
from holdfast.publication.writing.bundle import packed, unpacked

FILES = {"b.txt": b"two\r\n", "a.bin": bytes(range(256)) * 40, "empty": b"", "Zürich.csv": b"1"}


def test_there_and_back():
    assert unpacked(packed(FILES)) == FILES
    assert packed(FILES) == packed(dict(reversed(FILES.items())))
    assert packed(FILES) != packed({**FILES, "empty": b"x"})


@pytest.mark.parametrize("content", [b"", b"PK", packed(FILES)[:-30], b"x" * 1000])
def test_what_is_no_bundle_is_refused(content):
    with pytest.raises(BadRecord, match="bundle"):
        unpacked(content)
