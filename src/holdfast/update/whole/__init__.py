"""Updates onto the sums of a tree in whole numbers."""
