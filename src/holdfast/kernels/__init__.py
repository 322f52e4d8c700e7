"""Inner loops on plain arrays; each has a plain twin in tests/plain."""
