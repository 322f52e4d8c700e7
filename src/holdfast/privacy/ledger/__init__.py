"""The ledger: the durable record of what has been spent on one data set."""
