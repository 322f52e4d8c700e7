"""Update: a noisy answer moved to the nearest world that obeys the rules. Knows no data."""
