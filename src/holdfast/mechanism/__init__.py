"""What a user holds: a mechanism, and the same revised."""
