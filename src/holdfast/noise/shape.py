"""The shape of what a draw returns: one number, or an array filled chunk by chunk."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.foundation.exact import whole
from holdfast.foundation.randomness import Chance, check_chance

Shape = int | tuple[int, ...] | None
CHUNK = 1 << 16  # words and outcomes of one chunk stay in the processor's cache


def shaped(draw: Callable[[Chance, int], npt.NDArray[Any]], chance: Chance, size: Shape) -> Any:
    """Return one plain number where `size` is None, else an array of that shape."""
    check_chance(chance)
    if size is None:
        return draw(chance, 1)[0].item()
    lengths = size if isinstance(size, tuple) else (size,)
    lengths = tuple(whole(length, "size", least=0) for length in lengths)
    count = math.prod(lengths)
    if count <= CHUNK:
        return draw(chance, count).reshape(lengths)
    first = draw(chance, CHUNK)
    answer = np.empty(count, dtype=first.dtype)
    answer[:CHUNK] = first
    for start in range(CHUNK, count, CHUNK):
        stop = min(start + CHUNK, count)
        answer[start:stop] = draw(chance, stop - start)
    return answer.reshape(lengths)
