"""Convolve symmetric weights on the whole numbers, term by term: no transform, no subtraction.

An array of 2 r + 1 weights stands for -r, ..., r.

Claim.      Every sum has at most as many terms as the shorter array has weights, each a rounded
            product of two weights, so its relative error is at most that many roundings.
Reason.     docs/theory/messages.md#what-is-rounded
Checked by. tests/kernels/test_convolution.py
"""

import numpy as np
import numpy.typing as npt

Weights = npt.NDArray[np.float64]
LONGEST_DOT = 1 << 13  # NumPy's BLAS starts threads at 10,000, which was seven times slower


def convolve(one: Weights, other: Weights, radius: int) -> Weights:
    """Return the weights of sums up to the radius in size."""
    short, long = sorted((one, other), key=len)
    reach, extent = short.size // 2, long.size // 2
    padded = np.zeros(radius + 2 * reach + 1)  # stands for -reach, ..., radius + reach
    low, high = max(-reach, -extent), min(radius + reach, extent)
    padded[low + reach : high + reach + 1] = long[low + extent : high + extent + 1]
    upper = np.zeros(radius + 1)  # 0, ..., radius
    for start in range(0, short.size, LONGEST_DOT):
        piece = short[start : start + LONGEST_DOT]
        low = short.size - start - piece.size
        upper += np.convolve(padded[low : padded.size - start], piece, mode="valid")
    return np.concatenate([upper[:0:-1], upper])


def correlate(outer: Weights, sibling: Weights, radius: int) -> Weights:
    """Return for each x up to the radius the sum over s of outer(s) sibling(s - x).

    Symmetric weights make it a convolution.
    """
    return convolve(outer, sibling, radius)
