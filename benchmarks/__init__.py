"""Speed as ratios within one run; each module is one command, `python -m benchmarks.NAME`."""
