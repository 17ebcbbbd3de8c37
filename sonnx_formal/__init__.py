"""Formal definitions of the SONNX operators, and the programs that stand on them."""
