"""What an import and an install cost.

Run: python -m benchmarks.imports      (in the environment to be measured)
"""

import statistics
import subprocess
import sys
from importlib.metadata import distribution

STATEMENTS = (
    "pass",
    "import holdfast",
    "import holdfast as hf; [getattr(hf, name) for name in hf.__all__]",
    "import numpy",
    "import narwhals",
    "from scipy.sparse.linalg import splu",
    "from scipy.optimize import milp",
    "import piqp",
    "from cryptography.hazmat.primitives.ciphers import Cipher",
)
PACKAGES = ("holdfast", "numpy", "cryptography", "cffi", "pycparser", "narwhals", "scipy", "piqp")
TIMED = "import time; start = time.perf_counter(); {}; print(time.perf_counter() - start)"


def import_time(statement: str) -> float:
    """Return the median of 9 fresh interpreters, in seconds."""
    line = [sys.executable, "-c", TIMED.format(statement)]
    runs = [subprocess.run(line, capture_output=True, text=True, check=True) for _ in range(9)]
    return statistics.median(float(run.stdout) for run in runs)


def size(package: str) -> float:
    """Return the installed size in MB."""
    files = distribution(package).files or []
    found = (file.locate() for file in files)
    return sum(path.stat().st_size for path in found if path.exists()) / 1e6  # type: ignore[attr-defined]


def main() -> None:
    for statement in STATEMENTS:
        print(f"{import_time(statement) * 1000:7.1f} ms  {statement}")
    for package in PACKAGES:
        print(f"{size(package):7.1f} MB  {package}")


if __name__ == "__main__":
    main()
