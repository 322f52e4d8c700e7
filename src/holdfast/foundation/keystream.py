"""AES-256 in counter mode as a stream of 64-bit words; the keeper of `cryptography`.

AES-256-CTR yields several gigabytes a second, more than any generator of NumPy's, so there is no
reason of speed for an insecure one (benchmarks/chance.py).
"""

from functools import cache

import numpy as np
import numpy.typing as npt
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes

from holdfast.foundation.errors import BadChance, Fault

Words = npt.NDArray[np.uint64]
PIECE = 1 << 20
ZEROS = memoryview(bytes(PIECE))
SLACK = 2  # words; the cipher asks for room of one block less a byte beyond the end

# NIST SP 800-38A, F.5.5 (CTR-AES256): first block
KNOWN_KEY = bytes.fromhex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
KNOWN_COUNTER = bytes.fromhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
KNOWN_PLAIN = bytes.fromhex("6bc1bee22e409f96e93d7e117393172a")
KNOWN_CIPHER = bytes.fromhex("601ec313775789a5b7a7f504bbf3d228")


def keystream(key: bytes, counter: bytes = bytes(16)) -> CipherContext:
    """Return a fresh AES-256-CTR stream; the cipher has answered a known question first."""
    if not answers_as_known():
        raise BadChance(
            Fault(
                "AES-256-CTR",
                "the published answer (NIST SP 800-38A, F.5.5)",
                "another one",
                "Do not release: the installed cryptography package is faulty.",
            )
        )
    return _stream(key, counter)


def _stream(key: bytes, counter: bytes) -> CipherContext:
    """Return the bare cipher context."""
    return Cipher(algorithms.AES(key), modes.CTR(counter)).encryptor()


@cache
def answers_as_known() -> bool:
    """Return whether the cipher gives the published answer; asked once a process."""
    return _stream(KNOWN_KEY, KNOWN_COUNTER).update(KNOWN_PLAIN) == KNOWN_CIPHER


def next_words(stream: CipherContext, count: int) -> Words:
    """Return the next `count` words of the stream."""
    room = np.empty(count + SLACK, dtype="<u8")
    view = memoryview(room.data).cast("B")
    size = 8 * count
    for start in range(0, size, PIECE):
        piece = min(PIECE, size - start)
        stream.update_into(ZEROS[:piece], view[start:])
    return room[:count].astype(np.uint64, copy=False)
