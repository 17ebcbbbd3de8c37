"""The benchmark: our driver beside the loop over `why3 prove` that a person would script, and the
extracted floating-point arithmetic beside that of others."""
