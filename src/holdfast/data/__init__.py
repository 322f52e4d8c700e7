"""From rows to a count for every leaf: what is public about them, and how they are counted."""
