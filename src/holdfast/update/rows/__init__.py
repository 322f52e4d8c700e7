"""Updates onto any rows beside the sums: real by a solver, whole by rounding."""
