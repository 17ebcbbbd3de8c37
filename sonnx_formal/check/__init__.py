"""The cross-check: implementations against what the formal definitions give."""
