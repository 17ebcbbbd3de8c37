"""Toy operators: one of each kind of signature, in a house of their own."""
