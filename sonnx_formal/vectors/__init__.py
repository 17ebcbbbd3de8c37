"""Test vectors: operands, and the results that the formal definitions give for them."""
