"""Rejection on a tree: each node keeps its children's total with the chance of its own noise."""
