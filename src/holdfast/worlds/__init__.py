"""What may be true: trees of nodes, invariants over them, and beliefs about worlds."""
