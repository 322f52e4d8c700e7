"""Updates onto the sums of a tree in real numbers."""
