"""One module an operator, or a family of versions of one: each declares `OPERATORS`."""
