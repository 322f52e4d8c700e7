"""Ed25519 signatures of a published record, by a key in a file.

Reason.     docs/theory/plans.md#signatures
Checked by. tests/foundation/test_signature.py
"""

from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
)

from holdfast.foundation.errors import BadParameter, Fault, shown


def sign(content: bytes, key_file: Path) -> tuple[str, str]:
    """Return the public key and the signature of some bytes, in hexadecimal digits.

    The same key and bytes give the same signature.
    """
    key = _private_key(key_file)
    public = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    return public.hex(), key.sign(content).hex()


def is_signed(content: bytes, public: str, signature: str) -> bool:
    """Return whether a signature of these bytes was made by the key of this public one."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(
            bytes.fromhex(signature), content
        )
    except (InvalidSignature, ValueError):
        return False
    return True


def _private_key(path: Path) -> Ed25519PrivateKey:
    """Return the key of a PEM file without a password; the file's content is never shown."""
    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except (OSError, ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        asked, found = "an Ed25519 key in PEM, without a password", f"none at {shown(str(path))}"
        remedy = "Make one: openssl genpkey -algorithm ed25519 -out key.pem."
        raise BadParameter(Fault("key file", asked, found, remedy))
    return key
