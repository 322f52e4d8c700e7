"""Signatures of a record: made by a key in a file, checked by its public half.

If this failed, a rewritten release would pass as the publisher's.
"""

import pytest
from cryptography.hazmat.primitives.asymmetric.ed448 import Ed448PrivateKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)

from holdfast.foundation.errors import BadParameter
from holdfast.foundation.signature import is_signed, sign


def pem(key, lock=None) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, lock or NoEncryption())


@pytest.fixture
def key_file(tmp_path):
    path = tmp_path / "key.pem"
    path.write_bytes(pem(Ed25519PrivateKey.generate()))
    return path


def test_signed_and_checked(key_file):
    public, signature = sign(b"record", key_file)
    assert sign(b"record", key_file) == (public, signature)
    assert is_signed(b"record", public, signature)
    assert not is_signed(b"recorb", public, signature)
    other = f"{int(signature[:2], 16) ^ 1:02x}{signature[2:]}"
    assert not is_signed(b"record", public, other)
    assert not is_signed(b"record", "0" * 64, signature)


@pytest.mark.parametrize("words", [("", ""), ("xyz", "00"), ("00", "00"), ("0" * 64, "é")])
def test_nonsense_is_no_signature(words):
    assert not is_signed(b"record", *words)


def test_what_is_no_key_is_refused_without_showing_it(tmp_path, key_file):
    secret = key_file.read_bytes()
    contents = [b"", b"secret-canary", secret[: len(secret) // 2]]
    contents += [pem(Ed448PrivateKey.generate())]
    contents += [pem(Ed25519PrivateKey.generate(), BestAvailableEncryption(b"x"))]
    for number, content in enumerate(contents):
        path = tmp_path / f"{number}.pem"
        path.write_bytes(content)
        with pytest.raises(BadParameter, match="key file") as error:
            sign(b"record", path)
        assert "canary" not in str(error.value)
    with pytest.raises(BadParameter, match="key file"):
        sign(b"record", tmp_path / "none.pem")
