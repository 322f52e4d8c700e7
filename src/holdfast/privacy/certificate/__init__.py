"""A certificate: what a release costs, for whom, and the reasons, each with its proof."""
