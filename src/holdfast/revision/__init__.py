"""Revision: noise conditioned on what must be true. Knows no data and no budget."""
