"""What every room stands on: errors, exact numbers, bounds, chance, the confidential envelope."""
