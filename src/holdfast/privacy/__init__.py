"""What a release costs: neighbours, loss, certificates, composition, the ledger."""
