"""Auditors of mechanisms: each says how often it cries for nothing, and what it cannot see."""
