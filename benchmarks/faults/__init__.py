"""Faults that a ledger must survive, each as a function that counts what passed and what failed."""
