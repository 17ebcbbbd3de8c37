"""Proofs that are checked step by step: cvc5 writes them, and a checker goes through them."""
