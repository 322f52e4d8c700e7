"""What to expect of a release before any data is read, and the split or budget that it needs."""
