"""Revision onto inequalities: here a draw depends on the table, in a range and time that do not."""
