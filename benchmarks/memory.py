"""How much memory this process has held."""

import resource


def peak() -> float:
    """Return the most memory this process has held, in GiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
