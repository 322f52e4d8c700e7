"""The command line: demo, preview, publish, verify, ledger."""
