"""Slow and obvious twins of what the house does fast, written in fractions."""
