"""A plan: what is asked of a release, in TOML, read into one frozen value."""
