"""The trusted base: all that is believed without a proof, and what the ledger says of it."""
