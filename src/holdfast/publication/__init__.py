"""From a plan to a release that anyone can check: preview, publish, verify, report."""
