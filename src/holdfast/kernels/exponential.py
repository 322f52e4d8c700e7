"""e**(-x) in floats with a proven error: additions and products only, no library function.

Claim.      |exponential(x) - e**(-x)| <= MARGIN / 2 for every x >= 0 given with a relative
            error of at most 2**-50.
Reason.     docs/theory/noise.md#the-error-of-the-float-exponential
Checked by. tests/kernels/test_exponential.py
"""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
MARGIN = 2.0**-32
LARGEST = 64.0  # beyond it the chance is below 2**-92 and counts as 0
HALVINGS = 8  # x / 256 is at most 1/4
TERMS = 10


def exponential(x: Floats) -> Floats:
    """Return e**(-x): a Taylor sum at x / 256, squared eight times."""
    small = np.minimum(x, LARGEST) * (-(2.0**-HALVINGS))
    total = np.ones_like(small)
    for term in range(TERMS, 0, -1):
        total *= small * (1.0 / term)
        total += 1.0
    for _ in range(HALVINGS):
        total *= total
    return np.where(x > LARGEST, 0.0, total)
