"""Small wrong edits of the definitions and contracts, each of which must make a goal fail."""
