"""Chains, for research: they come near the conditional law, and nothing proves how near."""
